package sandbox

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// View looks at what a server holds, in words, without going through the API.
type View struct{ s *Server }

// Organization returns a view of what the server holds. Each of its methods
// sees the state between two requests.
func (s *Server) Organization() View { return View{s} }

// ChannelView is a channel in words.
type ChannelView struct {
	ID            int
	Name          string
	Description   string
	Private       bool
	WebPublic     bool
	SharedHistory bool
	Archived      bool
	Default       bool
	RetentionDays *int // nil: as the organization; -1: unlimited
	TopicsPolicy  string
	DefaultPush   bool
	Folder        string              // name; "": none
	Creator       string              // e-mail; "": unknown
	Subscribers   []string            // e-mails of active people, sorted
	Permissions   map[string][]string // setting → principals, see GroupView
}

// GroupView is a user group in words. Principals are role:NAME, group:NAME and
// user:EMAIL (the real address), sorted; deactivated people are among them, as
// the server keeps them.
type GroupView struct {
	ID          int
	Name        string
	Description string
	System      bool
	Deactivated bool
	Members     []string // e-mails of active people, sorted
	Subgroups   []string // names, sorted
	Permissions map[string][]string
}

// PersonView is a person or bot in words.
type PersonView struct {
	ID       int
	Email    string // the real address
	FullName string
	Role     int
	Active   bool
	Deleted  bool
	IsBot    bool
	Owner    string // of a bot: e-mail
}

// Channel returns a channel, archived or not, by its name in any case.
func (v View) Channel(name string) (ChannelView, bool) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	ch, ok := v.s.org.ChannelByName(name)
	return v.channel(ch), ok
}

// Channels returns every channel, archived ones too, by id.
func (v View) Channels() []ChannelView {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	var all []ChannelView
	for _, ch := range v.s.org.Channels.All() {
		all = append(all, v.channel(ch))
	}
	return all
}

// Group returns a user group by its exact name.
func (v View) Group(name string) (GroupView, bool) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	g, ok := v.s.org.GroupByName(name)
	return v.group(g), ok
}

// Groups returns every user group, system groups too, by id.
func (v View) Groups() []GroupView {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	var all []GroupView
	for _, g := range v.s.org.Groups.All() {
		all = append(all, v.group(g))
	}
	return all
}

// Person returns a person or bot by the real address.
func (v View) Person(email string) (PersonView, bool) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	u, ok := v.s.org.UserByEmail(email)
	return v.person(u), ok
}

// Settings returns the personal settings of a person by the real address.
func (v View) Settings(email string) map[string]any {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	u, _ := v.s.org.UserByEmail(email)
	settings := map[string]any{}
	for _, s := range rules.UserSettings {
		settings[s.Name] = v.s.org.UserSetting(u.ID, s)
	}
	return settings
}

// People returns every person and bot by id.
func (v View) People() []PersonView {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	var all []PersonView
	for _, u := range v.s.org.Users.All() {
		all = append(all, v.person(u))
	}
	return all
}

// Permissions returns the organization-wide rights in words.
func (v View) Permissions() map[string][]string {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	return v.permissions(v.s.org.Settings().Permissions)
}

// Read lets a test look at the rules' own tables between two requests. f must
// not change them.
func (v View) Read(f func(*rules.Organization)) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	f(v.s.org)
}

func (v View) channel(ch rules.Channel) ChannelView {
	o := v.s.org
	view := ChannelView{
		ID: ch.ID, Name: ch.Name, Description: ch.Description,
		Private: ch.Private, WebPublic: ch.WebPublic, SharedHistory: ch.SharedHistory,
		Archived: ch.Archived, Default: o.IsDefault(ch.ID),
		RetentionDays: ch.RetentionDays, TopicsPolicy: ch.TopicsPolicy, DefaultPush: ch.DefaultPush,
		Subscribers: v.emails(o.Subscribers(ch.ID)),
		Permissions: v.permissions(ch.Permissions),
	}
	if ch.FolderID != nil {
		folder, _ := o.Folders.Get(*ch.FolderID)
		view.Folder = folder.Name
	}
	if ch.CreatorID != nil {
		creator, _ := o.Users.Get(*ch.CreatorID)
		view.Creator = creator.Email
	}
	return view
}

func (v View) group(g rules.UserGroup) GroupView {
	view := GroupView{
		ID: g.ID, Name: g.Name, Description: g.Description, System: g.System, Deactivated: g.Deactivated,
		Permissions: v.permissions(g.Permissions),
	}
	if g.ID == 0 {
		return view
	}
	view.Members = v.emails(v.s.org.DirectMembers(g))
	for _, id := range g.Subgroups {
		sub, _ := v.s.org.Groups.Get(id)
		view.Subgroups = append(view.Subgroups, sub.Name)
	}
	slices.Sort(view.Subgroups)
	return view
}

func (v View) person(u rules.User) PersonView {
	owner, _ := v.s.org.Users.Get(u.BotOwnerID)
	return PersonView{u.ID, u.Email, u.FullName, u.Role, u.Active, u.Deleted, u.IsBot, owner.Email}
}

func (v View) permissions(values map[string]rules.GroupValue) map[string][]string {
	words := map[string][]string{}
	for name, value := range values {
		words[name] = v.principals(value)
	}
	return words
}

func (v View) principals(value rules.GroupValue) []string {
	groups := value.Subgroups
	if value.Group != 0 {
		groups = []int{value.Group}
	}
	principals := []string{}
	for _, id := range groups {
		g, _ := v.s.org.Groups.Get(id)
		if g.System {
			principals = append(principals, g.Name) // it starts with role: already
		} else {
			principals = append(principals, "group:"+g.Name)
		}
	}
	for _, id := range value.Members {
		u, _ := v.s.org.Users.Get(id)
		principals = append(principals, "user:"+u.Email)
	}
	slices.Sort(principals)
	return principals
}

func (v View) emails(ids []int) []string {
	emails := []string{}
	for _, id := range ids {
		u, _ := v.s.org.Users.Get(id)
		emails = append(emails, u.Email)
	}
	slices.Sort(emails)
	return emails
}
