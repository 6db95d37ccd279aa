package review_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
)

// offline reviews a plan of these changes without an organization.
func offline(t *testing.T, provider, changes, configuration string) (*report.Report, error) {
	t.Helper()
	plan, err := plan.Parse(strings.NewReader(`{"format_version":"1.2","planned_values":{},"resource_changes":[` + changes + `],"configuration":{"root_module":` + configuration + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return review.New(context.Background(), plan, review.Options{Provider: provider})
}

func changed(address, module, after string) string {
	return `{"address":"` + address + `","module_address":"` + module + `","mode":"managed","type":"zulip_channel","provider_name":"other.example.com/zulip-iac/zulip",
		"change":{"actions":["update"],"before":{"id":1,"name":"x","can_send_message_group":["role:members"]},"after":{"id":1,"name":"x",` + after + `},"after_unknown":{}}}`
}

func TestEachProviderConfigurationIsReviewedAlone(t *testing.T) {
	changes := changed("zulip_channel.a", "", `"can_send_message_group":["role:nobody"]`) + "," +
		changed(`module.m[\"a.b]\"].zulip_channel.a[0]`, "module.m", `"can_send_message_group":["role:everyone"]`)
	configuration := `{"resources":[{"address":"zulip_channel.a","provider_config_key":"zulip"}],
		"module_calls":{"m":{"module":{"resources":[{"address":"zulip_channel.a","provider_config_key":"zulip.staging"}]}}}}`
	if _, err := offline(t, "", changes, configuration); err == nil || !strings.Contains(err.Error(), "(zulip, zulip.staging)") || !strings.Contains(err.Error(), "--as") {
		t.Errorf("two at once: %v", err)
	}
	if _, err := offline(t, "zulip.other", changes, configuration); err == nil || !strings.Contains(err.Error(), "it has zulip, zulip.staging") {
		t.Errorf("one that is not there: %v", err)
	}
	found, err := offline(t, "zulip.staging", changes, configuration)
	if err != nil || len(found.Also) != 1 || found.Others != 1 || found.Provider != "zulip.staging" {
		t.Fatalf("%v, %+v", err, found)
	}
	if after := found.Also[0].Attributes[0].Change.After.String(); after != "role:everyone" {
		t.Errorf("after: %s", after)
	}
}

func TestWhatIsNotInTheConfigurationIsNotGuessed(t *testing.T) {
	changes := changed("zulip_channel.a", "", `"can_send_message_group":["role:nobody"]`) + "," +
		changed("zulip_channel.b", "", `"can_send_message_group":["role:nobody"]`) + "," + changed("zulip_channel.gone", "", `"can_send_message_group":["role:nobody"]`)
	found, err := offline(t, "zulip", changes, `{"resources":[{"address":"zulip_channel.a","provider_config_key":"zulip"},{"address":"zulip_channel.b","provider_config_key":"zulip.b"}]}`)
	if err != nil || len(found.Also) != 1 || len(found.Unknown) != 2 || !strings.Contains(found.Unknown[0], "zulip_channel.gone") {
		t.Errorf("%v, %+v", err, found)
	}
}

func TestPlansWithoutAnythingOfThisProvider(t *testing.T) {
	plan, err := plan.Parse(strings.NewReader(`{"format_version":"1.2","resource_changes":[{"address":"a.b","mode":"managed","type":"a","provider_name":"registry.example.com/x/a","change":{"actions":["create"]}}]}`))
	if err != nil || !plan.IsEmpty() {
		t.Fatalf("%v, %+v", err, plan)
	}
	found, err := review.New(context.Background(), plan, review.Options{})
	if err != nil || found.Verdict.Text != "Nobody gains or loses a right." || found.Others != 1 {
		t.Errorf("%v, %+v", err, found)
	}
}

// FuzzParsePlan finds no plan that the decoder, the review or the Markdown does not survive.
func FuzzParsePlan(f *testing.F) {
	files, err := filepath.Glob("testdata/*.plan.json")
	if err != nil || len(files) == 0 {
		f.Fatal("there are no plans: ", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(content))
	}
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := plan.Parse(strings.NewReader(text))
		if err != nil || len(plan.Providers) > 1 {
			return
		}
		found, err := review.New(context.Background(), plan, review.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if length := len(markdownOf(t, found)); length >= markdown.MaxLength {
			t.Fatalf("the Markdown has %d bytes", length)
		}
	})
}
