package review_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// savedPlans are those cases of TestAccReviewOfRealPlans whose plans OpenTofu made too: TF_ACC_TERRAFORM_PATH names the
// CLI that makes them anew.
var savedPlans = []string{"permission", "drift", "unknown", "new-channel", "membership", "role", "organization", "imported"}

// savedOrganization is the organization that a saved plan was made for.
func savedOrganization(t *testing.T, name string) *acctest.Organization {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	create := zulip.ChannelCreate{Name: "releases"}
	switch name {
	case "permission":
		paul, _ := o.Sandbox.Credentials("guest")
		create.Subscribers = []int64{int64(paul.ID)}
		create.Permissions = map[string]zulip.GroupSettingValue{"can_send_message_group": zulip.NamedGroup(o.SystemGroup(t, "role:moderators"))}
	case "drift":
		create.Permissions = map[string]zulip.GroupSettingValue{"can_send_message_group": zulip.NamedGroup(o.SystemGroup(t, "role:everyone"))}
	default:
		return o
	}
	if _, _, err := o.Client.CreateChannel(context.Background(), create); err != nil {
		t.Fatal(err)
	}
	return o
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The same change is the same review, whether Terraform planned it or OpenTofu.
func TestReviewOfSavedPlansOfBothTools(t *testing.T) {
	for _, name := range savedPlans {
		for _, made := range []string{"", "tofu-"} {
			t.Run(made+name, func(t *testing.T) {
				found := reviewOf(t, savedOrganization(t, name), readFile(t, made+name+".plan.json"))
				if got, want := markdownOf(t, found), readFile(t, name+".md"); got != want {
					t.Errorf("the review is\n%s\nwanted\n%s", got, want)
				}
			})
		}
	}
}

// What a later version of the tools adds to a plan is passed over; another format is refused.
func TestReviewOfOtherFormatVersions(t *testing.T) {
	for _, name := range []string{"permission", "tofu-permission"} {
		text := readFile(t, name+".plan.json")
		later := strings.Replace(text, `"format_version":"1.2"`, `"format_version":"1.99","novelty":{"resource_changes":[1]}`, 1)
		if later == text {
			t.Fatalf("%s has another format version than 1.2", name)
		}
		if got, want := markdownOf(t, reviewOf(t, savedOrganization(t, "permission"), later)), readFile(t, "permission.md"); got != want {
			t.Errorf("%s: the review is\n%s\nwanted\n%s", name, got, want)
		}
		for _, version := range []string{"0.2", "2.0", "10.1", "1"} {
			other := strings.Replace(text, `"format_version":"1.2"`, `"format_version":"`+version+`"`, 1)
			if _, err := plan.Parse(strings.NewReader(other)); err == nil || !strings.Contains(err.Error(), "this review reads 1.x") {
				t.Errorf("%s of format version %s: %v", name, version, err)
			}
		}
	}
}

// The registry a provider comes from, and whoever copied it, make no difference.
func TestReviewOfProvidersFromElsewhere(t *testing.T) {
	text := readFile(t, "permission.plan.json")
	const address = "registry.example.com/zulip-iac/zulip"
	for _, other := range []string{"other.example.com/zulip-iac/zulip", "terraform.example.com/zulip-iac/zulip", "terraform.example.com/mirror/zulip"} {
		found := reviewOf(t, savedOrganization(t, "permission"), strings.ReplaceAll(text, address, other))
		if got, want := markdownOf(t, found), readFile(t, "permission.md"); got != want || !strings.Contains(text, address) {
			t.Errorf("%s: the review is\n%s\nwanted\n%s", other, got, want)
		}
	}
}
