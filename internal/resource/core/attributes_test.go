package core

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
)

// embedded has attributes that a model gets from another struct.
type embedded struct {
	Name types.String `tfsdk:"name"`
}

type model struct {
	embedded
	ID    types.Int64  `tfsdk:"id"`
	Text  types.String `tfsdk:"text"`
	Set   types.Set    `tfsdk:"set"`
	Key   types.String `tfsdk:"key"`
	Local types.Bool   `tfsdk:"local"`
}

type object struct{ name, text string }

func set(texts ...string) types.Set {
	elements := []attr.Value{}
	for _, text := range texts {
		elements = append(elements, types.StringValue(text))
	}
	return types.SetValueMust(types.StringType, elements)
}

func modelOf(name, text string) *model {
	return &model{embedded: embedded{types.StringValue(name)}, ID: types.Int64Value(1), Text: types.StringValue(text), Set: set(), Key: types.StringValue("k")}
}

var resourceOfModels = New(&Definition[model, object]{
	Schema: func() schema.Schema {
		return schema.Schema{Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{Computed: true}, "name": schema.StringAttribute{Required: true}, "text": schema.StringAttribute{Optional: true, Computed: true},
			"set": schema.SetAttribute{Optional: true, ElementType: types.StringType}, "key": schema.StringAttribute{Optional: true, Sensitive: true},
			"local": schema.BoolAttribute{Optional: true},
		}}
	},
	Unsent: []string{"local"},
	ReadInto: func(m *model, o *object, _ *Call) {
		m.Name, m.Text = types.StringValue(o.name), types.StringValue(o.text)
	},
	Account: Account[model, object]{IsHidden: func(attribute string, _ *model, _ *Call) bool { return attribute == "key" }},
})

// Pending changes and conflicts follow from three values of each attribute.
func TestModel_Steps_FromThreeValues(t *testing.T) {
	planned := modelOf("b", "text")
	planned.Key, planned.Local = types.StringValue("secret"), types.BoolValue(true)
	prior := resourceOfModels.attributes.priorState(modelOf("a", "text"), attribute.PrivateState{}, nil, &Call{}, &diag.Diagnostics{})
	c := &Call{}
	steps, _ := resourceOfModels.attributes.steps(prior, planned, c)
	if len(steps) != 2 || steps[0].Attribute != "name" || steps[1].Attribute != "key" {
		t.Fatalf("steps: %+v", steps)
	}
	for name, want := range map[string]string{"a": `"a"`, "b": `"b"`, "c": `"c"`} {
		if got := steps[0].Current(&object{name: name}); got != want {
			t.Errorf("the current value is %q, not %q", got, want)
		}
	}
	if steps[1].Planned == "secret" || steps[1].Current(&object{}) != steps[1].Prior {
		t.Errorf("of what the server does not show: %+v", steps[1])
	}
	if c.isSent = true; steps[1].Current(&object{}) != steps[1].Planned {
		t.Error("what was sent is still to be sent")
	}
	current := *modelOf("a", "by hand")
	steps[0].Put(&current, &object{}, false)
	if current.Name.ValueString() != "b" || current.Text.ValueString() != "by hand" {
		t.Errorf("what is sent: %+v", current)
	}
}

// Terraform normalizes every text to NFC, whatever the server stores.
func TestText_OtherNormalForm_Equal(t *testing.T) {
	const composed, decomposed = "Caf\u00e9", "Cafe\u0301"
	if !isSame(types.StringValue(composed), types.StringValue(decomposed)) || isSame(types.StringValue("a"), types.StringValue("b")) ||
		isSame(types.StringNull(), types.StringValue("")) || !isSame(set("a", "b"), set("b", "a")) {
		t.Error("texts are compared otherwise")
	}
	steps, _ := resourceOfModels.attributes.steps(resourceOfModels.attributes.priorState(modelOf(composed, "x"), attribute.PrivateState{}, nil, &Call{}, &diag.Diagnostics{}), modelOf(composed, "y"), &Call{})
	if len(steps) != 1 || steps[0].Attribute != "text" {
		t.Errorf("steps: %+v", steps)
	}
}

func TestModel_Saved_NothingUnknown(t *testing.T) {
	m := modelOf("a", "x")
	m.Text, m.Set = types.StringUnknown(), types.SetUnknown(types.StringType)
	resourceOfModels.attributes.forgetUnknown(m)
	if !m.Text.IsNull() || !m.Set.IsNull() || m.Name.ValueString() != "a" {
		t.Errorf("%+v", m)
	}
	resourceOfModels.attributes.keepKnown(m, &model{embedded: embedded{types.StringValue("b")}, Text: types.StringUnknown(), Set: set("c")})
	if m.Name.ValueString() != "b" || !m.Text.IsNull() || !m.Set.Equal(set("c")) {
		t.Errorf("%+v", m)
	}
}

// A set that is changed by its elements leaves the elements of others unchanged.
func TestModel_OthersElements_Kept(t *testing.T) {
	def := resourceOfModels.def.Definition
	def.ByElement = []string{"set"}
	now := set("a", "theirs")
	def.ReadInto = func(m *model, _ *object, _ *Call) { m.Set = now }
	prior, planned := modelOf("x", "x"), modelOf("x", "x")
	prior.Set, planned.Set = set("a", "b"), set("b", "c")
	attributes := New(&def).attributes
	steps, _ := attributes.steps(attributes.priorState(prior, attribute.PrivateState{}, nil, &Call{}, &diag.Diagnostics{}), planned, &Call{})
	update := model{}
	if len(steps) != 1 || steps[0].Current(&object{}) != steps[0].Prior {
		t.Fatalf("steps: %+v", steps)
	}
	if steps[0].Put(&update, &object{}, false); !update.Set.Equal(set("theirs", "c")) {
		t.Errorf("what is sent: %s", update.Set)
	}
	if now = set("c", "theirs"); steps[0].Current(&object{}) != steps[0].Planned {
		t.Error("what is done is to be done again")
	}
}

func TestTextID_DifferentTexts_Differ(t *testing.T) {
	ids := []int64{TextID("example.com"), TextID("example.org")}
	if TextID("") != 0 || ids[0] == ids[1] || slices.Min(ids) <= 0 {
		t.Error("an ID is not what it should be")
	}
}
