package framework

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What resources have in common that put the things of an organization into an order. There is one such order in the
// organization. What the configuration does not name follows what it names, as it stood.

// OrderID is the ID of an order, and what it is imported by.
const OrderID = "order"

// OrderIdentity is what an order is recognised by.
type OrderIdentity struct {
	ID types.String `tfsdk:"id"`
}

// OrderIdentitySchema describes OrderIdentity.
func OrderIdentitySchema() identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "`" + OrderID + "`: an organization has one."},
	}}
}

// OrderIDAttribute is the attribute of OrderID.
func OrderIDAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Computed: true, MarkdownDescription: "Always `" + OrderID + "`: an organization has one.",
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// OrderAttribute is the attribute of the IDs that are put into an order, each once.
func OrderAttribute(description string) schema.ListAttribute {
	return schema.ListAttribute{
		ElementType: types.Int64Type, Required: true, MarkdownDescription: description,
		Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.UniqueValues(), listvalidator.NoNullValues()},
	}
}

// CheckOrderImport refuses an import by anything but OrderID.
func CheckOrderImport(id string, diags *diag.Diagnostics) {
	if id != OrderID {
		diags.AddError("Not the ID of an order", "An organization has one order, and it is imported by the word "+OrderID+".")
	}
}

// OrderIDs reads a list of IDs. known is false while one of them is not known yet.
func OrderIDs(list types.List) (ids []int64, known bool) {
	known = !list.IsUnknown()
	for _, element := range list.Elements() {
		id, ok := element.(types.Int64)
		if !ok || id.IsUnknown() {
			known = false
			continue
		}
		ids = append(ids, id.ValueInt64())
	}
	return ids, known
}

// OrderList writes IDs as a list.
func OrderList(ids []int64) types.List {
	elements := make([]attr.Value, len(ids))
	for i, id := range ids {
		elements[i] = types.Int64Value(id)
	}
	return types.ListValueMust(types.Int64Type, elements)
}

// FullOrder is the order of all: first those that are named, then the others as they stand now.
func FullOrder(named, now []int64) []int64 {
	order := slices.Clone(named)
	for _, id := range now {
		if !slices.Contains(named, id) {
			order = append(order, id)
		}
	}
	return order
}

// LeadingOrder is what a list of so many IDs has to be compared with: as many of those that lead now. Something that
// somebody has moved before them shows as a difference. Of a list that is not known yet, as on import, it is all.
func LeadingOrder(list types.List, now []int64) types.List {
	if list.IsNull() || list.IsUnknown() {
		return OrderList(now)
	}
	return OrderList(now[:min(len(list.Elements()), len(now))])
}
