package channels_test

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// plan saves a plan, and returns the argument that applies it.
func plan(t *testing.T, trial *acctest.Trial) string {
	t.Helper()
	trial.Must(t, "plan", "-out=saved.tfplan")
	return "saved.tfplan"
}

// TestFaultChannelConcurrentChange: two people apply at once, to the same channel. Both have compared what they saw with what
// is there; the server takes the first, and the second is told.
func TestFaultChannelConcurrentChange(t *testing.T) {
	trial := acctest.NewTrial(t, "two applies at once", "both change who may post", sandbox.Config{})
	name := trial.Prefix + "both"
	config := func(role string) string {
		return block("c", name, fmt.Sprintf("can_send_message_group = [\"role:%s\"]", role))
	}
	trial.Given(config("members"), name)
	second := trial.Second()
	second.Configure(t, config("moderators"))
	second.Must(t, "import", c, name)

	gate := trial.Sandbox.Gate(http.MethodPatch, updatePath)
	trial.Want(config("administrators"), name)
	theirs := second.Start(t, "apply", "-auto-approve")
	first := <-gate.Arrived
	ours := trial.Start(t, "apply", "-auto-approve")
	other := <-gate.Arrived
	first.Release()
	if printed, ok := theirs.Wait(t); !ok {
		t.Errorf("the first apply failed: %s", printed)
	}
	other.Release()
	gate.Open()
	trial.Refused(ours, "was changed by somebody else after it was planned", `when the plan was made: "role:members" now: "role:moderators" the configuration asks for: "role:administrators"`, "Plan again")
	trial.Converges()
}

// TestFaultChannelConcurrentCreate: two people create the same channel at once. There is one; the second is told how to manage
// it, and that is all it takes.
func TestFaultChannelConcurrentCreate(t *testing.T) {
	trial := acctest.NewTrial(t, "two applies at once", "both create the channel", sandbox.Config{})
	name := trial.Prefix + "both"
	config := block("c", name, `description = "Ours"`)
	trial.Want(config, name)
	second := trial.Second()
	second.Configure(t, config)

	gate := trial.Sandbox.Gate(http.MethodPost, createChannelPath)
	theirs := second.Start(t, "apply", "-auto-approve")
	first := <-gate.Arrived
	ours := trial.Start(t, "apply", "-auto-approve")
	other := <-gate.Arrived
	first.Release()
	if printed, ok := theirs.Wait(t); !ok {
		t.Errorf("the first apply failed: %s", printed)
	}
	other.Release()
	gate.Open()
	id := fmt.Sprint(trial.MustChannel(t, name).ID)
	trial.Refused(ours, fmt.Sprintf("A channel with the name %q already exists", name), "import it:", fmt.Sprintf("id = %q", id))
	trial.Must(t, "import", c, id)
	trial.Converges()
}

// TestFaultChannelStalePlan: a saved plan is applied after the channel was changed by hand.
func TestFaultChannelStalePlan(t *testing.T) {
	trial := acctest.NewTrial(t, "stale saved plan", "the description was changed by hand", sandbox.Config{})
	name, theirs := trial.Prefix+"stale", "Theirs"
	trial.Given(block("c", name, `description = "One"`, `can_send_message_group = ["role:members"]`), name)
	trial.Want(block("c", name, `description = "Two"`, `can_send_message_group = ["role:moderators"]`), name)
	saved := plan(t, trial)
	trial.Change(t, name, zulip.ChannelUpdate{Description: &theirs})
	trial.Fails([]string{"was changed by somebody else", `when the plan was made: "One" now: "Theirs" the configuration asks for: "Two"`, "Nothing was overwritten."}, saved)
	if view, _ := trial.Sandbox.Organization().Channel(name); view.Description != theirs || fmt.Sprint(view.Permissions["can_send_message_group"]) != "[role:members]" {
		t.Errorf("something was written: %q, %v", view.Description, view.Permissions["can_send_message_group"])
	}
	trial.Converges()
}

// TestFaultChannelStalePlanOfWhatWasNotManaged: a saved plan manages what the state has never had, and it is changed by hand before the
// apply. The CLI hands the apply nothing of the plan but the state that was refreshed for it.
func TestFaultChannelStalePlanOfWhatWasNotManaged(t *testing.T) {
	trial := acctest.NewTrial(t, "stale saved plan", "what was not managed was changed by hand", sandbox.Config{})
	name, theirs := trial.Prefix+"stale", "Theirs"
	trial.Given(block("c", name), name)
	members := zulip.NamedGroup(trial.SystemGroup(t, "role:members"))
	trial.Change(t, name, permit("can_send_message_group", members))
	trial.Want(block("c", name, `description = "Two"`, `can_send_message_group = ["role:moderators"]`), name)
	saved := plan(t, trial)
	trial.Change(t, name, zulip.ChannelUpdate{Description: &theirs})
	trial.Change(t, name, permit("can_send_message_group", zulip.NamedGroup(trial.SystemGroup(t, "role:owners"))))
	trial.Fails([]string{
		"was changed by somebody else", "now: Theirs the configuration asks for: Two",
		`when the plan was made: "role:members" now: "role:owners" the configuration asks for: "role:moderators"`, "Nothing was overwritten.",
	}, saved)
	if view, _ := trial.Sandbox.Organization().Channel(name); view.Description != theirs || fmt.Sprint(view.Permissions["can_send_message_group"]) != "[role:owners]" {
		t.Errorf("something was written: %q, %v", view.Description, view.Permissions["can_send_message_group"])
	}
	trial.Converges()
}

// TestFaultChannelStateLost: the state is gone, the channels are there. One is imported, one was archived and is taken back.
func TestFaultChannelStateLost(t *testing.T) {
	trial := acctest.NewTrial(t, "state lost", "one channel imported, one taken back", sandbox.Config{})
	name, old := trial.Prefix+"kept", trial.Prefix+"old"
	config := block("c", name, `description = "One"`) + block("old", old, "adopt_archived = true")
	trial.Given(config, name, old)
	trial.Forget(t)
	trial.Archive(t, old)
	id := fmt.Sprint(trial.MustChannel(t, name).ID)
	trial.Call(t, http.MethodPatch, "/streams/"+id, map[string]string{"description": "Two"}) // so that it is not taken for an interrupted apply's
	trial.Fails([]string{fmt.Sprintf("A channel with the name %q already exists", name), "import it:", fmt.Sprintf("id = %q", id)})
	trial.Must(t, "import", c, id)
	trial.Converges()
}

// TestFaultChannelServerVersion: the server is another one when the plan is applied.
func TestFaultChannelServerVersion(t *testing.T) {
	t.Run("downgraded", func(t *testing.T) {
		trial := acctest.NewTrial(t, "another server", "downgraded between plan and apply", sandbox.Config{})
		name, made := trial.Prefix+"kept", trial.Prefix+"made"
		trial.Given(block("c", name), name)
		trial.Want(block("c", name, `can_resolve_topics_group = ["role:members"]`)+block("made", made, `can_delete_own_message_group = ["role:members"]`), name, made)
		saved := plan(t, trial)
		trial.Sandbox.SetFeatureLevel(400)
		trial.Fails([]string{"The server is too old for can_resolve_topics_group", "The server is too old for can_delete_own_message_group", "It needs feature level 407; the server has 400"}, saved)
		trial.Sandbox.SetFeatureLevel(sandbox.DefaultFeatureLevel)
		trial.Converges()
	})
	t.Run("upgraded", func(t *testing.T) {
		trial := acctest.NewTrial(t, "another server", "upgraded between plan and apply", sandbox.Config{FeatureLevel: 350})
		name, made := trial.Prefix+"kept", trial.Prefix+"made"
		trial.Given(block("c", name, `description = "One"`), name)
		trial.Want(block("c", name, `description = "Two"`)+block("made", made), name, made)
		saved := plan(t, trial)
		trial.Sandbox.SetFeatureLevel(sandbox.DefaultFeatureLevel)
		trial.Succeeds(saved)
		trial.Converges()
	})
}

// TestFaultChannelAccount: the account the provider uses is not what it was when the plan is applied.
func TestFaultChannelAccount(t *testing.T) {
	for _, change := range []struct {
		what   string
		method string
		params map[string]string
		says   []string
		back   func(*acctest.Trial, string)
	}{
		{
			"demoted between plan and apply", http.MethodPatch, map[string]string{"role": "400"},
			[]string{"Only administrators and owners of the organization may. The account the provider uses is a member"},
			func(trial *acctest.Trial, path string) {
				trial.Call(t, http.MethodPatch, path, map[string]string{"role": "200"})
			},
		}, {
			"deactivated between plan and apply", http.MethodDelete, nil,
			[]string{"The server does not accept the account", "Was the account deactivated"},
			func(trial *acctest.Trial, path string) { trial.Call(t, http.MethodPost, path+"/reactivate", nil) },
		},
	} {
		t.Run(change.what, func(t *testing.T) {
			trial := acctest.NewTrial(t, "another account", change.what, sandbox.Config{})
			admin, _ := trial.Sandbox.Credentials("admin")
			trial.ActAs("admin")
			name, made := trial.Prefix+"kept", trial.Prefix+"made"
			trial.Given(block("c", name), name)
			trial.Want(block("c", name, "is_default = true")+block("made", made), name, made)
			saved := plan(t, trial)
			path := fmt.Sprint("/users/", admin.ID)
			trial.Call(t, change.method, path, change.params)
			trial.Fails(change.says, saved)
			change.back(trial, path)
			trial.Converges()
		})
	}
}

// TestFaultChannelCertificate: the server's certificate is not to be trusted. Nothing is sent, and what to do is said.
func TestFaultChannelCertificate(t *testing.T) {
	for _, fault := range []struct {
		what   string
		change func(*x509.Certificate)
		says   string
	}{
		{"signed by an unknown authority", nil, "is signed by an authority this machine does not know. If that is your organization's own authority, name the PEM file with its certificate in ZULIP_CERT_BUNDLE"},
		{"expired", func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) }, "Renew the server's certificate, or correct this machine's clock"},
		{"for another name", func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"chat.example.com"} }, "Write the site the way the certificate does"},
	} {
		t.Run(fault.what, func(t *testing.T) {
			trial := acctest.NewTrial(t, "certificate", fault.what, sandbox.Config{})
			front := acctest.NewFront(t, trial.Sandbox)
			trial.Setenv("ZULIP_SITE", front.URL)
			if fault.change != nil {
				trial.Setenv("ZULIP_CERT_BUNDLE", front.Bundle)
				front.Renew(t, fault.change)
			}
			name := trial.Prefix + "tls"
			trial.Want(block("c", name), name)
			sent := trial.Sent()
			trial.Fails([]string{"The server cannot be reached", fault.says})
			if requests := sent.Requests(); len(requests) > 0 {
				t.Errorf("the server was asked: %v", requests)
			}
			front.Renew(t, nil)
			trial.Setenv("ZULIP_CERT_BUNDLE", front.Bundle)
			trial.Converges()
		})
	}
}

// TestFaultChannelKilled: the plugin is killed while a request is under way. What it had sent is done; the next plan sees it.
func TestFaultChannelKilled(t *testing.T) {
	t.Run("between creation and state", func(t *testing.T) {
		trial := acctest.NewTrial(t, "plugin killed", "after the channel was created, before the state knew", sandbox.Config{})
		name := trial.Prefix + "orphan"
		trial.Want(block("c", name), name)
		// The channel is read after it was created, and only then the plugin answers the CLI.
		gate := trial.Sandbox.Gate(http.MethodGet, "/streams")
		running := trial.Start(t, "apply", "-auto-approve")
		<-gate.Arrived
		running.KillPlugin(t)
		gate.Open()
		trial.Refused(running) // in the words of the CLI, which has lost its plugin
		trial.Fails([]string{fmt.Sprintf("A channel with the name %q already exists", name), "ZULIP_RECOVER_INTERRUPTED=true"})
		trial.Setenv("ZULIP_RECOVER_INTERRUPTED", "true")
		trial.Succeeds() // the channel is as planned, and just made by this account
		trial.Converges()
	})
	t.Run("and somebody changed it before the next apply", func(t *testing.T) {
		trial := acctest.NewTrial(t, "plugin killed", "the channel that was created is not as planned any more", sandbox.Config{})
		name := trial.Prefix + "orphan"
		trial.Want(block("c", name, `description = "One"`), name)
		gate := trial.Sandbox.Gate(http.MethodGet, "/streams")
		running := trial.Start(t, "apply", "-auto-approve")
		<-gate.Arrived
		running.KillPlugin(t)
		gate.Open()
		trial.Refused(running)
		id := trial.MustChannel(t, name).ID
		trial.Call(t, http.MethodPatch, fmt.Sprint("/streams/", id), map[string]string{"description": "Two"})
		trial.Fails([]string{fmt.Sprintf("A channel with the name %q already exists", name), "import it:", fmt.Sprintf(`id = "%d"`, id)})
		trial.Must(t, "import", c, fmt.Sprint(id))
		trial.Converges()
	})
	t.Run("during a change", func(t *testing.T) {
		trial := acctest.NewTrial(t, "plugin killed", "while a change was under way", sandbox.Config{})
		name := trial.Prefix + "change"
		trial.Given(block("c", name, `description = "One"`, `can_send_message_group = ["role:members"]`), name)
		trial.Want(block("c", name, `description = "Two"`, `can_send_message_group = ["role:moderators"]`), name)
		gate := trial.Sandbox.Gate(http.MethodPatch, updatePath)
		running := trial.Start(t, "apply", "-auto-approve")
		permissions := <-gate.Arrived
		permissions.Release()
		<-gate.Arrived // the description, after the permission was changed
		running.KillPlugin(t)
		gate.Open()
		trial.Refused(running) // in the words of the CLI, which has lost its plugin
		trial.Converges()
	})
}
