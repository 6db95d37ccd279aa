package users

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// account is the resource.
type account struct {
	ID               types.Int64  `tfsdk:"id"`
	Email            types.String `tfsdk:"email"`
	FullName         types.String `tfsdk:"full_name"`
	Role             types.String `tfsdk:"role"`
	Active           types.Bool   `tfsdk:"active"`
	ProfileData      types.Map    `tfsdk:"profile_data"`
	Password         types.String `tfsdk:"password"`
	Comment          types.String `tfsdk:"deactivation_notification_comment"`
	Actions          types.Object `tfsdk:"deactivation_actions"`
	AdoptDeactivated types.Bool   `tfsdk:"adopt_deactivated"`
	DateJoined       types.String `tfsdk:"date_joined"`
}

// readUserInto sets the model to the server's values. A model without an email is being imported: it gets the whole
// profile.
func readUserInto(a *account, user *zulip.User, c *core.Call) {
	isImported := a.Email.IsNull()
	a.ID, a.DateJoined, a.Role = types.Int64Value(user.ID), types.StringValue(user.DateJoined), types.StringValue(user.Role.String())
	if !a.Active.IsNull() {
		a.Active = types.BoolValue(user.IsActive)
	}
	if isImported || !user.HidesEmail() && !sameEmail(a.Email.ValueString(), user.Address()) {
		a.Email = types.StringValue(user.Address())
	}
	if strings.TrimSpace(a.FullName.ValueString()) != user.FullName {
		a.FullName = types.StringValue(user.FullName)
	}
	elements := map[string]attr.Value{}
	if isImported {
		for name, value := range profileOf(user, c.Snapshot) {
			elements[name] = types.StringValue(value)
		}
	} else {
		elements = a.currentProfile(user, c.Snapshot)
	}
	if len(elements) > 0 {
		a.ProfileData = types.MapValueMust(types.StringType, elements)
	}
}

// currentProfile returns the managed fields with the values that the account has; nil if none are managed.
func (a *account) currentProfile(user *zulip.User, s *snapshot.Snapshot) map[string]attr.Value {
	profile, isKnown := a.profile()
	if !isKnown || profile == nil {
		return nil
	}
	elements := a.ProfileData.Elements()
	for name, prior := range profile {
		current := valueOf(user, name, s)
		if field, ok := s.ProfileFields().ByName(name); !ok || !sameValue(field, prior, current, s) {
			elements[name] = types.StringValue(current)
		}
	}
	return elements
}

// profile returns the managed profile fields; nil if none are. isKnown is false if a value is not known
// yet. States of earlier versions have null for fields that are not managed.
func (a *account) profile() (profile map[string]string, isKnown bool) {
	if a.ProfileData.IsNull() || a.ProfileData.IsUnknown() {
		return nil, a.ProfileData.IsNull()
	}
	profile, isKnown = map[string]string{}, true
	for name, element := range a.ProfileData.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			isKnown = false
			continue
		}
		if !text.IsNull() {
			profile[name] = text.ValueString()
		}
	}
	return profile, isKnown
}

// keepProfile keeps the prior profile if all fields mean the same.
func (a *account) keepProfile(prior *account, s *snapshot.Snapshot) {
	planned, isKnown := a.profile()
	before, _ := prior.profile()
	if !isKnown || planned == nil || len(planned) != len(before) {
		return
	}
	for name, text := range planned {
		field, ok := s.ProfileFields().ByName(name)
		old, isManaged := before[name]
		if !ok || !isManaged || !sameValue(field, text, old, s) {
			return
		}
	}
	a.ProfileData = prior.ProfileData
}

// changes returns the changes that turn the current account into the planned one.
func (a *account) changes(user *zulip.User, s *snapshot.Snapshot) (update zulip.UserUpdate, err error) {
	if name := strings.TrimSpace(a.FullName.ValueString()); !a.FullName.IsUnknown() && name != user.FullName {
		update.FullName = &name
	}
	if role, ok := zulip.ParseRole(a.Role.ValueString()); ok && role != user.Role {
		update.Role = &role
	}
	var diags diag.Diagnostics
	profile, _ := a.profile()
	for _, name := range slices.Sorted(maps.Keys(profile)) {
		field, err := lookup.ExistingProfileField(s, name)
		if err != nil {
			diags.AddAttributeError(path.Root("profile_data"), "No such profile field", base.Sentence(err))
			continue
		}
		value, err := wireValue(field, profile[name], s)
		if err != nil {
			diags.AddAttributeError(path.Root("profile_data").AtMapKey(name), "Invalid value for a field of users", base.Sentence(err))
			continue
		}
		if !sameValue(field, profile[name], valueOf(user, name, s), s) {
			update.ProfileData = append(update.ProfileData, zulip.ProfileChange{ID: field.ID, Value: value})
		}
	}
	return update, core.AsError(diags)
}

// wireValue returns a value for the API: the text, or for people the list of their IDs.
func wireValue(field *zulip.ProfileField, text string, s *snapshot.Snapshot) (any, error) {
	if field.Type != zulip.ProfileFieldUser {
		return text, nil
	}
	ids := []int64{}
	people, err := peopleIn(field, text)
	for _, person := range people {
		user, err := lookup.User(s, person)
		if err != nil {
			return nil, err
		}
		ids = append(ids, user.ID)
	}
	return ids, err
}

// longestValues are the maximum lengths of the values of profile fields, by type (server-behavior §L7).
var longestValues = map[zulip.ProfileFieldType]int{zulip.ProfileFieldShortText: 50, zulip.ProfileFieldLongText: 500, zulip.ProfileFieldExternal: 50, zulip.ProfileFieldPronouns: 50}

// checkValue refuses values that the field does not accept, and people who do not exist and are not created by this run.
func checkValue(field *zulip.ProfileField, text string, s *snapshot.Snapshot) error {
	if longest, length := longestValues[field.Type], utf8.RuneCountInString(text); longest > 0 && length > longest {
		return fmt.Errorf("field %q accepts at most %d characters, and the value has %d", field.Name, longest, length)
	}
	if field.Type != zulip.ProfileFieldUser {
		return nil
	}
	people, err := peopleIn(field, text)
	for _, person := range people {
		if _, _, err := lookup.UserInPlan(s, person); err != nil {
			return err
		}
	}
	return err
}

// peopleIn returns the emails or IDs of people in the text of a field.
func peopleIn(field *zulip.ProfileField, text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	var elements []any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&elements); err != nil {
		return nil, fmt.Errorf("field %q has users: set jsonencode([...]) of their emails or IDs, not %q", field.Name, text)
	}
	people := make([]string, len(elements))
	for i, element := range elements {
		people[i] = fmt.Sprint(element)
	}
	return people, nil
}

// namesInProfile returns the people that profile fields may name. The types of the fields are not known yet, so any
// list of texts counts.
func (a *account) namesInProfile() (names []string) {
	profile, _ := a.profile()
	for _, text := range profile {
		people, err := peopleIn(&zulip.ProfileField{}, text)
		if err == nil {
			names = append(names, people...)
		}
	}
	return names
}

// sameValue reports whether two texts mean the same in a field; people have no order.
func sameValue(field *zulip.ProfileField, a, b string, s *snapshot.Snapshot) bool {
	if field.Type != zulip.ProfileFieldUser || a == b {
		return a == b
	}
	of := func(text string) string {
		value, err := wireValue(field, text, s)
		ids, ok := value.([]int64)
		if err != nil || !ok {
			return text
		}
		slices.SortFunc(ids, cmp.Compare[int64])
		return fmt.Sprint(slices.Compact(ids))
	}
	return of(a) == of(b)
}

// valueOf returns the value that a person has in a field; "" if there is none.
func valueOf(user *zulip.User, name string, s *snapshot.Snapshot) string {
	field, ok := s.ProfileFields().ByName(name)
	if !ok {
		return ""
	}
	return user.ProfileData[strconv.FormatInt(field.ID, 10)].Value
}

func sameEmail(a, b string) bool { return strings.EqualFold(a, b) }
