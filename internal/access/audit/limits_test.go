package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// hostileFacts are an organization whose server gives everything a name of so many characters, and one thing the longest that
// servers take.
func hostileFacts(t *testing.T, length int) audit.Input {
	t.Helper()
	o := office(t)
	newChannel(t, o, strings.Repeat("é", 60), nil)
	view, err := store.New(o.Client, o.Self, 0, new(runstate.State)).Read(t.Context(), store.Channels, store.Subscribers, store.Domains, store.Bots)
	if err != nil {
		t.Fatal(err)
	}
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
	facts := audit.Input{Self: &self, Subscribers: map[int64][]int64{9000: {9000}}}
	facts.Invitations = []*zulip.Invitation{{ID: 1, Email: long("eve@"), InvitedAs: zulip.RoleOwner, InvitedByUserID: self.ID}}
	facts.View = view.With(func(of *snapshot.Facts) {
		for _, part := range []string{zulip.FetchChannels, zulip.FetchRealm, zulip.FetchUsers, zulip.FetchUserGroups, zulip.FetchDomains, zulip.FetchFolders, zulip.FetchDefaultGroups} {
			of.Take(read, part)
		}
	})
	return facts
}

// Names as no server takes them make neither an audit nor a comment large: they are cut to what servers take, as those of plans.
func TestAuditCutsGiganticNames(t *testing.T) {
	facts := hostileFacts(t, 100_000)
	found, err := audit.Of(facts, audit.Options{Site: "https://chat.example.com", Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := found.Write(&text); err != nil {
		t.Fatal(err)
	}
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
	if len(facts.View.Channels().List()[len(facts.View.Channels().List())-1].Name) < 100_000 {
		t.Error("the snapshot has changed")
	}
}
