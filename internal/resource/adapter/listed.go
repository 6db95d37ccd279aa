package adapter

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
)

// Listed defines a data source with all objects of a resource.
type Listed struct {
	// Name is the type without the provider's prefix.
	Name, Description string
	// Attribute is the attribute with the objects, and Text its description.
	Attribute, Text string
}

// NewListed returns a data source with all objects of a definition. They have the attributes of the resource, without those
// that the server does not store.
func NewListed[Model, Object any](d *core.Definition[Model, Object], l Listed) datasource.DataSource {
	include, is := "include_"+d.GoneWord, "is_"+d.GoneWord
	return DataSource[types.Object]{
		Name: l.Name,
		Schema: func() schema.Schema {
			all, shown := map[string]schema.Attribute{}, computed(d.Schema().Attributes)
			for _, name := range d.Unsent {
				delete(shown, name)
			}
			if d.IsGone != nil {
				all[include] = schema.BoolAttribute{Optional: true, MarkdownDescription: fmt.Sprintf("If true, %s %s are included. Defaults to `false`.", d.GoneWord, d.Plural)}
				shown[is] = schema.BoolAttribute{Computed: true, MarkdownDescription: fmt.Sprintf("True if the %s is %s.", d.Title, d.GoneWord)}
			}
			all[l.Attribute] = schema.ListNestedAttribute{Computed: true, MarkdownDescription: l.Text, NestedObject: schema.NestedAttributeObject{Attributes: shown}}
			return schema.Schema{MarkdownDescription: l.Description, Attributes: all}
		},
		Read: func(ctx context.Context, c *Call[types.Object], m *types.Object) error {
			view, err := c.Read("the "+d.Plural, append([]store.Part{d.Source.Part}, d.Source.Needs...)...)
			if err != nil {
				return err
			}
			attributes, found := m.Attributes(), []attr.Value{}
			isIncluded, _ := attributes[include].(types.Bool)
			list, _ := attributes[l.Attribute].(types.List)
			element, _ := list.ElementType(ctx).(types.ObjectType)
			whole, _ := d.Schema().Type().(types.ObjectType)
			for _, object := range d.Index(view).List() {
				isGone := d.IsGone != nil && d.IsGone(object)
				if isGone && !isIncluded.ValueBool() {
					continue
				}
				var one Model
				d.ReadInto(&one, object, &core.Call{Base: c.Base, Snapshot: view, Diags: c.Diags})
				read, diags := types.ObjectValueFrom(ctx, whole.AttrTypes, &one)
				c.Diags.Append(diags...)
				values := read.Attributes()
				for _, name := range d.Unsent {
					delete(values, name)
				}
				if d.IsGone != nil {
					values[is] = types.BoolValue(isGone)
				}
				value, diags := types.ObjectValue(element.AttrTypes, values)
				c.Diags.Append(diags...)
				found = append(found, value)
			}
			var diags diag.Diagnostics
			attributes[l.Attribute], diags = types.ListValue(element, found)
			c.Diags.Append(diags...)
			*m, diags = types.ObjectValue(m.AttributeTypes(ctx), attributes)
			c.Diags.Append(diags...)
			return nil
		},
	}.New()
}

// computed returns the attributes of a resource as those of a data source that sets all of them.
func computed(all map[string]resourceschema.Attribute) map[string]schema.Attribute {
	shown := make(map[string]schema.Attribute, len(all))
	for name, attribute := range all {
		text := attribute.GetMarkdownDescription()
		switch attribute := attribute.(type) {
		case resourceschema.StringAttribute:
			shown[name] = schema.StringAttribute{Computed: true, MarkdownDescription: text}
		case resourceschema.BoolAttribute:
			shown[name] = schema.BoolAttribute{Computed: true, MarkdownDescription: text}
		case resourceschema.Int64Attribute:
			shown[name] = schema.Int64Attribute{Computed: true, MarkdownDescription: text}
		case resourceschema.ListAttribute:
			shown[name] = schema.ListAttribute{Computed: true, MarkdownDescription: text, ElementType: attribute.ElementType}
		case resourceschema.SetAttribute:
			shown[name] = schema.SetAttribute{Computed: true, MarkdownDescription: text, ElementType: attribute.ElementType}
		case resourceschema.MapAttribute:
			shown[name] = schema.MapAttribute{Computed: true, MarkdownDescription: text, ElementType: attribute.ElementType}
		case resourceschema.ListNestedAttribute:
			elements := schema.NestedAttributeObject{Attributes: computed(attribute.NestedObject.Attributes)}
			shown[name] = schema.ListNestedAttribute{Computed: true, MarkdownDescription: text, NestedObject: elements}
		default:
			panic(fmt.Sprintf("computed has no case for %s, a %T", name, attribute))
		}
	}
	return shown
}
