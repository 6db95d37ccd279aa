package channels

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/order"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// NewChannelFolderResource returns zulip_channel_folder.
func NewChannelFolderResource() resource.Resource { return core.New(channelFolderDefinition()) }

func channelFolderDefinition() *core.Definition[channelFolderModel, zulip.ChannelFolder] {
	return &core.Definition[channelFolderModel, zulip.ChannelFolder]{
		Name: "channel_folder", Title: "channel folder", Plural: "channel folders",
		ListText: core.ListText{Description: "Lists the channel folders of the organization."},
		Schema:   channelFolderSchema,
		Role:     zulip.RoleAdministrator, Unsent: []string{"adopt_archived", "on_destroy"},
		Source: core.Source{Part: store.Folders},
		Index:  (*snapshot.Snapshot).Folders,
		Key:    func(folder *zulip.ChannelFolder) int64 { return folder.ID },
		Unique: core.Unique[channelFolderModel, zulip.ChannelFolder]{
			Of:             func(m *channelFolderModel) string { return m.Name.ValueString() },
			ImportedByName: folderByName,
			Where:          "the data source zulip_channel_folders lists all",
			IsTaken:        zulip.IsFolderNameTaken,
			Existing: func(e *existing.Object, folder *zulip.ChannelFolder, c *core.Call) {
				isOwn := folder.CreatorID != nil && *folder.CreatorID == c.Meta.Store.Self().ID
				e.Detail = "Case is ignored in names."
				e.MayBeReplaced, e.Ours = e.AsPlanned && isOwn, isOwn && existing.IsRecent(time.Unix(folder.DateCreated, 0))
			},
		},
		ReadInto:  func(m *channelFolderModel, folder *zulip.ChannelFolder, _ *core.Call) { m.read(folder) },
		CheckPlan: checkChannelFolderPlan,
		Create:    createChannelFolder, Update: updateChannelFolder, Delete: archiveChannelFolder, DeleteVerb: "archive",
		IsKept: func(state *channelFolderModel) bool {
			return state.OnDestroy.ValueString() == channelFolderOnDestroyKeep
		},
		Hint: channelFolderHint,
		Archive: core.Archive[channelFolderModel, zulip.ChannelFolder]{
			IsGone:   func(folder *zulip.ChannelFolder) bool { return folder.IsArchived },
			GoneWord: "archived",
			HowToAdopt: func(folder *zulip.ChannelFolder) string {
				return fmt.Sprintf("Channel folder %q is archived. To reactivate it, add a zulip_channel_folder with its name and adopt_archived = true.", folder.Name)
			},
			Adopt: adoptChannelFolder,
		},
	}
}

// folderByName returns the active folder with a name, or an archived one if there is none.
func folderByName(view *snapshot.Snapshot, name string) (*zulip.ChannelFolder, bool) {
	if folder, ok := view.Folders().ByName(name); ok {
		return folder, true
	}
	return view.ArchivedFolder(name)
}

// checkChannelFolderPlan says which archived folder will be reactivated, and refuses to replace a folder with channels.
func checkChannelFolderPlan(ctx context.Context, p *core.Plan[channelFolderModel]) {
	if p.IsCreate() && len(p.Own) > 0 {
		existing.RefuseReplacement(p.Diags, func(found *diag.Diagnostics) { warnOfReplacedFolder(ctx, p, found) })
	}
	if !p.IsCreate() || !p.Plan.AdoptArchived.ValueBool() || p.Plan.Name.IsUnknown() {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Folders)
	if err != nil {
		p.Diags.AddError("Cannot read the channel folders", base.Explain(err))
		return
	}
	if archived, ok := adoptableFolder(view, p.Plan); ok {
		// Only the detail has the name, so that Terraform can combine many warnings into one.
		p.Diags.AddAttributeWarning(path.Root("adopt_archived"), "An archived channel folder will be reactivated",
			fmt.Sprintf("Channel folder %q has the ID %d. Unset attributes are left unchanged. %s", archived.Name, archived.ID, existing.AdoptionReason("channel folder", "adopt_archived")))
	}
}

// warnOfReplacedFolder warns about the channels in a folder that is replaced.
func warnOfReplacedFolder(ctx context.Context, p *core.Plan[channelFolderModel], diags *diag.Diagnostics) {
	view, err := p.Meta.Store.Read(ctx, store.Folders, store.Channels)
	if err != nil {
		diags.AddError("Cannot read the channel folders", base.Explain(err))
		return
	}
	var names []string
	for _, channel := range view.Channels().List() {
		if channel.FolderID != nil && slices.Contains(p.Own, *channel.FolderID) {
			names = append(names, suggest.Quote(channel.Name))
		}
	}
	if len(names) > 0 {
		diags.AddWarning("A channel folder that is replaced loses its channels",
			fmt.Sprintf("The apply takes these channels out of the folder: %s. The next plan puts those back that the configuration has in it.", strings.Join(names, ", ")))
	}
}

// adoptableFolder returns the archived folder that a plan asks to reactivate. To reactivate one whose name is in use makes the
// server fail (server-behavior §F3).
func adoptableFolder(view *snapshot.Snapshot, plan *channelFolderModel) (*zulip.ChannelFolder, bool) {
	name := plan.Name.ValueString()
	if !plan.AdoptArchived.ValueBool() || !isFolderNameFree(view, name) {
		return nil, false
	}
	return view.ArchivedFolder(name)
}

func createChannelFolder(ctx context.Context, c *core.Call, plan *channelFolderModel) (int64, error) {
	return c.Meta.Client.CreateChannelFolder(ctx, plan.Name.ValueString(), plan.Description.ValueString())
}

// adoptChannelFolder reactivates an archived folder, with the name and description that are planned. The server
// executes them first, in the same request: while the folder is archived, another case of its own name is accepted.
func adoptChannelFolder(ctx context.Context, c *core.Call, plan *channelFolderModel) (id int64, ok bool, err error) {
	if !plan.AdoptArchived.ValueBool() {
		return 0, false, nil
	}
	view, err := c.Meta.Store.Fresh(ctx, store.Folders)
	if err != nil {
		return 0, false, err
	}
	archived, ok := adoptableFolder(view, plan)
	if !ok {
		return 0, false, nil
	}
	var current channelFolderModel
	current.read(archived)
	change, active := plan.changes(&current), false
	change.IsArchived = &active
	return archived.ID, true, c.Meta.Client.UpdateChannelFolder(ctx, archived.ID, change)
}

// updateChannelFolder sends the differences. Changes that the server made before it refused the rest remain
// (server-behavior §F6). The server treats a folder's own name as taken, and so refuses a change of case
// (server-behavior §F4): in that case the folder first gets a temporary name.
func updateChannelFolder(ctx context.Context, c *core.Call, planned, current *channelFolderModel) error {
	id, before, change := current.ID.ValueInt64(), current.Name.ValueString(), planned.changes(current)
	err := c.Meta.Client.UpdateChannelFolder(ctx, id, change)
	if !zulip.IsFolderNameTaken(err) || zulip.FoldName(before) != zulip.FoldName(*change.Name) {
		return err
	}
	view, err := c.Meta.Store.Fresh(ctx, store.Folders)
	if err != nil {
		return err
	}
	between := folderNameBetween(view, before)
	if err := c.Meta.Client.UpdateChannelFolder(ctx, id, zulip.ChannelFolderUpdate{Name: &between}); err != nil {
		return err
	}
	return c.Meta.Client.UpdateChannelFolder(ctx, id, change)
}

// folderNameBetween is a name that nothing has, like the given one and not longer than allowed.
func folderNameBetween(view *snapshot.Snapshot, name string) string {
	letters := []rune(name)
	for n := 1; ; n++ {
		suffix := fmt.Sprintf(" (%d)", n)
		between := string(letters[:min(len(letters), channelFolderMaxName-len(suffix))]) + suffix
		if isFolderNameFree(view, between) {
			return between
		}
	}
}

func isFolderNameFree(view *snapshot.Snapshot, name string) bool {
	_, taken := view.Folders().ByName(name)
	return !taken
}

// archiveChannelFolder empties a folder and archives it. It starts again if a channel is added in the meantime. A
// deleted folder is no error.
func archiveChannelFolder(ctx context.Context, c *core.Call, state *channelFolderModel) error {
	id, archived := state.ID.ValueInt64(), true
	for attempt := 0; ; attempt++ {
		err := emptyFolder(ctx, c, id)
		if err == nil {
			err = c.Meta.Client.UpdateChannelFolder(ctx, id, zulip.ChannelFolderUpdate{IsArchived: &archived})
		}
		if err == nil || zulip.IsNoFolder(err) {
			return nil
		}
		// If the answer to a removal was lost, the next round shows whether the channel was removed.
		again := zulip.IsFolderInUse(err) || zulip.MayHaveHappened(err)
		if !again || attempt == c.Meta.Client.MaxRetries() {
			return err
		}
	}
}

// emptyFolder removes every channel from a folder, including archived ones and those that this run has archived. An archived
// channel stays in its folder, and so the server doesn't archive the folder
// (https://zulip.com/api/update-channel-folder). The server removes one channel at a time.
func emptyFolder(ctx context.Context, c *core.Call, id int64) error {
	view, err := c.Meta.Store.Fresh(ctx, store.Channels)
	if err != nil {
		return err
	}
	var none *int64
	for _, channel := range view.Channels().List() {
		if channel.FolderID == nil || *channel.FolderID != id {
			continue
		}
		c.Meta.Store.Invalidate(store.Channels)
		err := c.Meta.Run.Effects.Send(func() error {
			_, err := c.Meta.Client.UpdateChannel(ctx, channel.ID, zulip.ChannelUpdate{FolderID: &none})
			return err
		}, effects.Write{Kind: effects.TakenFromFolder, ID: channel.ID, Value: id})
		if err != nil {
			return fmt.Errorf("removing channel %q from the folder: %w", channel.Name, err)
		}
	}
	return nil
}

func channelFolderHint(err error) string {
	switch {
	case zulip.IsFolderNameTaken(err):
		return "Names are compared ignoring case. To manage the existing folder, import it by its name. Otherwise choose another name."
	case zulip.IsFolderInUse(err):
		return "The provider removed all channels from the folder, but someone added a channel again. Archived channels count too."
	case zulip.IsNoFolder(err):
		return "The folder no longer exists."
	}
	return ""
}

// channelFolderModel is the resource.
type channelFolderModel struct {
	ID            types.Int64  `tfsdk:"id"`
	Name          types.String `tfsdk:"name"`
	Description   types.String `tfsdk:"description"`
	CreatorID     types.Int64  `tfsdk:"creator_id"`
	DateCreated   types.String `tfsdk:"date_created"`
	AdoptArchived types.Bool   `tfsdk:"adopt_archived"`
	OnDestroy     types.String `tfsdk:"on_destroy"`
}

const (
	channelFolderOnDestroyArchive = "archive"
	channelFolderOnDestroyKeep    = "keep"
)

// The server's limits, counted in characters (server-behavior §F1).
const (
	channelFolderMaxName        = 60
	channelFolderMaxDescription = 1024
)

// read sets the attributes to the server's values.
func (m *channelFolderModel) read(folder *zulip.ChannelFolder) {
	m.ID = types.Int64Value(folder.ID)
	m.Name, m.Description = types.StringValue(folder.Name), types.StringValue(folder.Description)
	m.CreatorID = types.Int64PointerValue(folder.CreatorID)
	m.DateCreated = types.StringValue(time.Unix(folder.DateCreated, 0).UTC().Format(time.RFC3339))
}

// changes returns the attributes whose planned values differ from the server's.
func (m *channelFolderModel) changes(held *channelFolderModel) (update zulip.ChannelFolderUpdate) {
	if !m.Name.Equal(held.Name) {
		update.Name = m.Name.ValueStringPointer()
	}
	if !m.Description.IsNull() && !m.Description.IsUnknown() && !m.Description.Equal(held.Description) {
		update.Description = m.Description.ValueStringPointer()
	}
	return update
}

func channelFolderSchema() schema.Schema {
	keepNumber := []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}
	keepText := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages a [channel folder](https://zulip.com/help/channel-folders), a heading under which the web app groups channels.",
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{Computed: true, MarkdownDescription: "ID of the folder.", PlanModifiers: keepNumber},
			"name": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Name of the folder, at most 60 characters. Must be unique among active folders, ignoring case. The server keeps white space at both ends.",
				Validators: []validator.String{
					validators.Length(1, channelFolderMaxName),
					validators.VisibleName{RefuseControls: true},
				},
			},
			"description": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Description of the folder, in Markdown, at most 1024 characters. Initially empty.",
				Validators:          []validator.String{validators.Length(0, channelFolderMaxDescription)},
			},
			"adopt_archived": schema.BoolAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "If true, an archived folder with the same name is reactivated; if there are several, the one created last. Only used on create. Defaults to `adopt_archived` of the provider. Otherwise a second folder is created, because archived folders give up their names.",
			},
			"on_destroy": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Action on destroy: `archive` removes the channels from the folder and archives it, with one request for each channel; `keep` leaves the folder unchanged. Defaults to `archive`.",
				Validators:          []validator.String{validators.OneOf(channelFolderOnDestroyArchive, channelFolderOnDestroyKeep)},
			},
			"creator_id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "User ID of the creator. Null if the server doesn't know it.", PlanModifiers: keepNumber,
			},
			"date_created": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Time at which the folder was created (RFC 3339).", PlanModifiers: keepText,
			},
		},
	}
}

// NewChannelFolderOrderResource returns zulip_channel_folder_order.
func NewChannelFolderOrderResource() resource.Resource {
	return &order.Resource{Order: order.Order{
		TypeName: "channel_folder_order", ID: "channel_folders", Attribute: "folder_ids",
		Thing: "channel folder", Things: "channel folders",
		Description: "Manages the order in which the web app shows [channel folders](https://zulip.com/help/channel-folders).",
		Seen: func(ctx context.Context, d *store.Store) ([]order.Item, error) {
			return folderItems(d.Read(ctx, store.Folders))
		},
		Fresh: func(ctx context.Context, d *store.Store, _ func([]order.Item) bool) ([]order.Item, error) {
			return folderItems(d.Fresh(ctx, store.Folders))
		},
		// The server requires all of them, including archived ones (server-behavior §F5).
		Write: func(ctx context.Context, client *zulip.Client, ids []int64) error {
			return client.OrderChannelFolders(ctx, ids)
		},
	}}
}

func folderItems(view *snapshot.Snapshot, err error) ([]order.Item, error) {
	if err != nil {
		return nil, err
	}
	var all []order.Item
	for _, folder := range view.Folders().List() {
		one := order.Item{ID: folder.ID}
		if folder.IsArchived {
			one.Aside = fmt.Sprintf("Channel folder %d, %q, is archived. To unarchive it, add a zulip_channel_folder with its name and adopt_archived = true.", folder.ID, folder.Name)
		}
		all = append(all, one)
	}
	return all, nil
}

// NewChannelFoldersDataSource returns the data source zulip_channel_folders.
func NewChannelFoldersDataSource() datasource.DataSource {
	return adapter.NewListed(channelFolderDefinition(), adapter.Listed{
		Name: "channel_folders", Description: "Lists the channel folders of the organization in their order.",
		Attribute: "folders", Text: "Folders. Empty before " + featurelevel.Describe(featurelevel.Since("zulip_channel_folder", "")) + ".",
	})
}
