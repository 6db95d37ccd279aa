package export

import (
	"bytes"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Any change in a plan but an import is an error that names it.
func TestCheck_PlanWithChanges_Error(t *testing.T) {
	const imported = `{"address": "zulip_channel.a", "change": {"actions": ["no-op"], "importing": {"id": "1"}}}`
	for what, trial := range map[string]struct{ plan, want string }{
		"imports": {imported, ""},
		"nothing": {``, ""},
		"changes": {imported + `, {"address": "zulip_channel.b", "change": {"actions": ["update"], "importing": {"id": "2"},
			"before": {"name": "b", "description": "x"}, "after": {"name": "b", "description": "y"}, "after_unknown": {"url": true}}}`,
			"the plan does more than import:\n  zulip_channel.b: update: description (x on the server, y in the configuration), url (known after apply)"},
		"adds": {`{"address": "zulip_channel.c", "change": {"actions": ["create"], "after": {"name": "c"}}}`,
			"the plan does more than import:\n  zulip_channel.c: create"},
	} {
		var out bytes.Buffer
		err := (&checker{out: &out}).verify([]byte(`{"resource_changes": [` + trial.plan + `]}`))
		if got := textOfError(err); got != trial.want {
			t.Errorf("%s: %q, want %q", what, got, trial.want)
		}
		if (out.Len() > 0) != (trial.want == "") {
			t.Errorf("%s: printed %q", what, &out)
		}
	}
	if (&checker{}).verify([]byte("no plan")) == nil {
		t.Error("what is no plan is accepted")
	}
}

func textOfError(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Settings of the environment for other work with Terraform are ignored.
func TestCheck_CLIEnvironment_Ignored(t *testing.T) {
	got := withoutSettings([]string{"ZULIP_SITE=x", "TF_CLI_ARGS_plan=-var-file=y", "TF_WORKSPACE=w", "TF_DATA_DIR=d", "TF_CLI_ARGS=", "TF_LOG=debug"})
	if want := []string{"ZULIP_SITE=x", "TF_LOG=debug"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// No file has a sensitive value, also with --all.
func TestExport_SensitiveAttributes_NotWritten(t *testing.T) {
	k := &kind{resource: "zulip_x"}
	e := &export{matching: map[string]bool{}, Options: Options{All: true}, schemas: map[string]*tfprotov6.Schema{"zulip_x": {Block: &tfprotov6.SchemaBlock{
		Attributes: []*tfprotov6.SchemaAttribute{{Name: "name"}, {Name: "key", Sensitive: true}, {Name: "password", WriteOnly: true}},
	}}}}
	text := func(value string) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }
	o := &object{kind: k, config: map[string]tftypes.Value{"name": text("a"), "key": text("b"), "password": text("c")}}
	e.add(o)
	if len(e.objects) != 1 || len(o.config) != 1 || textOf(o.config["name"]) != "a" {
		t.Errorf("of the object is written %v", o.config)
	}
}

// Kinds returns the resources that are exported.
func Kinds() (names []string) {
	for _, kind := range kinds {
		names = append(names, kind.resource)
	}
	return names
}
