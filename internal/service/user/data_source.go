package user

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// DataSource is the data source zulip_user.
type DataSource struct{ base.DataSource }

// NewDataSource returns the data source zulip_user.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := attributes()
	all["id"] = schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: "User ID. Set this or `email`.",
		Validators: []validator.Int64{validators.ExactlyOneOf("id", "email")},
	}
	all["email"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Email address to find the user by: the real one if the provider's account may see it, or the one that the server generates. Case is ignored. Set this or `id`. The result is the address in the API: the real one if everybody may see it, otherwise the one that the server generates.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads a person or bot by ID or email address, deactivated ones included.",
		Attributes:          all,
	}
}

// Read finds the user in the snapshot.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config facts
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !d.Ready(&resp.Diagnostics) {
		return
	}
	s, err := d.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the users", base.Explain(err))
		return
	}
	wanted, at := config.Email.ValueString(), path.Root("email")
	if config.Email.IsNull() {
		wanted, at = strconv.FormatInt(config.ID.ValueInt64(), 10), path.Root("id")
	}
	user, err := lookup.User(s, wanted)
	if err != nil {
		lookup.AddError(&resp.Diagnostics, at, err, "")
		return
	}
	var found facts
	resp.Diagnostics.Append(found.read(ctx, user, s, d.HasLevel(featurelevel.DeletedUsers))...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
}
