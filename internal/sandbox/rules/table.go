package rules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"net/http"
	"slices"
)

// Table holds the rows of one kind of object by id. Rows are values: clone slices and maps before a change, so that the old
// row remains for a rollback.
type Table[T any] struct {
	name    string
	log     *changeLog
	rows    map[int]T
	ids     []int       // ascending
	written map[int]int // the number of each row's last write
	writes  int
	next    int
	indexes []func(id int, before, after *T)
}

// newTable creates a table with this first id. The organization stores it under name.
func newTable[T any](o *Organization, name string, first int) *Table[T] {
	t := &Table[T]{name: name, log: &o.log, rows: map[int]T{}, written: map[int]int{}, next: first}
	o.tables = append(o.tables, t)
	return t
}

// index calls f for every change of a row, including undone changes. before is nil for a new row, after is nil for a
// removed one.
func (t *Table[T]) index(f func(id int, before, after *T)) {
	t.indexes = append(t.indexes, f)
}

// NextID returns an unused id. Like a database sequence, it never returns an id again, even after a rollback.
func (t *Table[T]) NextID() int {
	id := t.next
	t.next++
	t.log.sequences[t.name] = t.next
	return id
}

// Get returns the row with the id.
func (t *Table[T]) Get(id int) (T, bool) {
	row, ok := t.rows[id]
	return row, ok
}

// Has reports whether the table has a row with the id.
func (t *Table[T]) Has(id int) bool {
	_, ok := t.rows[id]
	return ok
}

// Len returns the number of rows.
func (t *Table[T]) Len() int { return len(t.rows) }

// All iterates over the rows in ascending order of ids. The table must not be changed during the iteration.
func (t *Table[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for _, id := range t.ids {
			if !yield(id, t.rows[id]) {
				return
			}
		}
	}
}

// Backward iterates over the rows in descending order of ids. The table must not be changed during the iteration.
func (t *Table[T]) Backward() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for _, id := range slices.Backward(t.ids) {
			if !yield(id, t.rows[id]) {
				return
			}
		}
	}
}

// AsWritten iterates over the rows in the order of their last writes. A real server's database returns rows like that if a
// query does not ask for an order (server-behavior §R26). A loaded table starts in ascending order of ids. The table must
// not be changed during the iteration.
func (t *Table[T]) AsWritten() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for _, id := range slices.SortedFunc(slices.Values(t.ids), t.compareWritten) {
			if !yield(id, t.rows[id]) {
				return
			}
		}
	}
}

func (t *Table[T]) compareWritten(a, b int) int { return cmp.Compare(t.written[a], t.written[b]) }

// Put stores a row under its id, new or not.
func (t *Table[T]) Put(id int, row T) {
	before, existed := t.rows[id]
	written := t.written[id]
	t.set(id, row)
	t.log.note(recordKey{t.name, id}, func() {
		if existed {
			t.set(id, before)
			t.written[id] = written
		} else {
			t.remove(id)
		}
	})
}

// Delete removes a row, if it exists.
func (t *Table[T]) Delete(id int) {
	before, existed := t.rows[id]
	if !existed {
		return
	}
	written := t.written[id]
	t.remove(id)
	t.log.note(recordKey{t.name, id}, func() {
		t.set(id, before)
		t.written[id] = written
	})
}

func (t *Table[T]) set(id int, row T) {
	before, existed := t.rows[id]
	t.rows[id] = row
	t.writes++
	t.written[id] = t.writes
	if !existed {
		at, _ := slices.BinarySearch(t.ids, id)
		t.ids = slices.Insert(t.ids, at, id)
	}
	for _, f := range t.indexes {
		if existed {
			f(id, &before, &row)
		} else {
			f(id, nil, &row)
		}
	}
}

func (t *Table[T]) remove(id int) {
	before := t.rows[id]
	delete(t.rows, id)
	delete(t.written, id)
	if at, ok := slices.BinarySearch(t.ids, id); ok {
		t.ids = slices.Delete(t.ids, at, at+1)
	}
	for _, f := range t.indexes {
		f(id, &before, nil)
	}
}

// storedTable is a table without the type of its rows, for persistence.
type storedTable interface {
	tableName() string
	encode(id int) ([]byte, error) // nil for a missing row
	decode(id int, row []byte) error
	sequence() int
	setSequence(next int)
	lastID() int // 0: no rows
	restartSequence(next int)
}

func (t *Table[T]) tableName() string    { return t.name }
func (t *Table[T]) sequence() int        { return t.next }
func (t *Table[T]) setSequence(next int) { t.next = max(t.next, next) }

func (t *Table[T]) encode(id int) ([]byte, error) {
	row, ok := t.rows[id]
	if !ok {
		return nil, nil
	}
	return json.Marshal(row)
}

func (t *Table[T]) decode(id int, data []byte) error {
	var row T
	if err := json.Unmarshal(data, &row); err != nil {
		return fmt.Errorf("row %d of %s: %w", id, t.name, err)
	}
	t.set(id, row)
	t.setSequence(id + 1)
	return nil
}

type recordKey struct {
	table string
	id    int
}

// changeLog records the changes since the last EndRequest, and how to undo them.
type changeLog struct {
	undo      []func()
	kept      int // length of undo at the last commit
	dirty     map[recordKey]struct{}
	sequences map[string]int
}

func newChangeLog() changeLog {
	return changeLog{dirty: map[recordKey]struct{}{}, sequences: map[string]int{}}
}

func (l *changeLog) note(key recordKey, undo func()) {
	l.dirty[key] = struct{}{}
	l.undo = append(l.undo, undo)
}

// rewind undoes changes, newest first, until only the first n are left.
func (l *changeLog) rewind(n int) {
	for i := len(l.undo) - 1; i >= n; i-- {
		l.undo[i]()
	}
	l.undo = l.undo[:n]
}

// Lists are the lists that a server caches, at one moment.
type Lists struct{ show []func() (restore func()) }

// Lists copies the current lists: custom emoji, linkifiers, code playgrounds, domains, custom profile fields, default
// channel groups, and the pictures of the organization.
func (o *Organization) Lists() Lists {
	return Lists{[]func() func(){
		o.RealmEmoji.remember(), o.Linkifiers.remember(), o.Playgrounds.remember(), o.Domains.remember(),
		o.ProfileFields.remember(), o.DefaultChannelGroups.remember(), o.rememberImages(),
	}}
}

// Show replaces the current lists until restore is called. Nothing may be changed until then.
func (l Lists) Show() (restore func()) {
	var all []func()
	for _, show := range l.show {
		all = append(all, show())
	}
	return func() {
		for _, one := range all {
			one()
		}
	}
}

// remember copies the rows. The returned function shows the copy until its own result is called.
func (t *Table[T]) remember() func() (restore func()) {
	rows, ids, written := maps.Clone(t.rows), slices.Clone(t.ids), maps.Clone(t.written)
	return func() func() {
		currentRows, currentIDs, currentWritten := t.rows, t.ids, t.written
		t.rows, t.ids, t.written = rows, ids, written
		return func() { t.rows, t.ids, t.written = currentRows, currentIDs, currentWritten }
	}
}

// rememberImages is [Table.remember] for the pictures of the organization. Its other settings remain current.
func (o *Organization) rememberImages() func() (restore func()) {
	before := o.Settings()
	return func() func() {
		current := o.Settings()
		shown := current
		shown.Icon, shown.Logo, shown.NightLogo = before.Icon, before.Logo, before.NightLogo
		o.Realm.rows[realmID] = shown
		return func() { o.Realm.rows[realmID] = current }
	}
}

// The functions of this file prepare objects for a trial without checking permissions. See [Organization.Try].

// PlaceMessage stores a message of now, in a topic of a channel, with these receivers.
func (o *Organization) PlaceMessage(sender, channel int, topic string, receivers ...int) int {
	m := Message{ID: o.Messages.NextID(), SenderID: sender, ChannelID: channel, Topic: topic, Content: "x", Sent: o.now().UTC(), Copies: map[int]Flags{}}
	for _, person := range receivers {
		m.Copies[person] = FlagRead
	}
	o.Messages.Put(m.ID, m)
	return m.ID
}

// PlaceSubscription subscribes a person to a channel, or unsubscribes them.
func (o *Organization) PlaceSubscription(person, channel int, in bool) {
	if in {
		o.subscribe(person, channel, "")
	} else {
		o.unsubscribe(person, channel)
	}
}

// PlaceMember adds a direct member to a group, or removes one.
func (o *Organization) PlaceMember(person, group int, in bool) {
	g, ok := o.Groups.Get(group)
	if !ok || g.System {
		return
	}
	if g.Members = without(g.Members, []int{person}); in {
		g.Members = sortedSet(append(slices.Clone(g.Members), person))
	}
	o.Groups.Put(group, g)
}

// PlaceChannel stores a public channel with these subscribers. By default everyone can post in it, and no one has a
// permission over messages or people; permissions override this.
func (o *Organization) PlaceChannel(name string, permissions map[string]GroupValue, subscribers ...int) int {
	ch := Channel{Name: name, SharedHistory: true, TopicsPolicy: TopicsAllowEmpty, DateCreated: o.now().Unix(), Permissions: map[string]GroupValue{}}
	for _, p := range ChannelPermissions {
		ch.Permissions[p.Name] = Named(o.SystemGroup(Nobody))
	}
	for _, open := range []string{"can_send_message_group", "can_create_topic_group"} {
		ch.Permissions[open] = Named(o.SystemGroup(Everyone))
	}
	maps.Copy(ch.Permissions, permissions)
	o.insertChannel(&ch, false)
	for _, person := range subscribers {
		o.subscribe(person, ch.ID, "")
	}
	return ch.ID
}

// PlaceOwnChannel is [Organization.PlaceChannel] for a channel whose only subscriber is its administrator.
func (o *Organization) PlaceOwnChannel(name string, person int) int {
	return o.PlaceChannel(name, map[string]GroupValue{"can_administer_channel_group": Listed([]int{person}, nil)}, person)
}

// PlaceGroup stores a group with these members and without permissions.
func (o *Organization) PlaceGroup(name string, members ...int) int {
	created := o.now().Unix()
	g := UserGroup{ID: o.Groups.NextID(), Name: name, DateCreated: &created, Members: sortedSet(members), Permissions: map[string]GroupValue{}}
	for _, p := range GroupPermissions {
		g.Permissions[p.Name] = Named(o.SystemGroup(Nobody))
	}
	o.Groups.Put(g.ID, g)
	return g.ID
}

// PlaceAccount stores a person without channels.
func (o *Organization) PlaceAccount(address, name string) int {
	return o.AddUser(User{Email: address, FullName: name, Role: RoleMember}).ID
}

// PlaceDirectMessage stores a direct message of now from one person to another.
func (o *Organization) PlaceDirectMessage(sender, to int) int {
	m := Message{
		ID: o.Messages.NextID(), SenderID: sender, People: sortedSet([]int{sender, to}), Content: "x", Sent: o.now().UTC(),
		Copies: map[int]Flags{sender: FlagRead, to: 0},
	}
	o.Messages.Put(m.ID, m)
	return m.ID
}

// AllowsTopics reports whether messages of a channel can have a topic.
func (o *Organization) AllowsTopics(channel int) bool {
	ch, _ := o.Channels.Get(channel)
	return o.topicsPolicy(ch) != TopicsOnlyEmpty
}

// Error is a refusal as the server words it (server-behavior §R9).
type Error struct {
	// Status is the HTTP status; 0 means 400, the most frequent one.
	Status int
	// Code is the machine-readable code; "" means BAD_REQUEST.
	Code string
	// Msg is the sentence for people.
	Msg string
	// Extra holds further fields of the answer.
	Extra map[string]any
}

func (e *Error) Error() string { return e.Msg }

// Refuse returns the common refusal: status 400, code BAD_REQUEST.
func Refuse(format string, args ...any) *Error {
	return &Error{Msg: fmt.Sprintf(format, args...)}
}

// Refusals that several kinds of objects share.
var (
	errInsufficientPermission = Refuse("Insufficient permission")
	errInvalidChannelID       = Refuse("Invalid channel ID")
	errNoSuchUser             = Refuse("No such user")
	errUserDeactivated        = Refuse("User is deactivated")
	errGroupDeactivated       = Refuse("User group is deactivated.")

	// ErrMustBeAdministrator and ErrMustBeOwner are the errors of role checks (server-behavior §R12). Their status is 400
	// although the code suggests another.
	ErrMustBeAdministrator = &Error{Code: "UNAUTHORIZED_PRINCIPAL", Msg: "Must be an organization administrator"}
	ErrMustBeOwner         = &Error{Code: "UNAUTHORIZED_PRINCIPAL", Msg: "Must be an organization owner"}
)

func channelExists(name string) *Error {
	return &Error{
		Status: http.StatusConflict,
		Code:   "CHANNEL_ALREADY_EXISTS",
		Msg:    fmt.Sprintf("Channel '%s' already exists", name),
		Extra:  map[string]any{"channel_name": name},
	}
}

// BadValue refuses a value outside a parameter's special set (server-behavior §R13).
func BadValue(name string, value any) *Error {
	return &Error{
		Code:  "REQUEST_VARIABLE_INVALID",
		Msg:   fmt.Sprintf("Bad value for '%s': %v", name, value),
		Extra: map[string]any{"var_name": name, "bad_value": value},
	}
}

// errConflict is the plain 500 of a real server after a violated constraint of its database (server-behavior §F3, §S11).
var errConflict = ErrUnstorable

// ErrUnstorable is the answer to a value that the database refuses to store.
var ErrUnstorable = &Error{Status: http.StatusInternalServerError, Msg: "Internal server error"}

// These are the largest numbers that a real server's database stores. A larger number is answered with errConflict
// (server-behavior §R25).
const maxInteger, maxSmallInteger = math.MaxInt32, math.MaxInt16
