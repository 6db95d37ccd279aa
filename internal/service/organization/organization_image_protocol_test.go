package organization_test

import (
	"os"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const organizationImageKind = "zulip_organization_image"

// organizationImageHeld returns the server's picture.
func organizationImageHeld(t *testing.T, o *acctest.Organization, name string) zulip.RealmImage {
	t.Helper()
	return o.Snapshot(t, zulip.FetchRealm).Realm.Image(name)
}

// uploadByHand uploads a picture outside Terraform.
func uploadByHand(t *testing.T, o *acctest.Organization, name, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	acctest.NoError(t, err)
	acctest.NoError(t, o.Client.UploadRealmImage(t.Context(), name, "other.png", "image/png", content))
}

// On a server that shows pictures late, the state has the new URL, and a refresh right after the upload keeps the picture.
func TestProtocolOrganizationImage_LaggingServer_NewPicture(t *testing.T) {
	o, run := acctest.StartRun(t, organizationImageKind)
	const lagging = "* ** lag=300ms"
	heal := o.Fail(t, lagging)
	defer heal()
	for _, color := range []uint8{10, 200} {
		config := values{"kind": "logo", "file": acctest.Picture(t, color)}
		run.Apply(run.MustPlan(config)).ExpectNoError(t)
		run.Refresh().ExpectNoError(t)
		if run.State == nil {
			t.Fatal("a refresh right after the upload takes the picture for removed")
		}
		if plan := run.MustPlan(config); !plan.Empty() {
			t.Errorf("the next plan changes %v", plan.Changes())
		}
		heal()
		if now := organizationImageHeld(t, o, "logo"); run.State.Values["source_url"] != now.URL {
			t.Errorf("the state has %v, and the server %q", run.State.Values["source_url"], now.URL)
		}
		heal = o.Fail(t, lagging)
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	run.MustApply(values{"kind": "logo", "file": acctest.Picture(t, 10)}) // although the server still shows the removed picture
}

// The URL shows an upload outside Terraform, and a removal too.
func TestProtocolOrganizationImageDrift(t *testing.T) {
	o, run := acctest.StartRun(t, organizationImageKind)
	config := values{"kind": "logo", "file": acctest.Picture(t, 10)}
	run.MustApply(config)
	uploadByHand(t, o, "logo", acctest.Picture(t, 99))
	plan := run.MustPlan(config)
	if run.State.Values["file_sha256"] != "" || plan.Values["file_sha256"] != acctest.HashOf(t, acctest.Picture(t, 10)) {
		t.Errorf("the state holds %v, planned is %v", run.State.Values, plan.Values)
	}
	run.MustApply(config)
	acctest.NoError(t, o.Client.RemoveRealmImage(t.Context(), "logo"))
	run.Refresh().ExpectNoError(t)
	if run.State != nil {
		t.Errorf("removed, the state holds %v", run.State.Values)
	}
	run.MustApply(config)
}

// A file that changes between a plan and its apply is not uploaded.
func TestProtocolOrganizationImageOtherFile(t *testing.T) {
	o, run := acctest.StartRun(t, organizationImageKind)
	file := acctest.Picture(t, 10)
	plan := run.MustPlan(values{"kind": "icon", "file": file})
	content, err := os.ReadFile(acctest.Picture(t, 20))
	acctest.NoError(t, err)
	acctest.NoError(t, os.WriteFile(file, content, 0o600))
	again := run.Process().MustPlan(organizationImageKind, nil, values{"kind": "icon", "file": file})
	again.Values["file_sha256"] = plan.Values["file_sha256"]
	_, diags := run.Process().Apply(again)
	diags.ExpectError(t, "file", "The file was changed after the plan was made")
	if organizationImageHeld(t, o, "icon").IsUploaded {
		t.Error("it was uploaded")
	}
}

// A configuration has one resource for each kind.
func TestProtocolOrganizationImage_DuplicateKind_Refused(t *testing.T) {
	_, run := acctest.StartRun(t, organizationImageKind)
	p := run.Process()
	p.MustPlan(organizationImageKind, nil, values{"kind": "icon", "file": acctest.Picture(t, 10)})
	_, diags := p.Plan(organizationImageKind, nil, values{"kind": "icon", "file": acctest.Picture(t, 10)})
	diags.ExpectError(t, "kind", "Duplicate icon of the organization")
}

func TestProtocolOrganizationImageImport(t *testing.T) {
	o, run := acctest.StartRun(t, organizationImageKind)
	file := acctest.Picture(t, 10)
	o.NewRun(t, organizationImageKind).Import("logo", nil).ExpectError(t, "", "has no uploaded")
	o.NewRun(t, organizationImageKind).Import("banner", nil).ExpectError(t, "", "icon, logo, night_logo")
	uploadByHand(t, o, "logo", file)
	made := organizationImageHeld(t, o, "logo")
	sent := o.Sent()
	run.Import("logo="+file, nil).ExpectNoError(t)
	run.ExpectUnchanged(values{"kind": "logo", "file": file})
	run.State = nil
	run.Import("", values{"id": "logo"}).ExpectNoError(t)
	plan, diags := run.Plan(values{"kind": "logo", "file": file})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "file", "matches the imported logo")
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
	if run.State.Values["file_sha256"] != acctest.HashOf(t, file) || organizationImageHeld(t, o, "logo") != made {
		t.Errorf("the state holds %v", run.State.Values)
	}
	o.NewRun(t, organizationImageKind).Import("logo=/nowhere.png", nil).ExpectError(t, "", "cannot be used")
}

func TestProtocolOrganizationImageRefused(t *testing.T) {
	o, run := acctest.StartRun(t, organizationImageKind)
	text := acctest.File(t, []byte("no picture"))
	for file, words := range map[string]string{text: "not a PNG", "/nowhere.png": "nowhere"} {
		run.ExpectRefused(values{"kind": "icon", "file": file}, "file", "Cannot upload the file as an image", words)
	}
	run.ExpectRefused(values{"kind": "banner", "file": text}, "kind", "banner")
	for _, account := range []string{"moderator", "member"} {
		o.As(t, account).NewRun(t, organizationImageKind).ExpectRefused(values{"kind": "icon", "file": acctest.Picture(t, 10)}, "", "cannot change the pictures of the organization")
	}
	o.NewRun(t, organizationImageKind).MustPlan(values{"kind": acctest.Unknown, "file": acctest.Unknown})
	content, err := os.ReadFile(acctest.Picture(t, 10))
	acctest.NoError(t, err)
	cut := acctest.File(t, content[:40])
	whole := o.NewRun(t, organizationImageKind)
	whole.Apply(whole.MustPlan(values{"kind": "icon", "file": cut})).ExpectError(t, "file", "Cannot change the icon", "Could not decode image")
	if whole.State != nil {
		t.Errorf("the state holds %v", whole.State.Values)
	}
}
