package userstatus

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// DataSource is the data source zulip_user_status.
type DataSource struct{ base.DataSource }

// NewDataSource returns the data source zulip_user_status.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user_status"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the status of a person: text and emoji. " + featurelevel.Needs("zulip_user_status", ""),
		Attributes: map[string]schema.Attribute{
			"user":          schema.StringAttribute{Required: true, MarkdownDescription: "Email address or user ID of the person. Bots have no status."},
			"user_id":       schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of the person."},
			"status_text":   computed("Text of the status; `\"\"` if there is none."),
			"emoji_name":    computed("Name of the emoji; `\"\"` if there is none."),
			"emoji_code":    computed("Code of the emoji; `\"\"` if there is none."),
			"reaction_type": computed("Type of the emoji: `unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`; `\"\"` if there is none."),
		},
	}
}

// Read asks for this one status.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data model
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() || !d.Ready(&resp.Diagnostics) {
		return
	}
	if level := d.FeatureLevel(); level > 0 && level < levelOfOne {
		resp.Diagnostics.AddError("The server is too old for this data source",
			fmt.Sprintf("It needs feature level %d; the server has %d (Zulip %s).", levelOfOne, level, d.Meta.Server.ZulipVersion))
		return
	}
	view, err := d.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the people", base.Explain(err))
		return
	}
	user, err := lookup.User(view, data.User.ValueString())
	switch {
	case err != nil:
		lookup.AddError(&resp.Diagnostics, path.Root("user"), err, "")
		return
	case user.IsBot:
		resp.Diagnostics.AddAttributeError(path.Root("user"), "Bots have no status", fmt.Sprintf("%s is a bot. Only people have a status.", user.Address()))
		return
	case !user.IsActive:
		resp.Diagnostics.AddAttributeError(path.Root("user"), "Deactivated", fmt.Sprintf("%s is deactivated and shows no status.", user.Address()))
		return
	}
	status, err := d.Meta.Client.Status(ctx, user.ID)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the status of "+user.Address(), base.Explain(err))
		return
	}
	data.UserID = types.Int64Value(user.ID)
	data.StatusText, data.EmojiName = types.StringValue(status.Text), types.StringValue(status.EmojiName)
	data.EmojiCode, data.ReactionType = types.StringValue(status.EmojiCode), types.StringValue(status.ReactionType)
	resp.Diagnostics.Append(resp.State.Set(ctx, &data)...)
}
