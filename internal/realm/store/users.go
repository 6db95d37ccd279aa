package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A server keeps its lists of people and bots in caches. They can lack an account that was just created, or have it as it was
// before a write, and reading them again does not help (server-behavior §U18). An account that is asked for by itself is as it
// is now, and so are the account's own bots, which are read whenever the bots are. What was asked for by itself, and what a
// change of a bot was answered with, is in every snapshot of this run from then on.

// asked are the accounts that were asked for by themselves.
type asked struct {
	users  map[int64]*zulip.User
	bots   map[int64]*zulip.Bot  // as they were after a change
	own    map[string]*zulip.Bot // the account's own, by address
	nobody map[string]bool       // addresses and IDs that no account has
}

func (a *asked) init() {
	a.users, a.bots, a.nobody = map[int64]*zulip.User{}, map[int64]*zulip.Bot{}, map[string]bool{}
}

// addUsers adds to facts whom a list lacks that was just taken into them.
func (a *asked) addUsers(facts *snapshot.Facts) {
	for _, user := range a.users {
		facts.AddUser(user)
	}
}

// putBots puts into facts what the list of bots in them may not show.
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

// ReadNaming is Read for who looks for people and bots by name, which is an address or an ID in digits: whom the list lacks is
// asked for by itself, once in a run. Whoever is then not in the snapshot is not there. Those whom this run has yet to create
// are not asked for.
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

// isAccountedFor reports whether there is no need to ask for a name.
func (s *Store) isAccountedFor(current *snapshot.Snapshot, name string) (ok bool) {
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		_, ok = current.User(id)
	} else if _, ok = current.UserByAddress(name); !ok {
		_, ok = s.run.PlannedID(snapshot.AccountKind, name)
		ok = ok || !strings.Contains(name, "@")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return ok || s.asked.nobody[strings.ToLower(name)]
}

// askFor asks for an account by address or ID; nil if there is none that the account may see.
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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked.nobody[strings.ToLower(name)] = true
	return nil, nil
}

// FreshUser asks for one account by itself, and returns it as it is now; nil if there is none that the account may see. The
// snapshot has it so too.
func (s *Store) FreshUser(ctx context.Context, id int64) (*zulip.User, error) {
	user, err := s.askFor(ctx, strconv.FormatInt(id, 10))
	if user != nil {
		s.keepUser(user)
	}
	return user, err
}

// ReadUser returns a snapshot with the people in which one account is as the server describes it by itself.
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

// keepUser puts an account that was asked for by itself into the snapshot, and into those to come of reads under way.
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
