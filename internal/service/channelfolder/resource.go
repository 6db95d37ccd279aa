// Package channelfolder is the resources zulip_channel_folder and zulip_channel_folder_order, and the data source
// zulip_channel_folders. The web app shows channels under the folder that they are in.
package channelfolder

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewResource returns zulip_channel_folder.
func NewResource() resource.Resource {
	return core.New(&core.Definition[model, zulip.ChannelFolder, model]{
		Name: "channel_folder", Title: "channel folder", Plural: "channel folders",
		ListText: core.ListText{Description: "Lists the channel folders of the organization."},
		Schema:   resourceSchema,
		Role:     zulip.RoleAdministrator, Unsent: []string{"adopt_archived", "on_destroy"},
		Source:   core.Source{Part: store.Folders},
		Index:    (*snapshot.Snapshot).Folders,
		Key:      func(folder *zulip.ChannelFolder) int64 { return folder.ID },
		IsGone:   func(folder *zulip.ChannelFolder) bool { return folder.IsArchived },
		GoneWord: "archived",
		HowToAdopt: func(folder *zulip.ChannelFolder) string {
			return fmt.Sprintf("Channel folder %q is archived. To reactivate it, write a zulip_channel_folder with its name and adopt_archived = true.", folder.Name)
		},
		Unique: core.Unique[model, zulip.ChannelFolder]{
			IgnoresCase: true, IsReferable: true,
			Of:      func(m *model) string { return m.Name.ValueString() },
			ByName:  byName,
			Where:   "the data source zulip_channel_folders lists all",
			IsTaken: zulip.IsFolderNameTaken,
			Existing: func(e *core.Existing, folder *zulip.ChannelFolder, c *core.Context) {
				isOwn := folder.CreatorID != nil && *folder.CreatorID == c.Meta.Store.Self().ID
				e.Detail = "Case is ignored in names."
				e.MayBeReplaced, e.Ours = e.AsPlanned && isOwn, isOwn && core.IsRecent(time.Unix(folder.DateCreated, 0))
			},
		},
		ReadInto:  func(m *model, folder *zulip.ChannelFolder, _ *core.Context) { m.read(folder) },
		CheckPlan: checkPlan,
		Create:    create, Update: update, Delete: archive, DeleteVerb: "archive",
		Adopt: adopt, IsKept: func(state *model) bool { return state.OnDestroy.ValueString() == onDestroyKeep },
		Hint: hint,
	})
}

// byName returns the active folder of a name, or else an archived one.
func byName(view *snapshot.Snapshot, name string) (*zulip.ChannelFolder, bool) {
	if folder, ok := view.Folders().ByName(name); ok {
		return folder, true
	}
	return view.ArchivedFolder(name)
}

// checkPlan says which archived folder will be reactivated.
func checkPlan(ctx context.Context, p *core.Plan[model]) {
	if !p.IsCreate() || !p.Plan.AdoptArchived.ValueBool() || p.Plan.Name.IsUnknown() {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Folders)
	if err != nil {
		p.Diags.AddError("Cannot read the channel folders", base.Explain(err))
		return
	}
	if archived, ok := adoptable(view, p.Plan); ok {
		// Named in the detail alone, so that the CLI can make one warning of many.
		p.Diags.AddAttributeWarning(path.Root("adopt_archived"), "An archived channel folder will be reactivated",
			fmt.Sprintf("Channel folder %q has the ID %d. What this configuration does not set stays as it was.", archived.Name, archived.ID))
	}
}

// adoptable returns the archived folder that a plan asks to reactivate. To reactivate one whose name is in use makes the
// server fail (server-behavior §F3).
func adoptable(view *snapshot.Snapshot, plan *model) (*zulip.ChannelFolder, bool) {
	name := plan.Name.ValueString()
	if !plan.AdoptArchived.ValueBool() || !isFree(view, name) {
		return nil, false
	}
	return view.ArchivedFolder(name)
}

func create(ctx context.Context, c *core.Context, plan *model) (int64, error) {
	return c.Meta.Client.CreateChannelFolder(ctx, plan.Name.ValueString(), plan.Description.ValueString())
}

// adopt reactivates an archived folder, with the name and description that are planned. They come first, in the same
// request: while it is archived its own name does not stand in the way of another case.
func adopt(ctx context.Context, c *core.Context, plan *model) (id int64, ok bool, err error) {
	if !plan.AdoptArchived.ValueBool() {
		return 0, false, nil
	}
	view, err := c.Meta.Store.Fresh(ctx, store.Folders)
	if err != nil {
		return 0, false, err
	}
	archived, ok := adoptable(view, plan)
	if !ok {
		return 0, false, nil
	}
	var current model
	current.read(archived)
	change, active := plan.changes(&current), false
	change.IsArchived = &active
	return archived.ID, true, c.Meta.Client.UpdateChannelFolder(ctx, archived.ID, change)
}

// update sends what differs; what the server wrote before it refused the rest stays (server-behavior §F6). For the server a folder's own name is taken, so that another case of its letters is refused
// (server-behavior §F4): then the way leads over a name in between.
func update(ctx context.Context, c *core.Context, planned, current *model) error {
	id, before, change := current.ID.ValueInt64(), current.Name.ValueString(), planned.changes(current)
	err := c.Meta.Client.UpdateChannelFolder(ctx, id, change)
	if !zulip.IsFolderNameTaken(err) || !strings.EqualFold(before, *change.Name) {
		return err
	}
	view, err := c.Meta.Store.Fresh(ctx, store.Folders)
	if err != nil {
		return err
	}
	between := nameBetween(view, before)
	if err := c.Meta.Client.UpdateChannelFolder(ctx, id, zulip.ChannelFolderUpdate{Name: &between}); err != nil {
		return err
	}
	return c.Meta.Client.UpdateChannelFolder(ctx, id, change)
}

// nameBetween is a name that nothing has, like the given one and not longer than allowed.
func nameBetween(view *snapshot.Snapshot, name string) string {
	letters := []rune(name)
	for n := 1; ; n++ {
		suffix := fmt.Sprintf(" (%d)", n)
		between := string(letters[:min(len(letters), maxName-len(suffix))]) + suffix
		if isFree(view, between) {
			return between
		}
	}
}

func isFree(view *snapshot.Snapshot, name string) bool {
	_, taken := view.Folders().ByName(name)
	return !taken
}

// archive empties a folder and archives it. Whoever puts a channel into it meanwhile makes it begin again. A folder that
// is gone is fine.
func archive(ctx context.Context, c *core.Context, state *model) error {
	id, archived := state.ID.ValueInt64(), true
	for attempt := 0; ; attempt++ {
		err := empty(ctx, c, id)
		if err == nil {
			err = c.Meta.Client.UpdateChannelFolder(ctx, id, zulip.ChannelFolderUpdate{IsArchived: &archived})
		}
		if err == nil || zulip.IsNoFolder(err) {
			return nil
		}
		// Whether a channel was taken out whose answer was lost, the next round finds.
		again := zulip.IsFolderInUse(err) || zulip.MayHaveHappened(err)
		if !again || attempt == c.Meta.Client.MaxRetries() {
			return err
		}
	}
}

// empty takes every channel out of a folder, archived ones included, also those that this run has archived: an archived
// channel stays in its folder, and keeps it from being archived (https://zulip.com/api/update-channel-folder). The server
// takes one channel out at a time.
func empty(ctx context.Context, c *core.Context, id int64) error {
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
		c.Meta.Run.TakeFromFolder(channel.ID, id)
		if _, err := c.Meta.Client.UpdateChannel(ctx, channel.ID, zulip.ChannelUpdate{FolderID: &none}); err != nil {
			return fmt.Errorf("taking channel %q out of it: %w", channel.Name, err)
		}
	}
	return nil
}

func hint(err error) string {
	switch {
	case zulip.IsFolderNameTaken(err):
		return "Names are compared without regard to case. To manage the existing folder, import it by its name; otherwise choose another name."
	case zulip.IsFolderInUse(err):
		return "It was emptied, and somebody has put a channel into it again, archived ones included."
	case zulip.IsNoFolder(err):
		return "The folder is gone."
	}
	return ""
}
