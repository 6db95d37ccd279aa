package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A server caches its lists of people and bots. They can lack a new account or have outdated values of one, and a
// second read does not help (server-behavior §U18). The answer for a single account is up to date, and so are the
// account's own bots, which are read with the bots. Every later snapshot of this run includes these answers and those
// to changes of bots.

// asked are the accounts that were read separately.
type asked struct {
	users  map[int64]*zulip.User
	bots   map[int64]*zulip.Bot  // with the defaults after a change
	own    map[string]*zulip.Bot // the account's own bots, by email
	nobody map[string]bool       // emails and IDs that no account has
}

func (a *asked) init() {
	a.users, a.bots, a.nobody = map[int64]*zulip.User{}, map[int64]*zulip.Bot{}, map[string]bool{}
}

// addUsers adds to facts the separately read accounts that the new list lacks.
func (a *asked) addUsers(facts *snapshot.Facts) {
	for _, user := range a.users {
		facts.AddUser(user)
	}
}

// putBots puts the values into facts that the list of bots may not show.
func (a *asked) putBots(facts *snapshot.Facts) {
	facts.PutOwnBots(a.own)
	for _, bot := range a.bots {
		facts.PutBot(bot)
	}
}

// ChangedBot registers the defaults of a bot that this run has changed.
func (s *Store) ChangedBot(bot *zulip.Bot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked.bots[bot.UserID] = bot
}

// readBots reads the bots, with further parts. Only people own bots, and no guests.
func (s *Store) readBots(ctx context.Context, parts []Part) (*zulip.RegisterAnswer, error) {
	read, err := s.register(ctx, parts)
	if err == nil && !s.self.IsBot && s.self.Role < zulip.RoleGuest {
		read.OwnBots, err = s.client.OwnBots(ctx)
	}
	return read, err
}

// ReadNaming is Read for callers that look up people and bots by names, which are emails or numeric IDs. Users that
// the list lacks are read one by one, once in a run. A user who is not in the returned snapshot does not exist. Users
// that this run will create are not read. An email that no one has is registered if it is invited.
func (s *Store) ReadNaming(ctx context.Context, names []string, parts ...Part) (*snapshot.Snapshot, error) {
	current, err := s.Read(ctx, parts...)
	for _, name := range names {
		if err != nil || s.isAccountedFor(current, name) {
			continue
		}
		var user *zulip.User
		if user, err = s.askFor(ctx, name); user != nil {
			current = s.keepUser(user)
		}
	}
	return current, err
}

// isAccountedFor reports whether a name need not be read separately.
func (s *Store) isAccountedFor(current *snapshot.Snapshot, name string) (ok bool) {
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		_, ok = current.User(id)
	} else if _, ok = current.UserWithAddress(name); !ok {
		_, ok = s.run.PlannedID(runstate.Account, name)
		ok = ok || !strings.Contains(name, "@")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return ok || s.asked.nobody[strings.ToLower(name)]
}

// askFor reads an account by email or ID; nil if the provider's account sees none.
func (s *Store) askFor(ctx context.Context, name string) (user *zulip.User, err error) {
	if id, notNumber := strconv.ParseInt(name, 10, 64); notNumber == nil {
		user, err = s.client.User(ctx, id)
	} else {
		user, err = s.client.UserByEmail(ctx, name)
	}
	switch {
	case err == nil:
		return user, nil
	case !zulip.IsNoUser(err):
		return nil, whileReading(fmt.Sprintf("account %s", name), err)
	}
	s.noteInvited(ctx, name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked.nobody[strings.ToLower(name)] = true
	return nil, nil
}

// noteInvited registers an email that no user has as invited, if the provider's account sees an invitation to it. The
// apply knows it too, because Terraform plans again right before.
func (s *Store) noteInvited(ctx context.Context, name string) {
	if !strings.Contains(name, "@") || s.self.IsBot {
		return // the server shows bots no invitations
	}
	invitations, err := s.Invitations(ctx)
	if err == nil && slices.ContainsFunc(invitations, func(one *zulip.Invitation) bool { return !one.IsMultiuse && strings.EqualFold(one.Email, name) }) {
		s.run.Note(runstate.Invited, runstate.Name(runstate.Account, name))
	}
}

// FreshUser reads one account separately, and returns its current values; nil if the provider's account sees none. The
// snapshot gets these values too.
func (s *Store) FreshUser(ctx context.Context, id int64) (*zulip.User, error) {
	return s.FreshUserNamed(ctx, strconv.FormatInt(id, 10))
}

// FreshUserNamed is FreshUser for an email, or an ID in digits.
func (s *Store) FreshUserNamed(ctx context.Context, name string) (*zulip.User, error) {
	user, err := s.askFor(ctx, name)
	if user != nil {
		s.keepUser(user)
	}
	return user, err
}

// ReadUser returns a snapshot with the people, in which one account was read separately.
func (s *Store) ReadUser(ctx context.Context, id int64) (*snapshot.Snapshot, error) {
	return s.readAccount(ctx, id, Users)
}

// ReadBot is ReadUser for a bot, with the bots.
func (s *Store) ReadBot(ctx context.Context, id int64) (*snapshot.Snapshot, error) {
	return s.readAccount(ctx, id, Bots)
}

func (s *Store) readAccount(ctx context.Context, id int64, part Part) (*snapshot.Snapshot, error) {
	if _, err := s.Read(ctx, part); err != nil {
		return nil, err
	}
	user, err := s.askFor(ctx, strconv.FormatInt(id, 10))
	if err != nil {
		return nil, err
	}
	if user == nil {
		return s.Read(ctx, part)
	}
	return s.keepUser(user), nil
}

// keepUser puts an account that was read separately into the snapshot, and into the results of reads under way.
func (s *Store) keepUser(user *zulip.User) *snapshot.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked.users[user.ID] = user
	write := func(facts *snapshot.Facts) { facts.PutUser(user) }
	of := s.state(Users)
	of.written = append(of.written, write)
	s.current = s.current.With(func(facts *snapshot.Facts) {
		write(facts)
		s.asked.putBots(facts) // it may be one of them
	})
	return s.current
}

// fewChannels is the maximum number of channels whose subscribers are read one by one. A snapshot costs two requests
// for any number of channels: itself and the end of its event queue.
const fewChannels = 2

// members are the subscribers of the channels that this run has read.
type members struct {
	asked batcher[int64, subscribers]
	fresh batcher[int64, subscribers]

	mu    sync.Mutex
	known map[int64][]int64
	read  int // channels read one by one
	// forgot is number of drops all subscribers were dropped.
	forgot int
}

// subscribers are the subscribers by the ID of the channel, and the errors of channels whose subscribers could not be
// read.
type subscribers struct {
	ids    map[int64][]int64
	failed map[int64]error
}

// of returns the subscribers of a channel, or the reason why they could not be read. err is the reason for all
// channels.
func (s subscribers) of(channel int64, err error) ([]int64, error) {
	if err == nil {
		err = s.failed[channel]
	}
	return s.ids[channel], err
}

// keep stores the subscribers that a read has returned, and returns the current ones. forgot is the number of
// invalidations when the read began. Known subscribers are newer, unless the read was requested. The caller holds the
// lock.
func (m *members) keep(channel int64, ids []int64, forgot int, asked bool) []int64 {
	if known, ok := m.known[channel]; ok && !asked {
		return known
	}
	if m.forgot == forgot {
		m.known[channel] = ids
	}
	return ids
}

func (m *members) init(s *Store) {
	m.known = map[int64][]int64{}
	m.asked.ask, m.fresh.ask = s.readSubscribers, s.readFreshSubscribers
}

// Subscribers returns the IDs of the active people and bots in a channel, ascending, as read once in this run. It
// returns nil if the account sees no such channel, and for an archived channel below feature level 480. The caller must
// check the channel itself to know whether it is archived.
//
// The subscribers of more than a few channels are read in one snapshot, together with the channels if those are not
// read yet. That requires an administrator: other accounts do not see the subscribers of every channel, and read each
// channel separately.
func (s *Store) Subscribers(ctx context.Context, channel int64) ([]int64, error) {
	s.members.mu.Lock()
	ids, ok := s.members.known[channel]
	s.members.mu.Unlock()
	if ok {
		return ids, nil
	}
	found, _, err := s.members.asked.do(ctx, channel)
	return found.of(channel, err)
}

// SubscribersOf is Subscribers for several channels, by ID. Unknown ones are read as concurrent calls of Subscribers
// would read them, without waiting for other callers. Channels whose subscribers cannot be read are omitted.
func (s *Store) SubscribersOf(ctx context.Context, channels []int64) (map[int64][]int64, error) {
	found := make(map[int64][]int64, len(channels))
	var missing []int64
	s.members.mu.Lock()
	for _, channel := range channels {
		if ids, ok := s.members.known[channel]; ok {
			found[channel] = ids
		} else {
			missing = append(missing, channel)
		}
	}
	s.members.mu.Unlock()
	if len(missing) == 0 {
		return found, nil
	}
	read, err := s.readSubscribers(ctx, missing, nil)
	maps.Copy(found, read.ids)
	for _, channel := range missing {
		if err == nil {
			err = read.failed[channel]
		}
	}
	return found, err
}

// FreshSubscribers is Subscribers, read after the call began. Concurrent callers share the reading.
func (s *Store) FreshSubscribers(ctx context.Context, channel int64) ([]int64, error) {
	found, _, err := s.members.fresh.do(ctx, channel)
	return found.of(channel, err)
}

// forget makes the next caller read the subscribers again.
func (m *members) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.known)
	m.read = 0
	m.forgot++
}

// isMany reports whether the channels that were not read before are better read in a snapshot.
func (s *Store) isMany(channels, before int) bool {
	return channels+before > fewChannels && s.self.Role <= zulip.RoleAdministrator
}

func (s *Store) readSubscribers(ctx context.Context, channels []int64, _ func()) (subscribers, error) {
	s.members.mu.Lock()
	before, forgot := s.members.read, s.members.forgot
	s.members.mu.Unlock()
	var all map[int64][]int64
	if s.isMany(len(distinct(channels)), before) {
		current, err := s.need(ctx, withNeeds([]Part{Subscribers}))
		if err != nil {
			return subscribers{}, err
		}
		all = current.Subscribers()
	}
	return s.keepSubscribers(ctx, channels, all, forgot, false), nil
}

func (s *Store) readFreshSubscribers(ctx context.Context, channels []int64, _ func()) (subscribers, error) {
	s.members.mu.Lock()
	forgot := s.members.forgot
	s.members.mu.Unlock()
	var all map[int64][]int64
	if s.isMany(len(distinct(channels)), 0) {
		read, err := s.register(ctx, []Part{Subscribers})
		if err != nil {
			return subscribers{}, fmt.Errorf("reading the subscribers: %w", err)
		}
		all = read.Subscribers
	}
	return s.keepSubscribers(ctx, channels, all, forgot, true), nil
}

// keepSubscribers answers from a snapshot, and reads the channels that are not in it: new, archived and deleted ones.
// Servers answer `Invalid channel ID` for a deleted channel, and below feature level 480 for an archived one.
func (s *Store) keepSubscribers(ctx context.Context, channels []int64, all map[int64][]int64, forgot int, fresh bool) subscribers {
	found, failed, read := map[int64][]int64{}, map[int64]error{}, 0
	for _, channel := range distinct(channels) {
		if ids, ok := all[channel]; ok {
			found[channel] = ids
			continue
		}
		ids, err := s.client.ChannelSubscribers(ctx, channel)
		if err != nil && !zulip.IsMessage(err, "Invalid channel ID") {
			failed[channel] = fmt.Errorf("reading the subscribers of channel %d: %w", channel, err)
			continue
		}
		if read++; err == nil {
			found[channel] = ids
		}
	}
	s.members.mu.Lock()
	defer s.members.mu.Unlock()
	s.members.read += read
	for channel, ids := range all {
		if _, asked := found[channel]; !asked {
			s.members.keep(channel, ids, forgot, false)
		}
	}
	for channel, ids := range found {
		found[channel] = s.members.keep(channel, ids, forgot, fresh)
	}
	return subscribers{found, failed}
}

// distinct returns values without repetitions, ascending.
func distinct[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// lagWindow is how long a list is unreliable after a write. A server caches linkifiers, custom emoji and the like, each
// kind as one list. If writes of a kind overlap, or a read overlaps with a write, the list can lack a new object and
// still have a deleted one. So a run sends one write of a kind at a time, and one read does not prove that an object
// exists or not. The last write may be another process's, such as an apply just before a plan, so the start of a
// process counts as a write.
const lagWindow = time.Second

// ReadUntil returns a snapshot with one of the lists, and further parts, as soon as shows is true for it. If it never
// is, the snapshot is reliable.
func (s *Store) ReadUntil(ctx context.Context, part Part, shows func(*snapshot.Snapshot) bool, more ...Part) (*snapshot.Snapshot, error) {
	current, err := s.Read(ctx, append([]Part{part}, more...)...)
	if err != nil || shows(current) {
		return current, err
	}
	s.mu.Lock()
	readAt := s.state(part).readAt
	s.mu.Unlock()
	if readAt.After(s.reliable(part)) {
		return current, nil
	}
	const first = lagWindow / 10
	if err := zulip.Sleep(ctx, first); err != nil {
		return nil, err
	}
	return s.readUntil(ctx, part, more, 2*first, shows)
}

// FreshUntil is [Store.ReadUntil] with parts that are read after the call began.
func (s *Store) FreshUntil(ctx context.Context, part Part, shows func(*snapshot.Snapshot) bool, more ...Part) (*snapshot.Snapshot, error) {
	return s.readUntil(ctx, part, more, lagWindow/10, shows)
}

// readUntil reads a list until shows is true for it, or the list is reliable, with growing pauses.
func (s *Store) readUntil(ctx context.Context, part Part, more []Part, pause time.Duration, shows func(*snapshot.Snapshot) bool) (*snapshot.Snapshot, error) {
	parts := append([]Part{part}, more...)
	for reliable := s.reliable(part); ; pause *= 2 {
		began := zulip.Now(ctx)
		current, err := s.Fresh(ctx, parts...)
		if err != nil || shows(current) || began.After(reliable) {
			return current, err
		}
		if err := zulip.Sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// reliable returns the time from which a list is reliable.
func (s *Store) reliable(part Part) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.started
	if wrote := s.state(part).wroteAt; wrote.After(last) {
		last = wrote
	}
	return last.Add(lagWindow)
}
