package attributetest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/attributetest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A lamp is an object with one attribute and one permission.
type (
	lamp struct {
		IsOn bool `json:"is_on"`
	}
	lampUpdate struct {
		IsOn *bool
	}
	lampModel struct {
		IsOn   types.Bool `tfsdk:"is_on"`
		Broken types.Bool `tfsdk:"broken"`
		MaySet types.Set  `tfsdk:"may_set"`
	}
	lampRow = attribute.Field[lampModel, *lamp, lampUpdate, types.Bool]
	lamps   = attribute.Table[lampModel, *lamp, lampUpdate]
)

// wholeRow returns a complete row.
func wholeRow() lampRow {
	return lampRow{
		Name: "is_on", Description: "Whether it is on.",
		At:   func(m *lampModel) *types.Bool { return &m.IsOn },
		Read: func(l *lamp) types.Bool { return types.BoolValue(l.IsOn) },
		Send: func(u *lampUpdate, _ *lamp, v types.Bool) { u.IsOn = v.ValueBoolPointer() },
	}
}

func TestCheck_IncompleteRow_Reported(t *testing.T) {
	brokenAt := func(m *lampModel) *types.Bool { return &m.Broken }
	for name, test := range map[string]struct {
		forget func(*lampRow, *lamps)
		want   string
	}{
		"nothing":                           {func(*lampRow, *lamps) {}, ""},
		"the description":                   {func(r *lampRow, _ *lamps) { r.Description = "" }, "is_on: a page does not describe it"},
		"to read":                           {func(r *lampRow, _ *lamps) { r.Read = nil }, "is_on: the row says nothing of one direction"},
		"to read the object":                {func(r *lampRow, _ *lamps) { r.Read = func(*lamp) types.Bool { return types.BoolValue(true) } }, "is_on: it is not read into its field of the model"},
		"where the model has it":            {func(r *lampRow, _ *lamps) { r.At = brokenAt }, "is_on: it is not read into its field of the model"},
		"to compare":                        {func(r *lampRow, _ *lamps) { r.Text = func(types.Bool) string { return "" } }, "is_on: a plan does not find that it changes"},
		"to send":                           {func(r *lampRow, _ *lamps) { r.Send = nil }, "is_on: the row says nothing of one direction"},
		"to put it into the update":         {func(r *lampRow, _ *lamps) { r.Send = func(*lampUpdate, *lamp, types.Bool) {} }, "is_on: it is not sent"},
		"that somebody can set it":          {func(r *lampRow, _ *lamps) { r.Name = "broken" }, "broken: the test has no sample of it"},
		"the permission":                    {func(_ *lampRow, t *lamps) { t.Permissions = nil }, "may_set: the table does not say where the model has it"},
		"that it is no longer a permission": {func(_ *lampRow, t *lamps) { t.Wire.Table.Settings = nil }, "may_set: it is no permission"},
	} {
		t.Run(name, func(t *testing.T) {
			row := wholeRow()
			table := lamps{
				Resource:    "zulip_lamp",
				Permissions: map[string]attribute.Permission[lampModel]{"may_set": {At: func(m *lampModel) *types.Set { return &m.MaySet }}},
				Wire: attribute.Permissions[*lamp, lampUpdate]{
					Table:  permission.Table{Settings: []permission.Spec{{Name: "may_set"}}},
					Values: func(*lamp) map[string]zulip.GroupSettingValue { return nil },
				},
			}
			test.forget(&row, &table)
			table.Rows = []attribute.Row[lampModel, *lamp, lampUpdate]{row}
			problems := attributetest.Of(&table, attributetest.Samples{"is_on": {`{"is_on": false}`, `{"is_on": true}`}}).Problems()
			// The model has an attribute that the table does not mention.
			if !slices.Contains(problems, "broken: the model has it, and no row of the table") && row.Name != "broken" {
				t.Errorf("the attribute without a row is not found: %q", problems)
			}
			problems = slices.DeleteFunc(problems, func(p string) bool { return strings.HasSuffix(p, "the model has it, and no row of the table") })
			if test.want == "" && len(problems) > 0 || test.want != "" && (len(problems) != 1 || !strings.HasPrefix(problems[0], test.want)) {
				t.Errorf("found %q, not %q", problems, test.want)
			}
		})
	}
}
