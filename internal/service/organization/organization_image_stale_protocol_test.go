package organization_test

import (
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// expectImage fails the test unless the server has the picture.
func expectImage(t *testing.T, o *acctest.Organization, name string, want any) {
	t.Helper()
	if now := organizationImageHeld(t, o, name); now != want {
		t.Errorf("the server holds %+v, want %+v", now, want)
	}
}

// The apply compares the picture with the one that the plan saw, for each kind of change.
func TestProtocolOrganizationImage_UploadedSincePlan_Refused(t *testing.T) {
	for name, change := range map[string]string{"icon": "replaced", "logo": "destroyed"} {
		t.Run(change, func(t *testing.T) {
			first, second := values{"kind": name, "file": acctest.Picture(t, 10)}, values{"kind": name, "file": acctest.Picture(t, 20)}
			config := map[string]values{"replaced": second, "destroyed": nil}[change]
			o, run := acctest.StartRun(t, organizationImageKind)
			run.MustApply(first)
			ours := organizationImageHeld(t, o, name)
			plan := run.MustPlan(config)
			uploadByHand(t, o, name, acctest.Picture(t, 99))
			theirs := organizationImageHeld(t, o, name)
			sent := o.Sent()
			words := []string{"of the organization was changed after the plan was made", ours.URL, theirs.URL, "Nothing was overwritten.", "Plan again"}
			if config == nil {
				words = append(words, "terraform state rm")
			}
			run.Apply(plan).ExpectError(t, "", words...)
			sent.Expect(t)
			expectImage(t, o, name, theirs)
			if run.State == nil {
				t.Fatal("the state lost the picture")
			}
			run.Apply(run.MustPlan(config)).ExpectNoError(t) // the next plan saw it
		})
	}
	t.Run("created", func(t *testing.T) {
		const name = "night_logo"
		first := values{"kind": name, "file": acctest.Picture(t, 10)}
		o, run := acctest.StartRun(t, organizationImageKind)
		plan := run.MustPlan(first)
		uploadByHand(t, o, name, acctest.Picture(t, 99))
		theirs := organizationImageHeld(t, o, name)
		sent := o.Sent()
		run.Fork().Apply(plan).ExpectError(t, "kind", "The organization already has an uploaded", theirs.URL, `id = "`+name+`"`)
		sent.Expect(t)
		p := run.Process() // planned again before the upload, as an apply does
		expectImage(t, o, name, theirs)
		acctest.NoError(t, o.Client.RemoveRealmImage(t.Context(), name))
		again := p.MustPlan(organizationImageKind, nil, first)
		uploadByHand(t, o, name, acctest.Picture(t, 99))
		theirs = organizationImageHeld(t, o, name)
		sent = o.Sent()
		_, diags := p.Apply(again)
		diags.ExpectError(t, "kind", "The organization already has an uploaded", theirs.URL)
		sent.Expect(t)
		expectImage(t, o, name, theirs)
	})
}

// A picture that was removed since the plan is a conflict for a change, but not for a destroy.
func TestProtocolOrganizationImage_RemovedSincePlan(t *testing.T) {
	o, run := acctest.StartRun(t, organizationImageKind)
	run.MustApply(values{"kind": "logo", "file": acctest.Picture(t, 10)})
	change, end := run.MustPlan(values{"kind": "logo", "file": acctest.Picture(t, 20)}), run.MustPlan(nil)
	acctest.NoError(t, o.Client.RemoveRealmImage(t.Context(), "logo"))
	sent := o.Sent()
	run.Fork().Apply(change).ExpectError(t, "", "was changed after the plan was made")
	run.Apply(end).ExpectNoError(t)
	sent.Expect(t)
}

// A refresh shows the picture uploaded outside Terraform, and the plan that removes it warns.
func TestProtocolOrganizationImage_OtherUpload_DestroyWarning(t *testing.T) {
	o, run := acctest.StartRun(t, organizationImageKind)
	run.MustApply(values{"kind": "logo", "file": acctest.Picture(t, 10)})
	if _, diags := run.Plan(nil); len(diags) > 0 {
		t.Errorf("nobody changed it, and the plan says %v", diags)
	}
	uploadByHand(t, o, "logo", acctest.Picture(t, 99))
	theirs := organizationImageHeld(t, o, "logo")
	plan, diags := run.Plan(nil)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", "This apply removes another logo than it uploaded", theirs.URL, "terraform state rm")
	run.Apply(plan).ExpectNoError(t)
	if organizationImageHeld(t, o, "logo").IsUploaded {
		t.Error("it was not removed")
	}
}

// An existing picture is imported, and replaced by the configured file if the import ID says so.
func TestProtocolOrganizationImage_Existing_Imported(t *testing.T) {
	o, run := acctest.StartRun(t, organizationImageKind)
	config := values{"kind": "logo", "file": acctest.Picture(t, 10)}
	uploadByHand(t, o, "logo", acctest.Picture(t, 99))
	sent := o.Sent()
	words := []string{"The organization already has an uploaded logo", organizationImageHeld(t, o, "logo").URL, `id = "logo"`, `"logo="`}
	plan, diags := run.Plan(config)
	diags.ExpectWarning(t, "kind", append(words, "so the apply will fail")...)
	run.Apply(plan).ExpectError(t, "kind", words...)
	sent.Expect(t)
	run.Import("logo=", nil).ExpectNoError(t)
	sent = o.Sent()
	run.MustApply(config)
	if writes := sent.Writes(); len(writes) != 1 || writes[0].Method != http.MethodPost || run.State.Values["file_sha256"] != acctest.HashOf(t, acctest.Picture(t, 10)) {
		t.Errorf("sent %+v, and the state holds %v", writes, run.State.Values)
	}
}

// If one resource destroys a picture and another creates it, their order is not defined, and the plan refuses it.
func TestProtocolOrganizationImage_OtherAddress_Refused(t *testing.T) {
	_, run := acctest.StartRun(t, organizationImageKind)
	config := values{"kind": "logo", "file": acctest.Picture(t, 10)}
	run.MustApply(config)
	_, diags := run.Process().Plan(organizationImageKind, nil, config)
	diags.ExpectWarning(t, "kind", "already has an uploaded logo", "so the apply will fail")
	p := run.Process()
	p.MustPlan(organizationImageKind, run.State, nil)
	_, diags = p.Plan(organizationImageKind, nil, config)
	diags.ExpectError(t, "", "moved {")
}

// An upload whose answer is lost is not repeated over a picture that was uploaded after it.
func TestProtocolOrganizationImage_UploadAfterLostAnswer(t *testing.T) {
	o, run := acctest.StartRun(t, organizationImageKind)
	run.MustApply(values{"kind": "logo", "file": acctest.Picture(t, 10)})
	plan := run.MustPlan(values{"kind": "logo", "file": acctest.Picture(t, 20)})
	o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPost, Path: "/realm/logo", Action: sandbox.FaultDrop, After: true, Count: 1})
	gate := o.Sandbox.Gate(http.MethodPost, "/realm/logo")
	applied := make(chan acctest.Diagnostics)
	go func() { applied <- run.Apply(plan) }()
	<-gate.Arrived
	reading := o.Sandbox.Gate(http.MethodPost, "/register")
	gate.Open()
	<-reading.Arrived // the effect of the upload
	uploadByHand(t, o, "logo", acctest.Picture(t, 99))
	reading.Open()
	theirs := organizationImageHeld(t, o, "logo")
	(<-applied).ExpectError(t, "", "was changed after the plan was made", theirs.URL)
	expectImage(t, o, "logo", theirs)
}
