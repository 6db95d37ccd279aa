package channelfolder

import (
	"regexp"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// facts are what a folder is, for the resource and the data source alike.
type facts struct {
	ID          types.Int64  `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	Description types.String `tfsdk:"description"`
	CreatorID   types.Int64  `tfsdk:"creator_id"`
	DateCreated types.String `tfsdk:"date_created"`
}

// model is the resource: the facts, and how it is made and unmade.
type model struct {
	facts
	AdoptArchived types.Bool   `tfsdk:"adopt_archived"`
	OnDestroy     types.String `tfsdk:"on_destroy"`
}

const (
	onDestroyArchive = "archive"
	onDestroyKeep    = "keep"
)

// The server's limits, counted in characters (server-behavior §F1).
const (
	maxName        = 60
	maxDescription = 1024
)

var visible = regexp.MustCompile(`\S`)

// read takes what the server holds.
func (f *facts) read(folder *zulip.ChannelFolder) {
	f.ID = types.Int64Value(folder.ID)
	f.Name, f.Description = types.StringValue(folder.Name), types.StringValue(folder.Description)
	f.CreatorID = types.Int64PointerValue(folder.CreatorID)
	f.DateCreated = types.StringValue(time.Unix(folder.DateCreated, 0).UTC().Format(time.RFC3339))
}

// changes are the attributes that are planned otherwise than they are held.
func (f *facts) changes(held *model) (update zulip.ChannelFolderUpdate) {
	if !f.Name.Equal(held.Name) {
		update.Name = f.Name.ValueStringPointer()
	}
	if !f.Description.IsNull() && !f.Description.IsUnknown() && !f.Description.Equal(held.Description) {
		update.Description = f.Description.ValueStringPointer()
	}
	return update
}

func resourceSchema() schema.Schema {
	keepNumber := []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}
	keepText := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `A channel folder: a heading under which the web app shows channels. A channel says which folder it is in, with ` + "`folder_id`" + `; ` + "`zulip_channel_folder_order`" + ` puts the folders into an order. Only administrators and owners manage folders. ` + featurelevel.Needs("zulip_channel_folder", "") + `

Zulip deletes no folder. Destroying one takes all channels out of it, archived ones included, and archives it; its name is free then.

` + core.NeverAdopted,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{Computed: true, MarkdownDescription: "The folder's ID.", PlanModifiers: keepNumber},
			"name": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "The name, at most 60 characters. No other active folder has it, whatever the case of its letters. The server keeps white space at its ends.",
				Validators: []validator.String{
					validators.Length(1, maxName),
					validators.Matches(visible, "must not be blank"),
					validators.VisibleName{RefuseControls: true},
				},
			},
			"description": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "What the folder is for, in Markdown, at most 1024 characters. Not managed if it is not set; a new folder then has none.",
				Validators:          []validator.String{validators.Length(0, maxDescription)},
			},
			"adopt_archived": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Reactivate an archived folder with the name instead of creating one; of several, the one that was created last. Only used on creation. Without it a second folder of the name is created: archived folders give up their names.",
			},
			"on_destroy": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "What happens to the folder when it is destroyed: `archive` (the default) takes the channels out and archives it: that is one request for each channel, beside the one that archives a channel which is destroyed too. `keep` leaves it as it is, and costs no request.",
				Validators:          []validator.String{validators.OneOf(onDestroyArchive, onDestroyKeep)},
			},
			"creator_id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "User ID of who created it; null if that is not known.", PlanModifiers: keepNumber,
			},
			"date_created": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Time at which it was created (RFC 3339).", PlanModifiers: keepText,
			},
		},
	}
}
