package bots_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// picture writes an image of one shade of gray into a new file, whose name has no extension of an image, and returns
// the path.
func picture(t *testing.T, shade uint8) (path, hash string) {
	t.Helper()
	drawn := acctest.Picture(t, shade)
	path = filepath.Join(t.TempDir(), "picture.of.a.bot")
	acctest.NoError(t, os.Rename(drawn, path))
	return path, acctest.HashOf(t, path)
}

// hashAt returns the hash of the picture that the sandbox serves for the bot in the state.
func hashAt(t *testing.T, o *acctest.Organization, run *acctest.Run) string {
	t.Helper()
	res, err := http.Get(o.Sandbox.URL() + *o.UserOf(t, run).AvatarURL)
	acctest.NoError(t, err)
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(content))
}

// uploadByHand uploads the picture of a bot outside Terraform.
func uploadByHand(t *testing.T, o *acctest.Organization, run *acctest.Run, file string) (url string) {
	t.Helper()
	content, err := os.ReadFile(file)
	acctest.NoError(t, err)
	id, _ := run.State.Values["id"].(int64)
	if url, err = o.Client.UploadBotAvatar(t.Context(), id, "other.png", "image/png", content); err != nil {
		t.Fatal(err)
	}
	return url
}

func isManaged(run *acctest.Run) bool {
	return run.State.Values["avatar_file"] != nil || run.State.Values["avatar_sha256"] != nil || run.State.Values["avatar_url"] != nil
}

func TestProtocolBotAvatar_Lifecycle(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	first, firstHash := picture(t, 10)
	second, secondHash := picture(t, 200)
	sent := o.Sent()
	run.MustApply(alerts(values{"avatar_file": first}))
	sent.Expect(t, "POST bot_type full_name short_name", "PATCH")
	if hashAt(t, o, run) != firstHash || run.State.Values["avatar_sha256"] != firstHash || run.State.Values["avatar_url"] != *o.UserOf(t, run).AvatarURL {
		t.Errorf("the state holds %v", run.State.Values)
	}
	same, _ := picture(t, 10)
	for _, file := range []string{first, same} {
		if plan := run.MustPlan(alerts(values{"avatar_file": file})); !plan.Empty() {
			t.Errorf("the same content in %s changes %v", file, plan.Changes())
		}
	}
	sent = o.Sent()
	run.MustApply(alerts(values{"avatar_file": same, "full_name": "Alarms"}))
	sent.Expect(t, "PATCH full_name")

	sent = o.Sent()
	id := run.State.Values["id"]
	run.MustApply(alerts(values{"avatar_file": second, "full_name": "Sirens"}))
	sent.Expect(t, "PATCH full_name", "PATCH")
	if hashAt(t, o, run) != secondHash || run.State.Values["avatar_sha256"] != secondHash || run.State.Values["avatar_url"] != *o.UserOf(t, run).AvatarURL || run.State.Values["id"] != id {
		t.Errorf("the state holds %v", run.State.Values)
	}
	run.ExpectUnchanged(alerts(values{"avatar_file": second, "full_name": "Sirens"}))

	sent = o.Sent()
	run.MustApply(alerts(values{"full_name": "Sirens"}))
	sent.Expect(t)
	if isManaged(run) || hashAt(t, o, run) != secondHash {
		t.Errorf("not managed any more, the state holds %v", run.State.Values)
	}
}

// An unmanaged picture is not in the state, even if one is uploaded. A picture that becomes managed is uploaded.
func TestProtocolBotAvatarUnmanaged(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	other, _ := picture(t, 99)
	uploadByHand(t, o, run, other)
	if plan := run.MustPlan(alerts(nil)); !plan.Empty() || isManaged(run) {
		t.Errorf("plans %v, and the state holds %v", plan.Changes(), run.State.Values)
	}
	imported := o.NewRun(t, "zulip_bot")
	imported.Import("alerts-bot@zulip.example.com", nil).ExpectNoError(t)
	if isManaged(imported) {
		t.Errorf("imported, the state holds %v", imported.State.Values)
	}
	file, hash := picture(t, 10)
	sent := o.Sent()
	imported.MustApply(alerts(values{"avatar_file": file}))
	sent.Expect(t, "PATCH")
	if hashAt(t, o, imported) != hash {
		t.Error("the file was not uploaded")
	}
}

// A picture that is uploaded or removed outside Terraform is drift of its URL, and the file is uploaded again.
func TestProtocolBotAvatarDrift(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	file, hash := picture(t, 10)
	other, _ := picture(t, 99)
	config := alerts(values{"avatar_file": file})
	run.MustApply(config)
	for name, change := range map[string]func(){
		"uploaded": func() { uploadByHand(t, o, run, other) },
		"removed": func() {
			id, _ := run.State.Values["id"].(int64)
			key, err := o.Client.BotAPIKey(t.Context(), id)
			acctest.NoError(t, err)
			req, err := http.NewRequest(http.MethodDelete, o.Sandbox.URL()+"/api/v1/users/me/avatar", nil)
			acctest.NoError(t, err)
			req.SetBasicAuth("alerts-bot@zulip.example.com", key)
			res, err := http.DefaultClient.Do(req)
			if err != nil || res.StatusCode != http.StatusOK {
				t.Fatal(res, err)
			}
			res.Body.Close()
		},
	} {
		change()
		plan := run.MustPlan(config)
		if run.State.Values["avatar_sha256"] != "" || plan.Values["avatar_sha256"] != hash {
			t.Errorf("%s: the state holds %v, planned is %v", name, run.State.Values, plan.Values)
		}
		sent := o.Sent()
		run.Apply(plan).ExpectNoError(t)
		sent.Expect(t, "PATCH")
		if hashAt(t, o, run) != hash {
			t.Errorf("%s: the server has another picture", name)
		}
	}
}

// A picture uploaded between plan and apply is not overwritten; the other planned changes are sent.
func TestProtocolBotAvatarConflict(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	first, firstHash := picture(t, 10)
	second, _ := picture(t, 20)
	other, otherHash := picture(t, 99)
	run.MustApply(alerts(values{"avatar_file": first}))
	plan := run.MustPlan(alerts(values{"avatar_file": second, "full_name": "Alarms"}))
	theirs := uploadByHand(t, o, run, other)
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "", "The picture of bot alerts-bot@zulip.example.com was changed after the plan was made", "Nothing was overwritten.", theirs)
	sent.Expect(t, "PATCH full_name")
	if hashAt(t, o, run) != otherHash || run.State.Values["avatar_sha256"] != firstHash || run.State.Values["full_name"] != "Alarms" {
		t.Errorf("the state holds %v", run.State.Values)
	}
	run.MustApply(alerts(values{"avatar_file": second, "full_name": "Alarms"}))
}

// An outdated list of people does not count for the picture.
func TestProtocolBotAvatarStaleList(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	first, _ := picture(t, 10)
	second, _ := picture(t, 20)
	run.MustApply(alerts(values{"avatar_file": first}))
	defer o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: "/bots/*", Action: sandbox.FaultStale})()
	run.MustApply(alerts(values{"avatar_file": second}))
	run.ExpectUnchanged(alerts(values{"avatar_file": second}))
}

func TestProtocolBotAvatarRefused(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	text := filepath.Join(t.TempDir(), "a.png")
	acctest.NoError(t, os.WriteFile(text, []byte("no picture"), 0o600))
	for file, words := range map[string]string{text: "not a PNG", "/nowhere.png": "nowhere"} {
		run.ExpectRefused(alerts(values{"avatar_file": file}), "avatar_file", "Cannot upload the file as an image", words)
	}
	run.MustPlan(alerts(values{"avatar_file": acctest.Unknown}))

	// A picture that the server refuses leaves the bot unchanged, except for the other changes.
	whole, hash := picture(t, 10)
	content, err := os.ReadFile(whole)
	acctest.NoError(t, err)
	cut := filepath.Join(t.TempDir(), "cut.png")
	acctest.NoError(t, os.WriteFile(cut, content[:40], 0o600))
	run.Apply(run.MustPlan(alerts(values{"avatar_file": cut}))).ExpectError(t, "avatar_file", "Cannot upload the picture of bot alerts-bot@", "Could not decode image", "untaint")
	if run.State == nil || run.State.Values["id"] == nil || isManaged(run) || o.CountUsers(t, "Alerts") != 1 {
		t.Fatalf("the state holds %v", run.State)
	}
	run.MustApply(alerts(values{"avatar_file": whole}))
	run.Apply(run.MustPlan(alerts(values{"avatar_file": cut, "full_name": "Alarms"}))).ExpectError(t, "avatar_file", "Could not decode image")
	if hashAt(t, o, run) != hash || run.State.Values["avatar_sha256"] != hash || o.UserOf(t, run).FullName != "Alarms" {
		t.Errorf("the state holds %v", run.State.Values)
	}

	// If the file changes between plan and apply, nothing is sent.
	p := run.Process()
	plan := p.MustPlan("zulip_bot", run.State, alerts(values{"avatar_file": whole, "full_name": "Sirens"}))
	acctest.NoError(t, os.WriteFile(whole, append(content, 0), 0o600))
	sent := o.Sent()
	_, diags := p.Apply(plan)
	diags.ExpectError(t, "avatar_file", "The file was changed after the plan was made")
	sent.Expect(t)
}

// A file that is not known until apply is compared during apply.
func TestProtocolBotAvatarKnownLater(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	file, hash := picture(t, 10)
	run.MustApply(alerts(values{"avatar_file": file}))
	plan := run.MustPlan(alerts(values{"avatar_file": acctest.Unknown}))
	plan.Config = alerts(values{"avatar_file": file})
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
	if run.State.Values["avatar_sha256"] != hash {
		t.Errorf("the state holds %v", run.State.Values)
	}
}
