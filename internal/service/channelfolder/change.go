package channelfolder

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// make brings a folder into being and returns its ID, zero after an error. It is found among the archived ones when that
// is asked for.
func (r *Resource) make(ctx context.Context, plan *model, diags *diag.Diagnostics) int64 {
	name := plan.Name.ValueString()
	if id, ok := r.Meta.Run.Take(kind, strings.ToLower(name)); ok {
		return id
	}
	if plan.AdoptArchived.ValueBool() {
		view, err := r.Meta.Store.Fresh(ctx, store.Folders)
		if err != nil {
			diags.AddError("Could not look for an archived channel folder", framework.Explain(err))
			return 0
		}
		// To take one back whose name is in use makes the server fail (server-behavior §F3).
		if archived, ok := view.ArchivedFolder(name); ok && isFree(view, name) {
			return r.takeBack(ctx, archived, plan, diags)
		}
	}
	read := func(ctx context.Context) (*snapshot.Snapshot, error) { return r.Meta.Store.Read(ctx, store.Folders) } // what is there before is in the snapshot
	id, err := framework.Creation{
		Kind: kind, Thing: strings.ToLower(name),
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			view, err := read(ctx)
			read = func(ctx context.Context) (*snapshot.Snapshot, error) { return r.Meta.Store.Fresh(ctx, store.Folders) }
			if err != nil {
				return 0, err
			}
			if folder, ok := view.Folders().ByName(name); ok && plan.isHeld(folder) && free(folder.ID) {
				return folder.ID, nil
			}
			return 0, nil
		},
		Make: func(ctx context.Context) (int64, error) {
			id, err := r.Meta.Client.CreateChannelFolder(ctx, name, plan.Description.ValueString())
			if err != nil {
				r.Meta.Store.Invalidate(store.Folders) // it may be there all the same
			}
			return id, err
		},
	}.Run(ctx, r.Meta)
	if err != nil {
		r.refuse(ctx, plan, err, diags)
		return 0
	}
	return id
}

// refuse reports why the folder was not made; a taken name with what has it.
func (r *Resource) refuse(ctx context.Context, plan *model, cause error, diags *diag.Diagnostics) {
	if zulip.IsFolderNameTaken(cause) {
		if view, err := r.Meta.Store.Fresh(ctx, store.Folders); err == nil {
			if namesake, ok := view.Folders().ByName(plan.Name.ValueString()); ok {
				r.existing(plan, namesake).Refuse(r.Meta, diags)
				return
			}
		}
	}
	diags.AddError(fmt.Sprintf("Could not create channel folder %q", plan.Name.ValueString()), explain(cause))
}

// existing is the folder that has the planned name.
func (r *Resource) existing(plan *model, namesake *zulip.ChannelFolder) framework.Existing {
	isOwn := namesake.CreatorID != nil && *namesake.CreatorID == r.Meta.Store.Self().ID
	return framework.Existing{
		Kind: kind, Noun: "channel folder", Name: namesake.Name, Key: strings.ToLower(namesake.Name), ID: namesake.ID, Import: fmt.Sprint(namesake.ID), At: path.Root("name"),
		Summary:   fmt.Sprintf("A channel folder called %q exists already", namesake.Name),
		Detail:    "Names are compared without regard to case.",
		AsPlanned: plan.isHeld(namesake), MayBeReplaced: isOwn, Ours: isOwn && framework.IsRecent(time.Unix(namesake.DateCreated, 0)),
	}
}

// isHeld reports whether a folder is what the plan would make.
func (m *model) isHeld(folder *zulip.ChannelFolder) bool {
	return folder.Name == m.Name.ValueString() && folder.Description == m.Description.ValueString()
}

// takeBack makes an archived folder active, with the name and description that are planned. They come first, in the
// same request: while it is archived its own name does not stand in the way of another case.
func (r *Resource) takeBack(ctx context.Context, archived *zulip.ChannelFolder, plan *model, diags *diag.Diagnostics) int64 {
	held := model{}
	held.read(archived)
	update, active := plan.changes(&held), false
	update.IsArchived = &active
	if err := r.Meta.Client.UpdateChannelFolder(ctx, archived.ID, update); err != nil {
		diags.AddError(fmt.Sprintf("Could not take the archived channel folder %q back", archived.Name), explain(err))
		return 0
	}
	r.Meta.Run.Manage(kind, archived.ID)
	return archived.ID
}

// change sends an update. For the server a folder's own name is taken, so that another case of its letters is refused
// (server-behavior §F4): then the way leads over a name in between.
func (r *Resource) change(ctx context.Context, id int64, before string, update zulip.ChannelFolderUpdate) error {
	err := r.Meta.Client.UpdateChannelFolder(ctx, id, update)
	if !zulip.IsFolderNameTaken(err) || !strings.EqualFold(before, *update.Name) {
		return err
	}
	view, err := r.Meta.Store.Fresh(ctx, store.Folders)
	if err != nil {
		return err
	}
	between := nameBetween(view, before)
	if err := r.Meta.Client.UpdateChannelFolder(ctx, id, zulip.ChannelFolderUpdate{Name: &between}); err != nil {
		return err
	}
	return r.Meta.Client.UpdateChannelFolder(ctx, id, update)
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
func (r *Resource) archive(ctx context.Context, id int64) error {
	archived := true
	for attempt := 0; ; attempt++ {
		err := r.empty(ctx, id)
		if err == nil {
			err = r.Meta.Client.UpdateChannelFolder(ctx, id, zulip.ChannelFolderUpdate{IsArchived: &archived})
		}
		r.Meta.Store.Invalidate(store.Folders)
		if err == nil || zulip.IsNoFolder(err) {
			return nil
		}
		// Whether a channel was taken out whose answer was lost, the next round finds.
		again := zulip.IsFolderInUse(err) || zulip.MayHaveHappened(err)
		if !again || attempt == r.Meta.Client.MaxRetries() {
			return err
		}
	}
}

// empty takes every channel out of a folder, archived ones included, also those that this run has archived: an archived
// channel stays in its folder, and keeps it from being archived (https://zulip.com/api/update-channel-folder). The server
// takes one channel out at a time.
func (r *Resource) empty(ctx context.Context, id int64) error {
	view, err := r.Meta.Store.Fresh(ctx, store.Channels)
	if err != nil {
		return err
	}
	var none *int64
	for _, channel := range view.Channels().List() {
		if channel.FolderID == nil || *channel.FolderID != id {
			continue
		}
		r.Meta.Store.Invalidate(store.Channels)
		r.Meta.Run.TakeFromFolder(channel.ID, id)
		if _, err := r.Meta.Client.UpdateChannel(ctx, channel.ID, zulip.ChannelUpdate{FolderID: &none}); err != nil {
			return fmt.Errorf("taking channel %q out of it: %w", channel.Name, err)
		}
	}
	return nil
}

// fresh reads a folder after a write; nil after an error.
func (r *Resource) fresh(ctx context.Context, id int64, diags *diag.Diagnostics) *zulip.ChannelFolder {
	view, err := r.Meta.Store.Fresh(ctx, store.Folders)
	if err != nil {
		diags.AddError("Could not read the channel folders", framework.Explain(err)+"\n\nWhat was written is in the state. The next apply goes on from there.")
		return nil
	}
	folder, ok := view.Folders().ByID(id)
	if !ok {
		diags.AddError(fmt.Sprintf("Channel folder %d is not there any more", id), "The server does not list it. The next plan shows what is left to do.")
		return nil
	}
	return folder
}

// explain adds what a refusal means for folders, where that is special.
func explain(err error) string {
	text := framework.Explain(err)
	switch {
	case zulip.IsFolderNameTaken(err):
		text += "\n\nNames are compared without regard to case. To manage the existing folder, import it by its name; otherwise choose another name."
	case zulip.IsFolderInUse(err):
		text += "\n\nIt was emptied, and somebody has put a channel into it again, archived ones included."
	case zulip.IsNoFolder(err):
		text += "\n\nThe folder is gone."
	}
	return text
}
