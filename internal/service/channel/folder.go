package channel

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// folderRow is the row of the folder by its name. What is compared and sent is the ID, as in the row folder_id.
type folderRow struct{ row[types.String] }

// ReadInto keeps the name that is there while it means the folder of the channel.
func (folderRow) ReadInto(f *facts, channel *zulip.Channel, on attribute.Server, _ *diag.Diagnostics) {
	text, ok := lookup.KeepFolder(f.Folder.ValueString(), base.IsSet(f.Folder), folderOf(channel), on.View)
	f.Folder = types.StringNull()
	if ok {
		f.Folder = types.StringValue(text)
	}
}

// Step is the change to the folder of the planned name. A name that is planned as the state has it, as one that is not
// configured always is, is not resolved.
func (r folderRow) Step(prior *attribute.Prior[facts, *zulip.Channel], planned *facts, on attribute.Server) (found step, problems []permission.Problem, isFound bool) {
	name := planned.Folder
	if !base.IsSet(name) || prior.IsState && name.Equal(prior.State.Folder) {
		return found, nil, false
	}
	id, err := lookup.Folder(on.View, name.ValueString())
	if err != nil {
		return found, []permission.Problem{{Summary: lookup.Summary(err), Detail: base.Sentence(err)}}, false
	}
	before := priorFolder(prior, on.View)
	if before == id {
		return found, nil, false
	}
	return step{
		Attribute: r.Name, Prior: describeFolder(before, on.View), Planned: describeFolder(id, on.View),
		Current: func(channel *zulip.Channel) string { return describeFolder(folderOf(channel), on.View) },
		Put: func(update *zulip.ChannelUpdate, _ *zulip.Channel, _ bool) {
			folder := folderID(id)
			update.FolderID = &folder
		},
	}, nil, true
}

// folderIDRow is the row of the folder by its ID, which messages call by its name.
type folderIDRow struct{ row[types.Int64] }

// Step is that of the ID, in the words of [describeFolder].
func (r folderIDRow) Step(prior *attribute.Prior[facts, *zulip.Channel], planned *facts, on attribute.Server) (found step, problems []permission.Problem, isFound bool) {
	found, problems, isFound = r.row.Step(prior, planned, on)
	if isFound {
		found.Prior = describeFolder(prior.Values.FolderID.ValueInt64(), on.View)
		found.Planned = describeFolder(planned.FolderID.ValueInt64(), on.View)
		found.Current = func(channel *zulip.Channel) string { return describeFolder(folderOf(channel), on.View) }
	}
	return found, problems, isFound
}

// priorFolder returns the ID of the folder that a plan was computed from. The name may belong to another folder by now.
func priorFolder(prior *attribute.Prior[facts, *zulip.Channel], view *snapshot.Snapshot) int64 {
	switch {
	case !prior.IsState:
		return folderOf(prior.Object)
	case !prior.Values.FolderID.IsNull():
		return prior.Values.FolderID.ValueInt64()
	}
	id, err := lookup.Folder(view, prior.Values.Folder.ValueString())
	if err != nil {
		return -1 // none that there is
	}
	return id
}

// describeFolder writes a folder for people, each in another way.
func describeFolder(id int64, view *snapshot.Snapshot) string {
	folder, ok := view.Folders().ByID(id)
	switch {
	case id == 0:
		return "no folder"
	case !ok:
		return fmt.Sprintf("folder %d", id)
	case folder.IsArchived:
		return fmt.Sprintf("%q (archived, ID %d)", folder.Name, id)
	}
	return fmt.Sprintf("%q", folder.Name)
}

// deriveFolder plans the one of folder and folder_id that is not configured, where a state has it: the two go together.
func deriveFolder(p *tablePlan) {
	switch {
	case !p.Config.Folder.IsNull() && p.Config.FolderID.IsNull() && !p.State.FolderID.IsNull():
		p.Plan.FolderID = types.Int64Unknown()
		if id, err := lookup.Folder(p.On.View, p.Plan.Folder.ValueString()); err == nil && !p.Plan.Folder.IsUnknown() {
			p.Plan.FolderID = types.Int64Value(id)
		}
	case !p.Config.FolderID.IsNull() && p.Config.Folder.IsNull() && !p.State.Folder.IsNull():
		p.Plan.Folder = types.StringUnknown()
		text, ok := lookup.KeepFolder(p.State.Folder.ValueString(), true, p.Plan.FolderID.ValueInt64(), p.On.View)
		if ok && !p.Plan.FolderID.IsUnknown() {
			p.Plan.Folder = types.StringValue(text)
		}
	}
}

// checkFolder refuses a folder that does not exist, and two that differ.
func (p planning) checkFolder() {
	if !p.HasLevel(featurelevel.Since(kind, "folder_id")) {
		return
	}
	id := p.Plan.FolderID.ValueInt64()
	if _, ok := p.On.View.Folders().ByID(id); !ok && id != 0 {
		p.Diags.AddAttributeError(path.Root("folder_id"), "No such channel folder", fmt.Sprintf("The organization has no channel folder with the ID %d. The data source zulip_channel_folders lists all.", id))
		return
	}
	if !base.IsSet(p.Config.Folder) {
		return
	}
	named, later, err := lookup.FolderInPlan(p.On.View, p.Config.Folder.ValueString())
	switch {
	case err != nil:
		lookup.AddError(p.Diags, path.Root("folder"), err, "")
	case base.IsSet(p.Config.FolderID) && (later || named != p.Config.FolderID.ValueInt64()):
		p.Diags.AddAttributeError(path.Root("folder"), "Two folders for one channel",
			fmt.Sprintf("folder is %q, and folder_id = %d is another one. Set one of the two attributes.", p.Config.Folder.ValueString(), p.Config.FolderID.ValueInt64()))
	}
}

// fixedFolder is the one of folder and folder_id that a generated configuration leaves out: the name is what people read.
func fixedFolder(state *model) []string {
	if strings.TrimSpace(state.Folder.ValueString()) != "" {
		return []string{"folder_id"}
	}
	return []string{"folder"}
}
