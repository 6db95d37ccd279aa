// Package trading has the data sources of the trading cloud, and the ephemeral resource of its token.
package trading

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
)

// NewPlatformsDataSource returns the data source zulip_trading_platforms.
func NewPlatformsDataSource() datasource.DataSource {
	return adapter.DataSource[platformsModel]{Name: "trading_platforms", Ready: (*base.Base).TradingReady, Schema: platformsDataSchema, Read: readPlatformsData}.New()
}

func platformsDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists the trade platforms of the trading cloud's client, sorted by ID. Requires only the provider's `trading_cloud` block.",
		Attributes: map[string]schema.Attribute{
			"organization_id": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only platforms of the organization with this ID (GUID).", Validators: []validator.String{validators.Checked("ID", checkID)},
			},
			"type": schema.StringAttribute{Optional: true, MarkdownDescription: "Only platforms of this type, such as `MT5`. Case is ignored."},
			"platforms": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Platforms.",
				NestedObject: schema.NestedAttributeObject{Attributes: platformAttributes()},
			},
		},
	}
}

func readPlatformsData(ctx context.Context, c *adapter.Call[platformsModel], found *platformsModel) error {
	platforms, err := c.Meta.Trading.Platforms(ctx)
	if err != nil {
		return base.Failed("Cannot list the trade platforms", err)
	}
	slices.SortFunc(platforms, func(a, b trading.Platform) int { return cmp.Compare(a.ID, b.ID) })
	found.Platforms = []platformModel{}
	for i := range platforms {
		if platform := platformOf(&platforms[i]); found.admits(&platform) {
			found.Platforms = append(found.Platforms, platform)
		}
	}
	return nil
}

type platformsModel struct {
	OrganizationID types.String    `tfsdk:"organization_id"`
	Type           types.String    `tfsdk:"type"`
	Platforms      []platformModel `tfsdk:"platforms"`
}

// admits reports whether a platform matches every filter.
func (m *platformsModel) admits(platform *platformModel) bool {
	of := platform.OrganizationID
	if of.IsNull() && platform.Organization != nil {
		of = platform.Organization.ID
	}
	return passes(m.OrganizationID, of) && passes(m.Type, platform.Type)
}

func passes(filter, value types.String) bool {
	return filter.IsNull() || !value.IsNull() && strings.EqualFold(filter.ValueString(), value.ValueString())
}

// NewPingDataSource returns the data source zulip_trading_platform_ping.
func NewPingDataSource() datasource.DataSource {
	return adapter.DataSource[pingModel]{Name: "trading_platform_ping", Ready: (*base.Base).TradingReady, Schema: pingDataSchema, Read: readPingData}.New()
}

func pingDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Checks whether the trading cloud reaches a trade platform, for a `check` block or a precondition.",
		Attributes: map[string]schema.Attribute{
			"platform_id": schema.StringAttribute{
				Required: true, MarkdownDescription: "ID of the platform (GUID).", Validators: []validator.String{validators.Checked("ID", checkID)},
			},
			"reachable": schema.BoolAttribute{Computed: true, MarkdownDescription: "True if the trading cloud reached the platform."},
			"latency_ms": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "Response time of the trading cloud in milliseconds. It differs each time, so resources that use it and `check` blocks that contain this data source change with each plan.",
			},
			"problem": schema.StringAttribute{Computed: true, MarkdownDescription: "Reason for the failure in the trading cloud's words. Null if the platform was reached."},
		},
	}
}

func readPingData(ctx context.Context, c *adapter.Call[pingModel], check *pingModel) error {
	ping, err := c.Meta.Trading.Ping(ctx, check.PlatformID.ValueString())
	if err != nil {
		return base.Failed(fmt.Sprintf("Cannot check the connection to the platform %q", check.PlatformID.ValueString()), err)
	}
	check.Reachable = types.BoolValue(ping.Reachable)
	check.LatencyMS = types.Int64Value(ping.Latency.Milliseconds())
	check.Problem = types.StringNull()
	if !ping.Reachable {
		check.Problem = types.StringValue(ping.Problem)
	}
	return nil
}

type pingModel struct {
	PlatformID types.String `tfsdk:"platform_id"`
	Reachable  types.Bool   `tfsdk:"reachable"`
	LatencyMS  types.Int64  `tfsdk:"latency_ms"`
	Problem    types.String `tfsdk:"problem"`
}

// checkID checks the form of the ID of a platform or an organization.
func checkID(text string) error {
	if trading.IsID(text) {
		return nil
	}
	return fmt.Errorf("%q is not an ID of the trading cloud: write a GUID like 0d9a5f1e-3c44-4e0e-8f0b-5b1f6f0c9a01", text)
}

// organizationModel is an organization of the client.
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
		"id":      schema.StringAttribute{Computed: true, MarkdownDescription: "ID (GUID)."},
		"name":    schema.StringAttribute{Computed: true, MarkdownDescription: "Name. Can be null."},
		"created": schema.StringAttribute{Computed: true, MarkdownDescription: "Creation time (ISO 8601). Can be null."},
	}
}

func platformAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":              schema.StringAttribute{Computed: true, MarkdownDescription: "ID (GUID)."},
		"name":            schema.StringAttribute{Computed: true, MarkdownDescription: "Name. Can be null."},
		"type":            schema.StringAttribute{Computed: true, MarkdownDescription: "Type: `MT4`, `MT5`, or a number from some servers. Can be null."},
		"login":           schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of the account on the platform. Can be null."},
		"organization_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the organization. Can be null."},
		"organization": schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: "Organization. Can be null.", Attributes: organizationAttributes(),
		},
		"created": schema.StringAttribute{Computed: true, MarkdownDescription: "Creation time (ISO 8601). Can be null."},
	}
}
