package provider_test

import (
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// faulted is a resource that TestFaultResources creates while the plugin is killed.
type faulted struct {
	resource string
	lines    string // of its block x
	create   sandbox.Fault
	// held returns the number of such objects on the server.
	held func(*testing.T, *acctest.Organization) int
	// left is the number of objects that a killed plugin leaves behind, as the page of the resource says.
	left int
}

func faultedResources(picture string) []faulted {
	post := func(path string) sandbox.Fault { return sandbox.Fault{Method: "POST", Path: path} }
	return []faulted{
		{"zulip_linkifier", "pattern = \"#(?P<id>[0-9]+)\"\n  url_template = \"https://example.com/{id}\"", post("/realm/filters"),
			listed("realm_linkifiers", "realm_linkifiers", "url_template", "https://example.com/{id}"), 0},
		{"zulip_invitation", "email = \"tariq.aziz@example.com\"", post("/invites"), invitations, 0},
		{"zulip_invite_link", "expires_in_minutes = 1440\n  invite_as = \"guest\"", post("/invites/multiuse"), invitations, 1},
		{"zulip_user", "email = \"nadia.haddad@example.com\"\n  full_name = \"Nadia Haddad\"", post("/users"),
			listed("realm_user", "realm_users", "full_name", "Nadia Haddad"), 0},
		{"zulip_user_group", "name = \"platform\"\n  members = [\"kenji.sato@example.com\"]", post("/user_groups/create"),
			listed("realm_user_groups", "realm_user_groups", "name", "platform"), 0},
		{"zulip_user_group_membership", "group = \"sre\"\n  members = [\"kenji.sato@example.com\"]", post("/user_groups/*/members"),
			holding("realm_user_groups", "realm_user_groups", "sre", "members"), 0},
		{"zulip_channel_folder", "name = \"Incidents\"\n  description = \"What is broken\"", post("/channel_folders/create"),
			listed("channel_folders", "channel_folders", "name", "Incidents"), 0},
		{"zulip_channel_subscribers", "channel = \"leads\"\n  users = [\"ines.moreau@example.com\", \"tomas.berg@example.com\", \"amara.okafor@example.com\", \"kenji.sato@example.com\"]", post("/users/me/subscriptions"),
			holding("subscription", "subscriptions", "leads", "subscribers"), 0},
		{"zulip_role_members", "role = \"moderator\"\n  users = [\"amara.okafor@example.com\", \"kenji.sato@example.com\"]", sandbox.Fault{Method: "PATCH", Path: "/users/*"},
			holding("realm_user_groups", "realm_user_groups", "role:moderators", "members"), 0},
		{"zulip_code_playground", "name = \"Python\"\n  pygments_language = \"Python\"\n  url_template = \"https://python.example.com/?code={code}\"", post("/realm/playgrounds"),
			listed("realm_playgrounds", "realm_playgrounds", "name", "Python"), 0},
		{"zulip_domain", "domain = \"example.org\"", post("/realm/domains"), listed("realm_domains", "realm_domains", "domain", "example.org"), 0},
		{"zulip_custom_profile_field", "field_type = \"short_text\"\n  name = \"Team\"", post("/realm/profile_fields"),
			listed("custom_profile_fields", "custom_profile_fields", "name", "Team"), 0},
		{"zulip_custom_emoji", fmt.Sprintf("name = \"kudos\"\n  file = %q", picture), post("/realm/emoji/*"),
			listed("realm_emoji", "realm_emoji", "name", "kudos"), 0},
		{"zulip_default_channel_group", "name = \"Developers\"\n  description = \"What they read\"\n  channel_ids = []", post("/default_stream_groups/create"),
			listed("default_stream_groups", "realm_default_stream_groups", "name", "Developers"), 0},
		{"zulip_bot", "short_name = \"alerts\"\n  full_name = \"Alerts\"", post("/bots"), listed("realm_user", "realm_users", "full_name", "Alerts"), 0},
		{"zulip_organization_image", fmt.Sprintf("kind = \"logo\"\n  file = %q", picture), post("/realm/logo"), uploadedLogo, 0},
		{"zulip_organization", "description = \"What we do\"\n  can_create_groups = [\"role:moderators\"]", sandbox.Fault{Method: "PATCH", Path: "/realm"},
			described("What we do"), 0},
	}
}

// cachedLists are the resources in the server's cached lists, which can be older than its writes.
var cachedLists = []string{
	"zulip_linkifier", "zulip_custom_emoji", "zulip_code_playground", "zulip_domain", "zulip_custom_profile_field", "zulip_default_channel_group",
}

// uncachedLists are the resources whose lists the server reads from its database each time.
var uncachedLists = []string{
	"zulip_bot", "zulip_channel", "zulip_channel_folder", "zulip_draft", "zulip_invitation", "zulip_invite_link", "zulip_message", "zulip_reaction",
	"zulip_scheduled_message", "zulip_user", "zulip_user_group",
}

// once makes the provider retry soon, but not often.
const once = "provider \"zulip\" {\n  max_retries = 1\n}\n"

// fault is an event during the creation of a resource.
type fault struct {
	what string
	// try creates the resource with the fault in a trial, and checks the result.
	try func(*testing.T, faulted, *acctest.Trial)
}

// faults are the faults during the creation of a resource.
func (n faulted) faults() []fault {
	all := []fault{
		{"plugin killed after it", func(t *testing.T, n faulted, trial *acctest.Trial) {
			n.kill(t, trial)
			if count := n.held(t, trial.Organization); count != 1 {
				t.Errorf("the server was to hold one when the plugin was killed, and holds %d", count)
			}
			trial.ExpectObject(n.address(), func() int { return n.held(t, trial.Organization) - n.left })
			n.recover(t, trial)
		}},
	}
	if slices.Contains(named, n.resource) {
		all = append(all, fault{"plugin killed, recovered", func(t *testing.T, n faulted, trial *acctest.Trial) {
			n.kill(t, trial)
			trial.Setenv("ZULIP_RECOVER_INTERRUPTED", "true")
			trial.Succeeds() // adopts the object
			trial.Converges()
		}})
	}
	return all
}

// Each resource is created while the plugin is killed. After the next apply, exactly one object exists, and the state has
// it. Each resource meets one random fault, or with ZULIP_TEST_ALL=1 all of them. Laws try lost answers and failures.
func TestFaultResources(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "kudos.png")
	writePicture(t, picture)
	for _, n := range faultedResources(picture) {
		faults := n.faults()
		if os.Getenv("ZULIP_TEST_ALL") != "1" {
			chosen := rand.IntN(len(faults))
			faults = faults[chosen : chosen+1]
		}
		t.Run(n.resource, func(t *testing.T) {
			t.Parallel()
			for _, fault := range faults {
				t.Run(fault.what, func(t *testing.T) { fault.try(t, n, n.trial(t, fault.what)) })
			}
		})
	}
}

func (n faulted) address() string { return n.resource + ".x" }

func (n faulted) trial(t *testing.T, fault string) *acctest.Trial {
	t.Helper()
	trial := acctest.NewTrial(t, fault, "while a "+n.resource+" was made", sandbox.Config{})
	trial.SetConfig(fmt.Sprintf("%sresource %q \"x\" {\n  %s\n}\n", once, n.resource, n.lines))
	trial.ExpectObject(n.address(), func() int { return n.held(t, trial.Organization) })
	return trial
}

var importBlock = regexp.MustCompile(`import \{ to = zulip_[a-z_]+\.NAME [^}]*id = "([^"]+)" \}`)

// recover applies again. The object of a plugin that was killed may be refused once, if the message shows how to
// import it.
func (n faulted) recover(t *testing.T, trial *acctest.Trial) {
	t.Helper()
	if printed, ok := trial.Apply(); !ok {
		found := importBlock.FindStringSubmatch(printed)
		if found == nil {
			t.Fatalf("the apply failed, and does not say what to import:\n%s", printed)
		}
		trial.Must(t, "import", n.address(), found[1])
	}
	trial.Converges()
}

// kill kills the plugin after the server has created the object. The answer is lost, and the plugin's next request
// shows that it has noticed.
func (n faulted) kill(t *testing.T, trial *acctest.Trial) {
	t.Helper()
	lost := n.create
	lost.After, lost.Action = true, sandbox.FaultDrop
	heal := trial.Fail(lost)
	gate := trial.Sandbox.Gate("", "")
	running := trial.Start(t, "apply", "-auto-approve")
	for made := false; ; {
		held := <-gate.Arrived
		if made {
			break
		}
		made = held.Request.Method == n.create.Method && matches(n.create.Path, held.Request.Path)
		held.Release()
	}
	running.KillPlugin(t)
	trial.Refused(running) // in the words of the CLI, which has lost its plugin
	heal()
	gate.Open()
}

// matches reports whether a path matches a pattern, in which a star is one segment.
func matches(pattern, path string) bool {
	matched, err := filepath.Match(pattern, path)
	return err == nil && matched
}

// snapshot reads one field of the organization.
func snapshot(t *testing.T, org *acctest.Organization, part, field string) (objects []map[string]any) {
	t.Helper()
	answer := org.Call(t, "POST", "/register", map[string]string{
		"event_types": "[]", "fetch_event_types": fmt.Sprintf("[%q]", part), "include_subscribers": "true",
		"client_capabilities": `{"notification_settings_null":true,"linkifier_url_template":true}`,
	})
	list, _ := answer[field].([]any)
	if byID, ok := answer[field].(map[string]any); ok {
		for _, object := range byID {
			list = append(list, object)
		}
	}
	for _, object := range list {
		objects = append(objects, object.(map[string]any))
	}
	return objects
}

// listed counts the active objects in one field of a snapshot that have a certain value.
func listed(part, field, key, value string) func(*testing.T, *acctest.Organization) int {
	return func(t *testing.T, org *acctest.Organization) (count int) {
		for _, object := range snapshot(t, org, part, field) {
			if object[key] == value && object["deactivated"] != true && object["is_archived"] != true && object["is_active"] != false {
				count++
			}
		}
		return count
	}
}

// holding counts the lists of people in the snapshot that contain the configured one.
func holding(part, field, name, people string) func(*testing.T, *acctest.Organization) int {
	return func(t *testing.T, org *acctest.Organization) (count int) {
		member, _ := org.Sandbox.Credentials("member2")
		for _, object := range snapshot(t, org, part, field) {
			if list, _ := object[people].([]any); object["name"] == name && slices.Contains(list, any(float64(member.ID))) {
				count++
			}
		}
		return count
	}
}

// described returns a count of one if the organization has a certain description, which exists only once.
func described(text string) func(*testing.T, *acctest.Organization) int {
	return func(t *testing.T, org *acctest.Organization) int {
		answer := org.Call(t, "POST", "/register", map[string]string{
			"event_types": "[]", "fetch_event_types": `["realm"]`, "client_capabilities": `{"notification_settings_null":true}`,
		})
		if answer["realm_description"] == text {
			return 1
		}
		return 0
	}
}

// uploadedLogo returns one if the organization has uploaded a logo, which exists only once.
func uploadedLogo(t *testing.T, org *acctest.Organization) int {
	answer, err := org.Client.Register(t.Context(), []string{zulip.FetchRealm})
	requireNoError(t, err)
	if answer.Realm.Image(zulip.LogoImage).IsUploaded {
		return 1
	}
	return 0
}

func invitations(t *testing.T, org *acctest.Organization) int {
	list, _ := org.Call(t, "GET", "/invites", nil)["invites"].([]any)
	return len(list)
}

func writePicture(t *testing.T, path string) {
	t.Helper()
	writePictureOf(t, path, 8)
}

func writePictureOf(t *testing.T, path string, size int) {
	t.Helper()
	file, err := os.Create(path)
	requireNoError(t, err)
	requireNoError(t, png.Encode(file, image.NewGray(image.Rect(0, 0, size, size))))
	requireNoError(t, file.Close())
}
