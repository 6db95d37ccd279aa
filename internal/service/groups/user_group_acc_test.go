package groups_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// oldAndNew are two groups, and a channel and a group that name the first.
const oldAndNew = `
resource "zulip_user_group" "old" {
  name = "old"
  LIFECYCLE
}
resource "zulip_user_group" "new" {
  name = "new"
}
resource "zulip_user_group" "above" {
  name              = "above"
  subgroups         = [NAME]
  can_mention_group = ["group:${NAME}"]
}
resource "zulip_channel" "news" {
  name                   = "news"
  can_send_message_group = ["role:moderators", "group:${NAME}"]
}
`

// onlyNew is the same without the first group.
func onlyNew(name string) string {
	_, rest, _ := strings.Cut(oldAndNew, "\n}\n")
	return strings.ReplaceAll(rest, "NAME", name)
}

func oldNamed(name, lifecycle string) string {
	return strings.NewReplacer("NAME", name, "LIFECYCLE", lifecycle).Replace(oldAndNew)
}

// A group is destroyed in the apply that removes its name from permissions and groups. Terraform does both
// concurrently, destroys the group first, or changes the others first with create_before_destroy.
func TestAccSandboxGroup_UsesRemoved_Deactivated(t *testing.T) {
	for name, test := range map[string]struct{ lifecycle, old, new string }{
		"named as text":         {"", `"old"`, `"new"`},
		"destroyed first":       {"", "zulip_user_group.old.name", "zulip_user_group.new.name"},
		"create before destroy": {"lifecycle {\n create_before_destroy = true\n }", "zulip_user_group.old.name", "zulip_user_group.new.name"},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			w := acctest.NewWorkspace(t)
			w.Configure(t, "resource \"zulip_user_group\" \"old\" {\n  name = \"old\"\n"+test.lifecycle+"\n}\nresource \"zulip_user_group\" \"new\" {\n  name = \"new\"\n}")
			w.Must(t, "apply", "-auto-approve")
			w.Configure(t, oldNamed(test.old, test.lifecycle))
			w.Must(t, "apply", "-auto-approve")
			w.Configure(t, onlyNew(test.new))
			w.Must(t, "plan", "-out=plan") // the file carries the places that the plan lists
			w.Must(t, "apply", "plan")
			w.Must(t, "plan", "-detailed-exitcode")
			if !group(t, o, "old").Deactivated {
				t.Error("the group is still active")
			}
			holds(t, o, "above", nil, []string{"new"})
		})
	}
}

// beforeMerge has two groups, and forty channels that name them in four ways.
const beforeMerge = `
resource "zulip_user_group" "ops" {
  name = "ops"
}

resource "zulip_user_group_membership" "ops" {
  group   = zulip_user_group.ops.name
  members = ["lena.fischer@example.com", "amara.okafor@example.com"]
}

resource "zulip_user_group" "net" {
  name    = "net"
  members = ["kenji.sato@example.com"]
}

resource "zulip_channel" "c" {
  count = 40
  name  = "c${count.index}"

  can_send_message_group       = ["group:${count.index % 4 == 1 ? zulip_user_group.net.name : zulip_user_group.ops.name}"]
  can_add_subscribers_group    = count.index % 4 == 2 ? ["group:${zulip_user_group.ops.name}", "group:${zulip_user_group.net.name}"] : ["group:${zulip_user_group.ops.name}"]
  can_administer_channel_group = ["user:ines.moreau@example.com", "group:${zulip_user_group.net.name}"]
}
`

// afterMerge is the first group renamed, a part of it split off, and the second merged into it. Members leave the
// renamed group before channels start to name it, and join it after channels have stopped.
const afterMerge = `
resource "zulip_user_group" "ops" {
  name = "platform"
}

resource "zulip_user_group_membership" "ops" {
  group   = zulip_user_group.ops.name
  members = ["lena.fischer@example.com"]
}

resource "zulip_user_group_membership" "merged" {
  group      = zulip_user_group.ops.name
  members    = ["kenji.sato@example.com"]
  depends_on = [zulip_channel.c]
}

resource "zulip_user_group" "oncall" {
  name    = "oncall"
  members = ["amara.okafor@example.com"]
}

resource "zulip_channel" "c" {
  count = 40
  name  = "c${count.index}"

  depends_on = [zulip_user_group_membership.ops] # who leaves the group has left it when channels begin to name it

  can_send_message_group       = ["group:${zulip_user_group.ops.name}"]
  can_add_subscribers_group    = ["group:${zulip_user_group.oncall.name}"]
  can_administer_channel_group = count.index % 4 == 3 ? ["user:ines.moreau@example.com"] : ["user:ines.moreau@example.com", "group:${zulip_user_group.ops.name}"]
}
`

// TestAccSandboxGroupRenamedSplitAndMerged does all three in one apply while forty channels name the groups. The
// journal has every request. At no time does a user have a permission without being in the value before or the value after.
func TestAccSandboxGroupRenamedSplitAndMerged(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Configure(t, beforeMerge)
	w.Must(t, "apply", "-auto-approve")
	before := snapshot(t, o)
	now := snapshot(t, o)

	sent := o.Sent()
	w.Configure(t, afterMerge)
	w.Must(t, "apply", "-auto-approve")
	writes := sent.Writes()
	after := snapshot(t, o)
	for _, write := range writes {
		now.replay(t, write, after)
		for channel, permissions := range now.channels {
			for setting, value := range permissions {
				for _, user := range now.admitted(value) {
					if !slices.Contains(before.admitted(before.channels[channel][setting]), user) && !slices.Contains(after.admitted(after.channels[channel][setting]), user) {
						t.Errorf("after %s %s %v: user %d had %s in channel %d", write.Method, write.Path, write.Params, user, setting, channel)
					}
				}
			}
		}
	}
	if len(writes) < 40 || !reflect.DeepEqual(now.channels, after.channels) || !reflect.DeepEqual(now.groups, after.groups) {
		t.Errorf("the %d requests do not lead to what the server holds", len(writes))
	}
	w.Must(t, "plan", "-detailed-exitcode") // one apply makes all changes
	holds(t, o, "platform", []string{lena, kenji}, nil)
	holds(t, o, "oncall", []string{amara}, nil)
	if !group(t, o, "net").Deactivated {
		t.Error("the merged group is still active")
	}
	w.Must(t, "destroy", "-auto-approve")
}

// membersAndPermissions are the members of each group, and the groups and people in each channel's permissions.
type membersAndPermissions struct {
	groups   map[int64]*membership
	channels map[int64]map[string]zulip.GroupSettingValue
	names    map[string]int64
}

type membership struct{ people, groups []int64 }

func snapshot(t *testing.T, o *acctest.Organization) *membersAndPermissions {
	t.Helper()
	read, err := o.Client.Register(t.Context(), []string{zulip.FetchUserGroups, zulip.FetchChannels})
	acctest.NoError(t, err)
	r := &membersAndPermissions{map[int64]*membership{}, map[int64]map[string]zulip.GroupSettingValue{}, map[string]int64{}}
	for _, group := range read.UserGroups {
		r.groups[group.ID] = &membership{group.Members, group.DirectSubgroupIDs}
		r.names[group.Name] = group.ID
	}
	for _, channel := range read.Channels {
		r.channels[channel.ID] = maps.Clone(channel.Permissions)
	}
	return r
}

// admitted returns all people in a value.
func (r *membersAndPermissions) admitted(value zulip.GroupSettingValue) []int64 {
	people := slices.Clone(value.DirectMembers)
	for queue := append(slices.Clone(value.DirectSubgroups), value.Group); len(queue) > 0; queue = queue[1:] {
		if group, ok := r.groups[queue[0]]; ok {
			people, queue = append(people, group.people...), append(queue, group.groups...)
		}
	}
	return people
}

// replay makes the change of a request to the permissions. after has the ID of a new group.
func (r *membersAndPermissions) replay(t *testing.T, request sandbox.Request, after *membersAndPermissions) {
	t.Helper()
	var kind, rest string
	var number int64
	switch {
	case request.Path == "/user_groups/create":
		r.groups[after.names[request.Params["name"]]] = &membership{numbers(t, request.Params["members"]), []int64{}}
		return
	case strings.HasSuffix(request.Path, "/deactivate"):
		return // remaining members could only make the test stricter
	}
	if _, err := fmt.Sscanf(strings.ReplaceAll(request.Path, "/", " "), "%s %d %s", &kind, &number, &rest); err != nil && kind == "" {
		t.Fatalf("%s: %v", request.Path, err)
	}
	switch {
	case kind == "user_groups" && rest == "members":
		group := r.groups[number]
		add, gone := numbers(t, request.Params["add"]), numbers(t, request.Params["delete"])
		group.people = slices.DeleteFunc(append(slices.Clone(group.people), add...), func(id int64) bool { return slices.Contains(gone, id) })
		slices.Sort(group.people)
	case kind == "streams" && request.Method == http.MethodPatch:
		for name, data := range request.Params {
			var change zulip.GroupSettingChange
			acctest.NoError(t, json.Unmarshal([]byte(data), &change))
			r.channels[number][name] = change.New
		}
	case kind != "user_groups":
		t.Fatalf("what does %s %s do?", request.Method, request.Path)
	}
}

func numbers(t *testing.T, text string) []int64 {
	t.Helper()
	all := []int64{}
	if text != "" {
		acctest.NoError(t, json.Unmarshal([]byte(text), &all))
	}
	return all
}

// A group's members replace a membership that is removed from the state.
func TestAccUserGroupSandbox_MembershipForgotten_Kept(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Configure(t, `
resource "zulip_user_group" "ops" {
  name = "ops"
}

resource "zulip_user_group_membership" "ops" {
  group   = zulip_user_group.ops.name
  members = ["lena.fischer@example.com", "kenji.sato@example.com"]
}
`)
	w.Must(t, "apply", "-auto-approve")
	const exclusive = `
resource "zulip_user_group" "ops" {
  name    = "ops"
  members = ["lena.fischer@example.com", "kenji.sato@example.com"]
}
`
	w.Configure(t, exclusive)
	if printed, ok := w.Run(t, "plan"); ok || !strings.Contains(printed, "may be lost") {
		t.Errorf("planned:\n%s", printed)
	}
	w.Configure(t, exclusive+`
removed {
  from = zulip_user_group_membership.ops
  lifecycle {
    destroy = false
  }
}
`)
	sent := o.Sent()
	w.Must(t, "apply", "-auto-approve")
	sent.Expect(t)
	holds(t, o, "ops", []string{lena, kenji}, nil)
}
