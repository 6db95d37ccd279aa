package user

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// account is the resource.
type account struct {
	ID               types.Int64  `tfsdk:"id"`
	Email            types.String `tfsdk:"email"`
	FullName         types.String `tfsdk:"full_name"`
	Role             types.String `tfsdk:"role"`
	ProfileData      types.Map    `tfsdk:"profile_data"`
	Password         types.String `tfsdk:"password"`
	Comment          types.String `tfsdk:"deactivation_notification_comment"`
	Actions          types.Object `tfsdk:"deactivation_actions"`
	AdoptDeactivated types.Bool   `tfsdk:"adopt_deactivated"`
	DateJoined       types.String `tfsdk:"date_joined"`
}

// read takes what the server says, in the words there are where they mean the same. An account that has no address yet
// is one that is being imported: everything it holds is taken.
func (a *account) read(ctx context.Context, user *zulip.User, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	imported := a.Email.IsNull()
	a.ID, a.DateJoined = types.Int64Value(user.ID), types.StringValue(user.DateJoined)
	if imported || !hidesEmail(user) && !sameEmail(a.Email.ValueString(), user.Address()) {
		a.Email = types.StringValue(user.Address())
	}
	if strings.TrimSpace(a.FullName.ValueString()) != user.FullName {
		a.FullName = types.StringValue(user.FullName)
	}
	a.Role = types.StringValue(user.Role.String())
	if imported {
		if held := profileOf(user, view); len(held) > 0 {
			profile, problems := types.MapValueFrom(ctx, types.StringType, held)
			a.ProfileData = profile
			diags.Append(problems...)
		}
		return
	}
	a.readProfile(user, view, diags)
}

// readProfile takes the fields that are managed.
func (a *account) readProfile(user *zulip.User, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	words, known := a.profile()
	if !known || words == nil {
		return
	}
	elements := a.ProfileData.Elements()
	for name, kept := range words {
		held := heldValue(user, name, view)
		if field, ok := view.ProfileFields().ByName(name); !ok || !sameValue(field, kept, held, view) {
			elements[name] = types.StringValue(held)
		}
	}
	profile, problems := types.MapValue(types.StringType, elements)
	a.ProfileData = profile
	diags.Append(problems...)
}

// profile returns the profile fields that are managed; nil if none are. Those whose value is null are not. known is false while a value is not known yet.
func (a *account) profile() (words map[string]string, known bool) {
	if a.ProfileData.IsNull() || a.ProfileData.IsUnknown() {
		return nil, a.ProfileData.IsNull()
	}
	words, known = map[string]string{}, true
	for name, element := range a.ProfileData.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			known = false
			continue
		}
		if !text.IsNull() {
			words[name] = text.ValueString()
		}
	}
	return words, known
}

// changes are what has to be sent so that the user becomes what is planned. What cannot be resolved is reported.
func (a *account) changes(user *zulip.User, view *snapshot.Snapshot, diags *diag.Diagnostics) zulip.UserUpdate {
	var update zulip.UserUpdate
	if name := strings.TrimSpace(a.FullName.ValueString()); !a.FullName.IsUnknown() && name != user.FullName {
		update.FullName = &name
	}
	if role, ok := zulip.ParseRole(a.Role.ValueString()); ok && role != user.Role {
		update.Role = &role
	}
	words, _ := a.profile()
	for _, name := range slices.Sorted(maps.Keys(words)) {
		field, ok := view.ProfileFields().ByName(name)
		if !ok {
			diags.AddAttributeError(path.Root("profile_data"), "No such profile field", framework.Sentence(framework.NoProfileField(name, view)))
			continue
		}
		value, err := wireValue(field, words[name], view)
		if err != nil {
			diags.AddAttributeError(path.Root("profile_data").AtMapKey(name), "Not people", framework.Sentence(err))
			continue
		}
		if !sameValue(field, words[name], heldValue(user, name, view), view) {
			update.ProfileData = append(update.ProfileData, zulip.ProfileChange{ID: field.ID, Value: value})
		}
	}
	return update
}

// fieldOfPeople is the type of profile fields that hold people (server-behavior §L7).
const fieldOfPeople = 6

// wireValue is a value as the wire wants it: the text, or for people the list of their IDs.
func wireValue(field *zulip.ProfileField, text string, view *snapshot.Snapshot) (any, error) {
	if field.Type != fieldOfPeople {
		return text, nil
	}
	ids := []int64{}
	people, err := peopleIn(field, text)
	for _, person := range people {
		user, err := framework.FindUser(view, person)
		if err != nil {
			return nil, err
		}
		ids = append(ids, user.ID)
	}
	return ids, err
}

// checkValue refuses people who are not there and are not created by this run.
func checkValue(field *zulip.ProfileField, text string, view *snapshot.Snapshot) error {
	if field.Type != fieldOfPeople {
		return nil
	}
	people, err := peopleIn(field, text)
	for _, person := range people {
		if _, _, err := framework.FindUserInPlan(view, person); err != nil {
			return err
		}
	}
	return err
}

// peopleIn reads the words for people in the text of a field.
func peopleIn(field *zulip.ProfileField, text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	var elements []any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&elements); err != nil {
		return nil, fmt.Errorf("the field %q holds people: write jsonencode([...]) with their addresses or IDs, not %q", field.Name, text)
	}
	people := make([]string, len(elements))
	for i, element := range elements {
		people[i] = fmt.Sprint(element)
	}
	return people, nil
}

// sameValue reports whether two texts mean the same in a field; people have no order.
func sameValue(field *zulip.ProfileField, a, b string, view *snapshot.Snapshot) bool {
	if field.Type != fieldOfPeople || a == b {
		return a == b
	}
	of := func(text string) string {
		value, err := wireValue(field, text, view)
		ids, ok := value.([]int64)
		if err != nil || !ok {
			return text
		}
		slices.SortFunc(ids, cmp.Compare[int64])
		return fmt.Sprint(slices.Compact(ids))
	}
	return of(a) == of(b)
}

// heldValue is what a person has in a field; "" if nothing.
func heldValue(user *zulip.User, name string, view *snapshot.Snapshot) string {
	field, ok := view.ProfileFields().ByName(name)
	if !ok {
		return ""
	}
	return user.ProfileData[strconv.FormatInt(field.ID, 10)].Value
}

// hidesEmail reports whether the real address is hidden from the account the provider uses.
func hidesEmail(user *zulip.User) bool { return user.DeliveryEmail == nil || *user.DeliveryEmail == "" }

func sameEmail(a, b string) bool { return strings.EqualFold(a, b) }
