package framework_test

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
)

type room struct {
	inner
	Name types.String `tfsdk:"name"`
}

type inner struct {
	ID    types.Int64 `tfsdk:"id"`
	Open  types.Bool  `tfsdk:"open"`
	Names types.Set   `tfsdk:"names"`
}

// pointing is of the same attributes, and not for Get alone: one of its fields is no attribute.
type pointing struct {
	ID    *int64       `tfsdk:"id"`
	Open  types.Bool   `tfsdk:"open"`
	Names types.Set    `tfsdk:"names"`
	Name  types.String `tfsdk:"name"`
}

var roomSchema = schema.Schema{Attributes: map[string]schema.Attribute{
	"id": schema.Int64Attribute{Optional: true}, "name": schema.StringAttribute{Optional: true},
	"open": schema.BoolAttribute{Optional: true}, "names": schema.SetAttribute{Optional: true, ElementType: types.StringType},
}}

// rooms are values of the schema: what Get has to read.
func rooms(t *testing.T) map[string]tftypes.Value {
	t.Helper()
	kind := roomSchema.Type().TerraformType(t.Context())
	set := tftypes.Set{ElementType: tftypes.String}
	of := func(id, name, open, names any) tftypes.Value {
		return tftypes.NewValue(kind, map[string]tftypes.Value{
			"id": tftypes.NewValue(tftypes.Number, id), "name": tftypes.NewValue(tftypes.String, name),
			"open": tftypes.NewValue(tftypes.Bool, open), "names": tftypes.NewValue(set, names),
		})
	}
	some := []tftypes.Value{tftypes.NewValue(tftypes.String, "b"), tftypes.NewValue(tftypes.String, tftypes.UnknownValue), tftypes.NewValue(tftypes.String, "a")}
	return map[string]tftypes.Value{
		"all set":         of(7, "general", true, some),
		"empty":           of(0, "", false, []tftypes.Value{}),
		"null":            of(nil, nil, nil, nil),
		"not known":       of(tftypes.UnknownValue, tftypes.UnknownValue, tftypes.UnknownValue, tftypes.UnknownValue),
		"twice":           of(7, "general", true, []tftypes.Value{some[0], some[0]}), // an error
		"no whole number": of(1.5, "general", true, some),                            // an error
		"nothing":         tftypes.NewValue(kind, nil),                               // an error
		"nothing known":   tftypes.NewValue(kind, tftypes.UnknownValue),
	}
}

func TestGetReadsWhatTheFrameworkReads(t *testing.T) {
	for name, raw := range rooms(t) {
		for _, from := range []framework.Getter{
			tfsdk.Config{Raw: raw, Schema: roomSchema}, tfsdk.Plan{Raw: raw, Schema: roomSchema}, tfsdk.State{Raw: raw, Schema: roomSchema},
		} {
			var got, want room
			expectRead(t, name, framework.Get(t.Context(), from, &got), from.Get(t.Context(), &want), got, want)
			var gotOther, wantOther pointing
			expectRead(t, name, framework.Get(t.Context(), from, &gotOther), from.Get(t.Context(), &wantOther), gotOther, wantOther)
		}
	}
}

func expectRead(t *testing.T, name string, said, wanted diag.Diagnostics, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: read %+v, not %+v", name, got, want)
	}
	if len(said) != len(wanted) || said.HasError() && !said.Equal(wanted) {
		t.Errorf("%s: said %v, not %v", name, said, wanted)
	}
}

// A model that lacks an attribute, or has one too many, is a mistake, and said to be one.
func TestGetRefusesAnotherModel(t *testing.T) {
	state := tfsdk.State{Raw: rooms(t)["all set"], Schema: roomSchema}
	if diags := framework.Get(t.Context(), state, &inner{}); !diags.HasError() {
		t.Error("a model without a name is filled")
	}
	more := struct {
		room
		Color types.String `tfsdk:"color"`
	}{}
	if diags := framework.Get(t.Context(), state, &more); !diags.HasError() {
		t.Error("a model with a color is filled")
	}
}

func TestSame(t *testing.T) {
	general := func() room {
		return room{inner{types.Int64Value(7), types.BoolValue(true), wordSet("a", "b")}, types.StringValue("general")}
	}
	for name, change := range map[string]func(*room){
		"a number":           func(r *room) { r.ID = types.Int64Value(8) },
		"a set":              func(r *room) { r.Names = wordSet("a") },
		"not set":            func(r *room) { r.Open = types.BoolNull() },
		"not known any more": func(r *room) { r.Name = types.StringUnknown() },
	} {
		before, after := general(), general()
		if !framework.Same(&before, &after) {
			t.Fatal("a model is not the same as itself")
		}
		if change(&after); framework.Same(&before, &after) {
			t.Errorf("%s: the same", name)
		}
	}
	two := int64(2)
	if a, b := (pointing{ID: &two}), (pointing{}); framework.Same(&a, &b) || !framework.Same(&a, &a) {
		t.Error("of what is not plain, one is the same as another")
	}
}

// Get is there for what it costs: the framework's makes several times as much garbage.
func TestGetCostsLess(t *testing.T) {
	state := tfsdk.State{Raw: rooms(t)["all set"], Schema: roomSchema}
	cost := func(get func(*room) diag.Diagnostics) float64 {
		return testing.AllocsPerRun(20, func() { get(&room{}) })
	}
	ours := cost(func(r *room) diag.Diagnostics { return framework.Get(t.Context(), state, r) })
	theirs := cost(func(r *room) diag.Diagnostics { return state.Get(t.Context(), r) })
	if ours > theirs/3 {
		t.Errorf("%.0f allocations, the framework's Get %.0f", ours, theirs)
	}
}
