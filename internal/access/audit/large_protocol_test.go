package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// large is an organization with this many people and channels, as it was read. Every fourth channel is private, with
// its own permissions and subscribers, and the groups are nested.
func large(people, channels int) access.Read {
	facts := zulip.RegisterAnswer{Realm: &zulip.Realm{Permissions: map[string]zulip.GroupSettingValue{}}, Subscribers: map[int64][]int64{}}
	byRole := map[zulip.Role][]int64{}
	for i := range people {
		user := &zulip.User{ID: int64(i + 1), Email: fmt.Sprintf("person%d@example.com", i), FullName: fmt.Sprint("Person ", i), Role: zulip.RoleMember, IsActive: true}
		switch {
		case i == 0:
			user.Role = zulip.RoleOwner
		case i%50 == 0:
			user.Role = zulip.RoleModerator
		case i%10 == 0:
			user.Role = zulip.RoleGuest
		}
		facts.Users, byRole[user.Role] = append(facts.Users, user), append(byRole[user.Role], user.ID)
	}
	const nobody, owners, moderators, members, everyone, teams = 1, 2, 3, 4, 5, 100
	facts.UserGroups = []*zulip.UserGroup{
		{ID: nobody, Name: "role:nobody", IsSystemGroup: true}, {ID: owners, Name: "role:owners", IsSystemGroup: true, Members: byRole[zulip.RoleOwner]},
		{ID: moderators, Name: "role:moderators", IsSystemGroup: true, Members: byRole[zulip.RoleModerator], DirectSubgroupIDs: []int64{owners}},
		{ID: members, Name: "role:members", IsSystemGroup: true, Members: byRole[zulip.RoleMember], DirectSubgroupIDs: []int64{moderators}},
		{ID: everyone, Name: "role:everyone", IsSystemGroup: true, Members: byRole[zulip.RoleGuest], DirectSubgroupIDs: []int64{members}},
	}
	for i := range 200 {
		group := &zulip.UserGroup{ID: int64(teams + i), Name: fmt.Sprint("team-", i), Permissions: map[string]zulip.GroupSettingValue{}}
		for j := range 25 {
			group.Members = append(group.Members, int64((i*25+j)%people+1))
		}
		if i%2 == 1 {
			group.DirectSubgroupIDs = []int64{group.ID - 1}
		}
		facts.UserGroups = append(facts.UserGroups, group)
	}
	for _, setting := range []string{"can_add_subscribers_group", "can_move_messages_between_channels_group", "can_resolve_topics_group"} {
		facts.Realm.Permissions[setting] = zulip.NamedGroup(members)
	}
	for i := range channels {
		channel := &zulip.Channel{ID: int64(i + 1), Name: fmt.Sprint("room ", i), HistoryPublicToSubscribers: true, Permissions: map[string]zulip.GroupSettingValue{}}
		for _, setting := range []string{
			"can_add_subscribers_group", "can_delete_any_message_group", "can_delete_own_message_group", "can_move_messages_out_of_channel_group",
			"can_move_messages_within_channel_group", "can_subscribe_group", "can_resolve_topics_group", "can_remove_subscribers_group",
		} {
			channel.Permissions[setting] = zulip.NamedGroup(nobody)
		}
		team := zulip.NamedGroup(int64(teams + i%200))
		channel.Permissions["can_administer_channel_group"] = team
		channel.Permissions["can_send_message_group"] = zulip.GroupSettingValue{DirectMembers: []int64{int64(i%people + 1)}, DirectSubgroups: []int64{members}}
		channel.Permissions["can_create_topic_group"] = zulip.NamedGroup(everyone)
		if i%4 == 0 {
			channel.InviteOnly = true
			channel.Permissions["can_subscribe_group"] = team
		}
		for j := range 40 + i%200 {
			facts.Subscribers[channel.ID] = append(facts.Subscribers[channel.ID], int64((i*7+j)%people+1))
		}
		facts.Channels = append(facts.Channels, channel)
	}
	var parts snapshot.Facts
	for _, part := range []string{zulip.FetchRealm, zulip.FetchUserGroups, zulip.FetchUsers, zulip.FetchChannels, zulip.FetchSubscribers} {
		parts.Take(&facts, part)
	}
	return access.Read{View: snapshot.New(parts, new(runstate.State)), Self: facts.Users[0], Subscribers: facts.Subscribers}
}

// An audit of 2,000 channels and 5,000 people takes seconds, and so does a comparison. Without ZULIP_TEST_ALL=1 the
// test takes an eighth of them.
func TestProtocolAudit_LargeOrganization_Fast(t *testing.T) {
	people, channels := acctest.Number(5000, 5000/8), acctest.Number(2000, 2000/8)
	facts := large(people, channels)
	begin := time.Now()
	a, err := audit.Of(facts, audit.Options{})
	acctest.NoError(t, err)
	made := time.Since(begin)
	var text bytes.Buffer
	acctest.NoError(t, a.Write(&text))
	written := time.Since(begin) - made
	size := text.Len()
	begin = time.Now()
	read, err := audit.Read(text.Bytes())
	acctest.NoError(t, err)
	if changes, err := audit.Compare(read, a); err != nil || len(changes.Channels) > 0 {
		t.Fatalf("%v: of %d channels something has changed", err, len(changes.Channels))
	}
	compared := time.Since(begin)
	begin = time.Now()
	comment := markdownOf(t, a)
	commented := time.Since(begin)
	var html bytes.Buffer
	acctest.NoError(t, page.WriteAudit(&html, a))
	t.Logf("made in %s, written in %s (%d kB, %d sets), read and compared in %s, as Markdown in %s, as a page in %s (%d kB)",
		made, written, size/1000, len(a.Sets), compared, commented, time.Since(begin)-commented, html.Len()/1000)
	if made > time.Minute || len(comment) > markdown.MaxLength {
		t.Errorf("it took %s, and the Markdown has %d bytes", made, len(comment))
	}
	if size > 5_000_000 {
		t.Errorf("the JSON form has %d bytes", size)
	}
	if html.Len() > 5_000_000 || html.Len() > size {
		t.Errorf("the page has %d bytes, the JSON form %d", html.Len(), size)
	}
}

func BenchmarkAudit_LargeOrganization(b *testing.B) {
	facts := large(5000, 2000)
	for b.Loop() {
		if _, err := audit.Of(facts, audit.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// The time to make, write, read and compare an audit grows linearly with the channels and the people.
func TestProtocolAudit_LargeOrganization_Linear(t *testing.T) {
	for name, facts := range map[string]func(number int) access.Read{
		"channels": func(number int) access.Read { return large(250, number) },
		"people":   func(number int) access.Read { return large(number, 100) },
	} {
		for step, do := range map[string]func(t *testing.T, a *audit.Audit){
			"make":     func(*testing.T, *audit.Audit) {},
			"JSON":     func(t *testing.T, a *audit.Audit) { reread(t, a) },
			"compare":  func(t *testing.T, a *audit.Audit) { compare(t, a, a) },
			"markdown": func(t *testing.T, a *audit.Audit) { expectWritten(t, markdown.WriteAudit(io.Discard, a)) },
			"page":     func(t *testing.T, a *audit.Audit) { expectWritten(t, page.WriteAudit(new(bytes.Buffer), a)) },
		} {
			t.Run(name+"/"+step, func(t *testing.T) {
				acctest.ExpectLinear(t, 120, func(number int) func() {
					input := facts(number)
					made, err := audit.Of(input, audit.Options{})
					acctest.NoError(t, err)
					if step != "make" {
						return func() { do(t, made) }
					}
					return func() {
						_, err := audit.Of(input, audit.Options{})
						expectWritten(t, err)
					}
				})
			})
		}
	}
}

func expectWritten(t *testing.T, err error) {
	t.Helper()
	acctest.NoError(t, err)
}

// hostileFacts are an organization whose server gives everything a name of this many characters, and one thing the
// longest name that servers accept.
func hostileFacts(t *testing.T, length int) access.Read {
	t.Helper()
	o := office(t)
	newChannel(t, o, strings.Repeat("é", 60), nil)
	view, err := store.New(o.Client, o.Self, 0, new(runstate.State)).Read(t.Context(), store.Channels, store.Subscribers, store.Domains, store.Bots)
	acctest.NoError(t, err)
	long := func(name string) string { return name + strings.Repeat("n", length) }
	self := *o.Self
	read := &zulip.RegisterAnswer{Channels: slices.Clone(view.Channels().List()), Realm: view.Realm(), Subscribers: view.Subscribers()}
	read.Users = append(slices.Clone(view.Users()), &zulip.User{ID: 9000, FullName: long("Mallory"), Email: long("mallory@"), Role: zulip.RoleGuest, IsActive: true})
	read.UserGroups = slices.Clone(view.UserGroups().List())
	read.Realm.Settings["name"] = json.RawMessage(`"` + long("Works") + `"`)
	read.Realm.Settings["emails_restricted_to_domains"], read.Realm.Settings["invite_required"] = json.RawMessage("true"), json.RawMessage("false")
	for i := range int64(20) {
		group := &zulip.UserGroup{ID: 9000 + i, Name: long(fmt.Sprint("group", i)), Members: []int64{9000}, Permissions: map[string]zulip.GroupSettingValue{"can_manage_group": zulip.NamedGroup(9000 + i)}}
		read.UserGroups = append(read.UserGroups, group)
		read.Channels = append(read.Channels, &zulip.Channel{
			ID: 9000 + i, Name: long(fmt.Sprint("channel", i)), InviteOnly: true,
			Permissions: map[string]zulip.GroupSettingValue{"can_send_message_group": {DirectMembers: []int64{9000}, DirectSubgroups: []int64{9000 + i}}},
		})
		read.Domains = append(read.Domains, &zulip.Domain{Domain: long(fmt.Sprint("domain", i))})
		read.Folders = append(read.Folders, &zulip.ChannelFolder{ID: 9000 + i, Name: long(fmt.Sprint("folder", i))})
		read.DefaultGroups = append(read.DefaultGroups, &zulip.DefaultChannelGroup{ID: 9000 + i, Name: long(fmt.Sprint("defaults", i))})
		read.Channels[len(read.Channels)-1].FolderID = &read.Folders[i].ID
	}
	facts := access.Read{Self: &self, Subscribers: map[int64][]int64{9000: {9000}}}
	facts.Invitations = []*zulip.Invitation{{ID: 1, Email: long("eve@"), InvitedAs: zulip.RoleOwner, InvitedByUserID: self.ID}}
	facts.View = view.With(func(of *snapshot.Facts) {
		for _, part := range []string{zulip.FetchChannels, zulip.FetchRealm, zulip.FetchUsers, zulip.FetchUserGroups, zulip.FetchDomains, zulip.FetchFolders, zulip.FetchDefaultGroups} {
			of.Take(read, part)
		}
	})
	return facts
}

// Names longer than servers accept don't make an audit or a comment large: they are cut to that length, like the names
// of plans.
func TestAudit_GiganticNames_Truncated(t *testing.T) {
	facts := hostileFacts(t, 20_000)
	found, err := audit.Of(facts, audit.Options{Site: "https://chat.example.com", Now: time.Now()})
	acctest.NoError(t, err)
	var text bytes.Buffer
	acctest.NoError(t, found.Write(&text))
	text.WriteString(markdownOf(t, found))
	if text.Len() > 1_000_000 || strings.Contains(text.String(), strings.Repeat("n", 400)) {
		t.Errorf("the audit has %d bytes", text.Len())
	}
	for _, want := range []string{
		"channel0" + strings.Repeat("n", 60-len("channel0")) + "…", "group0" + strings.Repeat("n", 100-len("group0")) + "…",
		"Mallory" + strings.Repeat("n", 100-len("Mallory")) + "…", "mallory@" + strings.Repeat("n", 300-len("mallory@")) + "…",
		"Works" + strings.Repeat("n", 100-len("Works")) + "…", "eve@" + strings.Repeat("n", 300-len("eve@")) + "…", "domain0" + strings.Repeat("n", 300-len("domain0")) + "…",
		`"` + strings.Repeat("é", 60) + `"`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("it does not hold %.80q", want)
		}
	}
	if len(facts.View.Channels().List()[len(facts.View.Channels().List())-1].Name) < 20_000 {
		t.Error("the snapshot has changed")
	}
}
