package organization

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// knownServices are the services whose fields the server names itself (server-behavior §L6).
var knownServices = []string{"github", "twitter"}

// validateProfileField refuses known values that are wrong in every organization.
func validateProfileField(config *profileFieldModel, diags *diag.Diagnostics) {
	if config.FieldType.IsUnknown() {
		return
	}
	word := config.FieldType.ValueString()
	belongs := func(name string, value attr.Value, of string, does bool) {
		switch {
		case value.IsNull() && does:
			diags.AddAttributeError(path.Root(name), name+" is missing", fmt.Sprintf("A field of the %s requires it.", of))
		case base.IsSet(value) && !does:
			diags.AddAttributeError(path.Root(name), name+" is not allowed here", fmt.Sprintf("Only a field of the %s has it. Remove the attribute, or change the %s.", of, strings.Fields(of)[0]))
		}
	}
	kind := zulip.ParseProfileFieldType(word)
	belongs("options", config.Options, "type select", kind == zulip.ProfileFieldSelect)
	belongs("subtype", config.Subtype, "type external_account", kind == zulip.ProfileFieldExternal)
	if !config.Subtype.IsUnknown() {
		belongs("url_pattern", config.URLPattern, "subtype custom", config.Subtype.ValueString() == customFieldType)
		config.validateName(diags)
	}
	if base.IsSet(config.URLPattern) && strings.Count(config.URLPattern.ValueString(), "%(username)s") != 1 {
		diags.AddAttributeError(path.Root("url_pattern"), "Invalid url_pattern", "It must contain %(username)s exactly once, in place of the name of the account.")
	}
	if kind == zulip.ProfileFieldUser && config.DisplayInProfileSummary.ValueBool() {
		diags.AddAttributeError(path.Root("display_in_profile_summary"), "display_in_profile_summary is not allowed here", "The server does not show fields of the type user in the summary.")
	}
	config.validateOptions(diags)
}

// validateName requires a name if the server does not determine it.
func (m *profileFieldModel) validateName(diags *diag.Diagnostics) {
	subtype := m.Subtype.ValueString()
	external := m.FieldType.ValueString() == zulip.ProfileFieldExternal.String()
	if !external || !slices.Contains(knownServices, subtype) {
		if m.Name.IsNull() && (!external || subtype == customFieldType) {
			diags.AddAttributeError(path.Root("name"), "name is missing", "Set name. Only external accounts of a service that the server knows get their name from the server.")
		}
		return
	}
	for name, value := range map[string]attr.Value{"name": m.Name, "hint": m.Hint} {
		if base.IsSet(value) {
			diags.AddAttributeError(path.Root(name), name+" is not allowed here", fmt.Sprintf("The server knows %s and gives the field its own name, without a hint. Remove the attribute, or set subtype = \"custom\".", subtype))
		}
	}
}

// validateOptions requires different keys and texts, as far as they are known.
func (m *profileFieldModel) validateOptions(diags *diag.Diagnostics) {
	keys, texts := map[string]bool{}, map[string]bool{}
	for i, option := range profileFieldOptionsOf(m.Options) {
		at := path.Root("options").AtListIndex(i)
		if option.Key != "" && keys[option.Key] {
			diags.AddAttributeError(at.AtName("key"), "Duplicate option key", fmt.Sprintf("Another option also has the key %q.", option.Key))
		}
		if option.Text != "" && texts[option.Text] {
			diags.AddAttributeError(at.AtName("text"), "Duplicate option text", fmt.Sprintf("Another option also has the text %q. The server refuses that.", option.Text))
		}
		keys[option.Key], texts[option.Text] = true, true
	}
}

// checkProfileFieldPlan warns about data that people lose, and refuses to show a long text in the summary if the
// server is too old for it.
func checkProfileFieldPlan(ctx context.Context, p *core.Plan[profileFieldModel]) {
	everybody := func(string) bool { return true }
	switch {
	case p.IsDestroy():
		warnOfLostValues(ctx, p, p.State, everybody, "The field is deleted together with their answers.", p.Diags)
		return
	case p.IsReplaced:
		warnOfLostValues(ctx, p, p.State, everybody, fieldIsNew, p.Diags)
	case p.IsCreate() && len(p.Own) > 0:
		checkReplacedField(ctx, p)
	case !p.IsCreate():
		if gone := lostProfileFieldOptions(p.Plan, p.State); len(gone) > 0 {
			warnOfLostValues(ctx, p, p.State, func(value string) bool { return gone[value] }, "The option they chose is removed together with their answer. To change the text of an option, keep its key.", p.Diags)
		}
	}
	if p.Config.DisplayInProfileSummary.ValueBool() && zulip.ParseProfileFieldType(p.Config.FieldType.ValueString()) == zulip.ProfileFieldLongText {
		p.RequireLevel("display_in_profile_summary", levelLongSummary, p.Diags)
	}
}

// checkReplacedField refuses to replace a field with answers, if not because of another type: the first plan has then warned.
func checkReplacedField(ctx context.Context, p *core.Plan[profileFieldModel]) {
	view, err := p.Meta.Store.Read(ctx, profileFieldList)
	if err != nil {
		p.Diags.AddError("Cannot read the custom profile fields", base.Explain(err))
		return
	}
	field, ok := view.ProfileFields().ByID(p.Own[0])
	if !ok {
		return
	}
	var now profileFieldModel
	if now.read(field, p.FeatureLevel()); !p.Plan.FieldType.Equal(now.FieldType) || !p.Plan.Subtype.Equal(now.Subtype) {
		return
	}
	existing.RefuseReplacement(p.Diags, func(found *diag.Diagnostics) {
		warnOfLostValues(ctx, p, &now, func(string) bool { return true }, fieldIsNew, found)
	})
}

// fieldIsNew says what happens to the answers in a field that is replaced.
const fieldIsNew = "The field is re-created, and their answers are deleted. The next plan gives back those that a zulip_user has in profile_data."

// lostProfileFieldOptions returns the known keys of the options that a plan removes.
func lostProfileFieldOptions(plan, prior *profileFieldModel) map[string]bool {
	if plan.Options.IsUnknown() || !base.IsSet(prior.Options) {
		return nil
	}
	gone := map[string]bool{}
	for _, option := range profileFieldOptionsOf(prior.Options) {
		gone[option.Key] = true
	}
	for _, option := range profileFieldOptionsOf(plan.Options) {
		if option.Key == "" {
			return nil // not known yet
		}
		delete(gone, option.Key)
	}
	return gone
}

// warnOfLostValues warns how many people lose their value of a field.
func warnOfLostValues(ctx context.Context, p *core.Plan[profileFieldModel], of *profileFieldModel, loses func(value string) bool, why string, diags *diag.Diagnostics) {
	view, err := p.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		diags.AddError("Cannot read the people", base.Explain(err))
		return
	}
	field, count := strconv.FormatInt(of.ID.ValueInt64(), 10), 0
	for _, user := range view.Users() {
		if answer, ok := user.ProfileData[field]; ok && loses(answer.Value) {
			count++
		}
	}
	if count > 0 {
		diags.AddWarning(fmt.Sprintf("%s their answer in %q", people(count), of.Name.ValueString()), why)
	}
}

func people(count int) string {
	if count == 1 {
		return "1 person loses"
	}
	return fmt.Sprintf("%d people lose", count)
}

// fixedByService are the attributes that the server determines for a field of a service that it knows.
func fixedByService(state *profileFieldModel) []string {
	if slices.Contains(knownServices, state.Subtype.ValueString()) {
		return []string{"name", "hint"}
	}
	return nil
}
