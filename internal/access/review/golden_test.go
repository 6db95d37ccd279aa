package review_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

func channel(name, attributes string) string {
	return "resource \"zulip_channel\" \"x\" {\n  name = \"" + name + "\"\n  " + attributes + "\n}\n"
}

// groupID finds a group that people made.
func groupID(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	view, err := store.New(o.Client, o.Self, 0, new(runstate.State)).Read(t.Context(), store.Channels, store.Subscribers)
	if err != nil {
		t.Fatal(err)
	}
	group, ok := view.UserGroupByName(name)
	if !ok {
		t.Fatalf("there is no group %q", name)
	}
	return group.ID
}

// madeBy tells apart the plans of OpenTofu, which are kept beside those of Terraform.
func madeBy() string {
	if filepath.Base(os.Getenv("TF_ACC_TERRAFORM_PATH")) == "tofu" {
		return "tofu-"
	}
	return ""
}

// removed takes a resource out of the state, and leaves what it is about as it is.
func removed(address string) string {
	return "removed {\n  from = " + address + "\n  lifecycle {\n    destroy = false\n  }\n}\n"
}

func ownedBot(owner string) string {
	return "resource \"zulip_bot\" \"alerts\" {\n  short_name = \"alerts\"\n  full_name  = \"Alerts\"\n  owner      = \"" + owner + "\"\n}\n"
}

// letSpectatorsIn lets those without an account read what is public on the web.
func letSpectatorsIn(t *testing.T, o *acctest.Organization) {
	t.Helper()
	o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
}

// reviewOf reviews a plan of an organization.
func reviewOf(t testing.TB, o *acctest.Organization, text string) *report.Report {
	t.Helper()
	return reviewWith(t, store.New(o.Client, o.Self, 0, new(runstate.State)).OneAtATime(), text)
}

func reviewWith(t testing.TB, dir *store.Store, text string) *report.Report {
	t.Helper()
	plan, err := plan.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	found, err := review.New(context.Background(), plan, review.Options{
		Store: dir, Site: "https://chat.example.com", Now: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func expectText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("the text does not hold %q:\n%.4000s", part, text)
		}
	}
}

func markdownOf(t testing.TB, found *report.Report) string {
	t.Helper()
	var text bytes.Buffer
	if err := markdown.Write(&text, found); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func indented(t *testing.T, found *report.Report) string {
	t.Helper()
	data, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		keep(t, name, got)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: the review is not what it was; look at it, and run the test with -update if it is right:\n%s", path, got)
	}
}

// host finds where the CLI takes the provider to come from, which is nothing to keep.
var host = regexp.MustCompile(`"[a-z.]+/zulip-iac/zulip`)

// keep writes a file of testdata, if that is asked for.
func keep(t *testing.T, name, content string) {
	t.Helper()
	if !*update {
		return
	}
	if err := os.WriteFile(filepath.Join("testdata", name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
