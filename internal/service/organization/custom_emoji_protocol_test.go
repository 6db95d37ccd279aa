package organization_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const customEmojiTypeName = "zulip_custom_emoji"

// customEmojiHeld returns the server's emoji of a name, including deactivated ones.
func customEmojiHeld(t *testing.T, o *acctest.Organization, name string) []*zulip.CustomEmoji {
	t.Helper()
	return slices.DeleteFunc(o.Snapshot(t, zulip.FetchCustomEmoji).CustomEmoji, func(emoji *zulip.CustomEmoji) bool { return emoji.Name != name })
}

// active returns the active one.
func active(t *testing.T, o *acctest.Organization, name string) *zulip.CustomEmoji {
	t.Helper()
	for _, emoji := range customEmojiHeld(t, o, name) {
		if !emoji.Deactivated {
			return emoji
		}
	}
	return nil
}

func TestProtocolCustomEmoji_Gone_NotTouched(t *testing.T) {
	o, run := acctest.StartRun(t, customEmojiTypeName)
	config := values{"name": "party", "file": acctest.Picture(t, 10)}
	run.MustApply(config)
	o.Call(t, http.MethodDelete, "/realm/emoji/party", nil)
	run.MustApply(config)
	if all := customEmojiHeld(t, o, "party"); len(all) != 2 || active(t, o, "party") == nil {
		t.Errorf("the server holds %v", all)
	}

	// The emoji is replaced outside Terraform: the new one is unchanged.
	state := run.State
	o.Call(t, http.MethodDelete, "/realm/emoji/party", nil)
	other := o.NewRun(t, customEmojiTypeName)
	other.MustApply(config)
	run.State = state
	again, diags := run.Plan(config)
	diags.ExpectWarning(t, "name", `A custom emoji with the name "party" already exists`, fmt.Sprint(other.State.Values["id"]), "import it")
	run.Apply(again).ExpectError(t, "name", `A custom emoji with the name "party" already exists`)
	sent := o.Sent()
	p := run.Process()
	end, diags := p.Plan(customEmojiTypeName, state, nil) // like a state without a refresh
	diags.ExpectNoError(t)
	p.MustApply(end)
	sent.Expect(t)
}

func TestProtocolCustomEmojiImport(t *testing.T) {
	o, run := acctest.StartRun(t, customEmojiTypeName)
	config := values{"name": "party", "file": acctest.Picture(t, 10)}
	run.MustApply(config)
	for _, by := range []struct {
		id       string
		identity values
	}{{id: "party"}, {id: "name:party"}, {id: fmt.Sprint(run.State.Values["id"])}, {identity: run.State.Identity}} {
		fresh := o.NewRun(t, customEmojiTypeName)
		fresh.Import(by.id, by.identity).ExpectNoError(t)
		if fresh.State.Values["id"] != run.State.Values["id"] || fresh.State.Values["file_sha256"] != nil {
			t.Errorf("imported by %v: %v", by, fresh.State.Values)
		}
		sent := o.Sent()
		plan, diags := fresh.Plan(config)
		diags.ExpectNoError(t)
		diags.ExpectWarning(t, "file", "matches the imported emoji\n", `emoji "party"`)
		if len(plan.Replace) > 0 {
			t.Errorf("the import alone replaces because of %v", plan.Replace)
		}
		fresh.MustApply(config)
		sent.Expect(t)
		if fmt.Sprint(fresh.State.Values) != fmt.Sprint(run.State.Values) {
			t.Errorf("after the apply:\n%v\nwant:\n%v", fresh.State.Values, run.State.Values)
		}
	}
	o.NewRun(t, customEmojiTypeName).Import("nope", nil).ExpectError(t, "", `"nope"`, `the custom emoji are: "party"`)
	o.NewRun(t, customEmojiTypeName).Import("name:partty", nil).ExpectError(t, "", `did you mean "party"?`)
	o.Call(t, http.MethodDelete, "/realm/emoji/party", nil)
	o.NewRun(t, customEmojiTypeName).Import(fmt.Sprint(run.State.Values["id"]), nil).ExpectError(t, "", "deactivated")
}

func TestProtocolCustomEmojiBadInput(t *testing.T) {
	o, run := acctest.StartRun(t, customEmojiTypeName)
	good := acctest.Picture(t, 10)
	for name, words := range map[string]string{"Party": "small letters", "two words": "small letters", "party_": "end with a letter", "": "end with a letter"} {
		run.ExpectRefused(values{"name": name, "file": good}, "name", words)
	}
	for path, words := range map[string]string{
		filepath.Join(t.TempDir(), "none.png"): "no such file", acctest.File(t, []byte("hello")): "text/plain", acctest.File(t, nil): "not a PNG",
	} {
		run.ExpectRefused(values{"name": "party", "file": path}, "file", words)
	}
	content, err := os.ReadFile(good)
	acctest.NoError(t, err)
	large := values{"name": "large", "file": acctest.File(t, append(content, make([]byte, 6<<20)...))}
	plan, diags := run.Plan(large)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "file", "6.0 MiB")
	run.Apply(plan).ExpectError(t, "", "larger than the allowed limit")

	if plan := run.MustPlan(values{"name": acctest.Unknown, "file": acctest.Unknown}); plan.Values["file_sha256"] != acctest.Unknown {
		t.Errorf("planned: %v", plan.Values)
	}
	run.MustApply(values{"name": "party", "file": good})
	if plan := run.MustPlan(values{"name": "party", "file": acctest.Unknown}); !slices.Equal(plan.Replace, []string{"file"}) {
		t.Errorf("a file that is not known replaces because of %v", plan.Replace)
	}
	_, diags = o.NewRun(t, customEmojiTypeName).Plan(values{"name": "party", "file": good})
	diags.ExpectWarning(t, "name", "already", o.Self.Address())
}

func TestProtocolCustomEmoji_FileChangedSincePlan(t *testing.T) {
	o, run := acctest.StartRun(t, customEmojiTypeName)
	path := acctest.Picture(t, 10)
	plan := run.MustPlan(values{"name": "party", "file": path})
	p := run.Process()
	again := p.MustPlan(customEmojiTypeName, nil, plan.Config)
	content, err := os.ReadFile(acctest.Picture(t, 99))
	acctest.NoError(t, err)
	acctest.NoError(t, os.WriteFile(path, content, 0o600))
	_, diags := p.Apply(again)
	diags.ExpectError(t, "file", "changed after the plan was made")
	if active(t, o, "party") != nil {
		t.Error("it was uploaded all the same")
	}
}

func TestProtocolCustomEmojiCaller(t *testing.T) {
	o, run := acctest.StartRun(t, customEmojiTypeName)
	config := values{"name": "party", "file": acctest.Picture(t, 10)}
	for account, words := range map[string]string{"owner": "", "admin": "", "member": "", "guest": "guest", "bot": "bot"} {
		_, diags := o.As(t, account).NewRun(t, customEmojiTypeName).Plan(config)
		if words == "" {
			diags.ExpectNoError(t)
		} else {
			diags.ExpectError(t, "", words)
		}
	}
	run.MustApply(config)
	o.Call(t, http.MethodPatch, "/realm", map[string]string{
		"can_add_custom_emoji_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:administrators")),
	})
	member := o.As(t, "member").NewRun(t, customEmojiTypeName)
	member.ExpectLack(values{"name": "fest", "file": acctest.Picture(t, 10)}, "", "cannot add emoji", "can_add_custom_emoji_group")
	member.State = run.State
	member.ExpectRefused(nil, "", `cannot deactivate the emoji "party"`)
}

// Only administrators can use the name of a standard emoji. Only the server knows these names.
func TestProtocolCustomEmojiStandardName(t *testing.T) {
	o, run := acctest.StartRun(t, customEmojiTypeName)
	config := values{"name": "car", "file": acctest.Picture(t, 10)}
	member := o.As(t, "member").NewRun(t, customEmojiTypeName)
	member.Apply(member.MustPlan(config)).ExpectError(t, "", "standard emoji has this name", "administrator")
	run.MustApply(config)
}

// While a request to deactivate an emoji waits, another emoji gets its name. The other emoji is unchanged.
func TestProtocolCustomEmoji_ReplacedDuringWait_Kept(t *testing.T) {
	const path = "/realm/emoji/party"
	for name, fault := range map[string]sandbox.Fault{
		"429":     {Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 20 * time.Millisecond},
		"503":     {Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable},
		"dropped": {Action: sandbox.FaultDrop},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{})
			run, other := o.NewRun(t, customEmojiTypeName), o.NewRun(t, customEmojiTypeName)
			config := values{"name": "party", "file": acctest.Picture(t, 10)}
			run.MustApply(config)
			plan := run.MustPlan(nil)
			gate := o.Sandbox.Gate(http.MethodDelete, path)
			applied := make(chan acctest.Diagnostics)
			go func() { applied <- run.Apply(plan) }()
			held := <-gate.Arrived
			go func() { (<-gate.Arrived).Release() }()
			o.Call(t, http.MethodDelete, path, nil)
			other.MustApply(config)
			fault.Method, fault.Path, fault.Count = http.MethodDelete, path, 1
			o.Sandbox.Fail(fault)
			held.Release()
			gate.Open()
			(<-applied).ExpectNoError(t)
			if now := active(t, o, "party"); now == nil || now.ID != other.State.Values["id"] {
				t.Errorf("active is %v, not the emoji of somebody else, %v", now, other.State.Values["id"])
			}
			if sent := o.Sandbox.Journal().Count(sandbox.Filter{Method: http.MethodDelete, Path: path}); sent != 2 { // one by the provider, the other outside Terraform
				t.Errorf("%d requests were sent", sent)
			}
		})
	}
}

// Another emoji got the name after the state was read, in the same run.
func TestProtocolCustomEmoji_ReplacedInRun_Kept(t *testing.T) {
	o, run := acctest.StartRun(t, customEmojiTypeName)
	config := values{"name": "party", "file": acctest.Picture(t, 10)}
	run.MustApply(config)
	p := run.Process()
	state, diags := p.Read(customEmojiTypeName, run.State)
	diags.ExpectNoError(t)
	plan := p.MustPlan(customEmojiTypeName, state, nil)
	o.Call(t, http.MethodDelete, "/realm/emoji/party", nil)
	other := o.NewRun(t, customEmojiTypeName)
	other.MustApply(config)
	p.MustApply(plan)
	if now := active(t, o, "party"); now == nil || now.ID != other.State.Values["id"] {
		t.Errorf("active is %v, not the emoji of somebody else, %v", now, other.State.Values["id"])
	}
}
