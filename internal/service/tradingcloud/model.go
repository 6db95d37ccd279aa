// Package tradingcloud is what the provider reads of the trading cloud: its organizations, its trade platforms, and the token that lets
// other tools ask it.
package tradingcloud

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
)

// organizationModel is an organization that the client takes part in.
type organizationModel struct {
	ID      types.String `tfsdk:"id"`
	Name    types.String `tfsdk:"name"`
	Created types.String `tfsdk:"created"`
}

func organizationOf(wire *trading.Organization) *organizationModel {
	if wire == nil {
		return nil
	}
	return &organizationModel{types.StringValue(wire.ID), types.StringPointerValue(wire.Name), types.StringPointerValue(wire.Created)}
}

// platformModel is a trade platform.
type platformModel struct {
	ID             types.String       `tfsdk:"id"`
	Name           types.String       `tfsdk:"name"`
	Type           types.String       `tfsdk:"type"`
	Login          types.Int64        `tfsdk:"login"`
	OrganizationID types.String       `tfsdk:"organization_id"`
	Organization   *organizationModel `tfsdk:"organization"`
	Created        types.String       `tfsdk:"created"`
}

func platformOf(wire *trading.Platform) platformModel {
	return platformModel{
		ID: types.StringValue(wire.ID), Name: types.StringPointerValue(wire.Name),
		Type: types.StringPointerValue((*string)(wire.Type)), Login: types.Int64PointerValue(wire.Login),
		OrganizationID: types.StringPointerValue(wire.OrganizationID), Organization: organizationOf(wire.Organization),
		Created: types.StringPointerValue(wire.Created),
	}
}

func organizationAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":      schema.StringAttribute{Computed: true, MarkdownDescription: "Its ID, a GUID."},
		"name":    schema.StringAttribute{Computed: true, MarkdownDescription: "Its name; may be null."},
		"created": schema.StringAttribute{Computed: true, MarkdownDescription: "Time of creation, as the trading cloud writes it (ISO 8601); may be null."},
	}
}

func platformAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":              schema.StringAttribute{Computed: true, MarkdownDescription: "Its ID, a GUID."},
		"name":            schema.StringAttribute{Computed: true, MarkdownDescription: "Its name; may be null."},
		"type":            schema.StringAttribute{Computed: true, MarkdownDescription: "What it is: `MT4`, `MT5`, or the number by which some servers say so; may be null."},
		"login":           schema.Int64Attribute{Computed: true, MarkdownDescription: "The number of the account that is used on it; may be null."},
		"organization_id": schema.StringAttribute{Computed: true, MarkdownDescription: "The ID of the organization it belongs to; may be null."},
		"organization": schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: "The organization it belongs to; may be null.", Attributes: organizationAttributes(),
		},
		"created": schema.StringAttribute{Computed: true, MarkdownDescription: "When it was added, as the trading cloud writes it (ISO 8601); may be null."},
	}
}
