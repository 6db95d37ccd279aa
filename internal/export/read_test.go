package export

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// What the schema calls sensitive is in no file, also with --all.
func TestSensitiveIsNotWritten(t *testing.T) {
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
