package organization

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/picture"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*organizationImageResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*organizationImageResource)(nil)
	_ resource.ResourceWithImportState = (*organizationImageResource)(nil)
	_ resource.ResourceWithIdentity    = (*organizationImageResource)(nil)
)

// kind is what the run state knows the pictures as.
const kind = "zulip_organization_image"

// titles are what messages call the pictures.
var titles = map[string]string{zulip.IconImage: "icon", zulip.LogoImage: "logo", zulip.NightLogoImage: "logo for the dark theme"}

// organizationImageResource is zulip_organization_image.
type organizationImageResource struct{ base.Resource }

// NewOrganizationImageResource returns zulip_organization_image.
func NewOrganizationImageResource() resource.Resource { return &organizationImageResource{} }

// organizationImageModel is the resource.
type organizationImageModel struct {
	ID         types.String `tfsdk:"id"`
	Kind       types.String `tfsdk:"kind"`
	File       types.String `tfsdk:"file"`
	FileSHA256 types.String `tfsdk:"file_sha256"`
	SourceURL  types.String `tfsdk:"source_url"`
}

func (m *organizationImageModel) title() string { return titles[m.Kind.ValueString()] }

func (r *organizationImageResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = kind
}

func (r *organizationImageResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: fmt.Sprintf(`Manages the icon or a logo of the organization, made from an image file. Only administrators and owners can change them.

The server makes the image over (the icon to 100×100 pixels, a logo to at most 800×100) and does not give the file back, so the SHA-256 of the file is kept in the state: other content is uploaded in place, the same content in another file changes nothing. The server gives the picture another URL with each upload. If someone else uploads another picture, the next plan proposes to upload the file again; if someone else removes it, to create it again. An apply compares the URL with the one that the plan saw: a picture that someone uploaded after the plan is neither replaced nor removed.

Creating the resource is refused while the organization has an uploaded picture of this kind: the plan warns, and the apply stops. Import that picture first. For the same reason, replacing the resource does not work with create_before_destroy. Destroying the resource removes the picture, and the organization has the default one. The plan warns if someone else uploaded the picture. Without a logo for the dark theme, the dark theme shows the default logo, not the other one.

After an import the content of the file is unknown, and the first plan takes the configured file for it. An import by `+"`KIND=FILE`"+`, as in `+"`logo=./logo.png`"+`, takes the file at once. After an import by `+"`KIND=`"+`, as in `+"`logo=`"+`, the next apply replaces the picture with the configured file. Files up to %d MiB are taken, unless the server's administrator chose another limit, and up to 90 million pixels.`, picture.UsualLimit>>20),
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "The same as `kind`.", PlanModifiers: keep},
			"kind": schema.StringAttribute{
				Required: true, MarkdownDescription: "Which picture: `icon`, `logo`, or `night_logo` for the dark theme. Changing this forces a new resource.",
				Validators: []validator.String{validators.OneOf(zulip.IconImage, zulip.LogoImage, zulip.NightLogoImage)},
			},
			"file": schema.StringAttribute{
				Required: true, MarkdownDescription: "The path of the image, as in `\"${path.module}/logo.png\"`: PNG, JPEG, GIF, WebP or AVIF.",
			},
			"file_sha256": schema.StringAttribute{
				Computed: true, MarkdownDescription: "The SHA-256 of the file that was uploaded, in hexadecimal; null after an import until the next apply, and empty if somebody else has uploaded another picture since.",
			},
			"source_url": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Where the picture is, from the organization's address on or whole. Another one after each upload.", PlanModifiers: keep,
			},
		},
	}
}

// IdentitySchema describes what a picture is recognised by.
func (r *organizationImageResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Which picture: icon, logo or night_logo."},
	}}
}

// ModifyPlan plans the content of the file, and refuses what the server would refuse.
func (r *organizationImageResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var plan, state *organizationImageModel
	diags := &resp.Diagnostics
	diags.Append(req.Plan.Get(ctx, &plan)...)
	diags.Append(req.State.Get(ctx, &state)...)
	if diags.HasError() {
		return
	}
	if state != nil {
		core.Manage(r.Meta, existing(state), plan == nil, diags)
	}
	if plan == nil {
		r.RequireAdministrator("change the pictures of the organization", diags)
		warnOfOthers(state, diags)
		return
	}
	isOther := state != nil && !plan.Kind.Equal(state.Kind)
	if isOther {
		resp.RequiresReplace.Append(path.Root("kind"))
	}
	organizationImagePlanFile(plan, state, diags)
	if isUpload := state == nil || isOther || !state.FileSHA256.IsNull() && !plan.FileSHA256.Equal(state.FileSHA256); isUpload {
		plan.ID, plan.SourceURL = plan.Kind, types.StringUnknown()
		r.RequireAdministrator("change the pictures of the organization", diags)
	}
	switch {
	case diags.HasError():
	case state == nil:
		r.planNew(ctx, plan, core.ReplacedID(ctx, req.Private, diags), diags)
	case !isOther:
		r.Meta.Run.Reserve(kind, state.Kind.ValueString(), core.TextID(state.Kind.ValueString()))
		diags.Append(core.StoreReplacedID(ctx, resp.Private, core.TextID(state.Kind.ValueString()))...)
	}
	diags.Append(resp.Plan.Set(ctx, plan)...)
}

// planNew refuses a second resource for a picture, and to replace a picture that no resource has. own is what the resource replaces.
func (r *organizationImageResource) planNew(ctx context.Context, plan *organizationImageModel, own []int64, diags *diag.Diagnostics) {
	if plan.Kind.IsUnknown() {
		return
	}
	if !r.Meta.Run.Reserve(kind, plan.Kind.ValueString(), own...) {
		diags.AddAttributeError(path.Root("kind"), fmt.Sprintf("Duplicate %s of the organization", plan.title()),
			"Another zulip_organization_image in this configuration has the same kind. Change or remove one of them.")
		return
	}
	e := existing(plan)
	if slices.Contains(own, e.ID) {
		return // it is removed before, or the apply refuses it
	}
	r.Meta.Run.WillCreate(kind, e.Name)
	view, err := r.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	if now := view.Realm().Image(e.Name); now.IsUploaded {
		core.CheckExisting(r.Meta, existingUpload(plan, now), diags)
	}
}

// existing describes the picture of a model to the run.
func existing(m *organizationImageModel) core.Existing {
	name := m.Kind.ValueString()
	return core.Existing{Kind: kind, Title: "picture", Name: name, ID: core.TextID(name), Import: name}
}

// existingUpload describes the uploaded picture that a model would replace.
func existingUpload(m *organizationImageModel, now zulip.RealmImage) core.Existing {
	e := existing(m)
	e.At, e.Summary = path.Root("kind"), fmt.Sprintf("The organization has an uploaded %s already", m.title())
	e.MayBeReplaced = true // it may be the one that this replaces: the server does not give the file back
	e.Detail = fmt.Sprintf("It is at %q. Nothing was changed. To replace it with the file of this resource, import it with the ID %q: the apply then uploads the file in its place.", now.URL, e.Import+"=")
	return e
}

// warnOfOthers warns of the removal of a picture that someone else uploaded.
func warnOfOthers(state *organizationImageModel, diags *diag.Diagnostics) {
	if !state.FileSHA256.IsNull() && state.FileSHA256.ValueString() == picture.ReplacedByOthers {
		diags.AddWarning(fmt.Sprintf("The apply removes a %s of somebody else", state.title()),
			fmt.Sprintf("The picture at %q was not uploaded by this resource, and it cannot be brought back. %s", state.SourceURL.ValueString(), keepPicture))
	}
}

// keepPicture says how a destroy leaves the picture on the server.
const keepPicture = "To keep that picture, remove the resource from the state instead: terraform state rm ADDRESS."

// organizationImagePlanFile plans the content of the file: the same changes nothing.
func organizationImagePlanFile(plan, state *organizationImageModel, diags *diag.Diagnostics) {
	at := path.Root("file")
	image, sum := picture.Plan(at, plan.File, diags)
	plan.FileSHA256 = sum
	if image == nil {
		return
	}
	image.WarnOfSize(at, diags)
	switch {
	case state == nil || !plan.Kind.Equal(state.Kind):
	case state.FileSHA256.IsNull():
		diags.AddAttributeWarning(at, "The file is taken for what the "+state.title()+" shows",
			"The picture was imported, and the server does not give its file back. Nothing is uploaded; from now on another content of the file is uploaded.")
	case state.FileSHA256.Equal(plan.FileSHA256):
		plan.File = state.File // the same, wherever it is
	}
}

// Create uploads the file, unless the organization has an uploaded picture.
func (r *organizationImageResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan organizationImageModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...); resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	name := plan.Kind.ValueString()
	done, ok := r.LockOrReport(ctx, kind+" "+name, "Cannot upload the "+plan.title()+" of the organization", &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	now, err := r.fresh(ctx, name)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Cannot read the "+plan.title()+" of the organization", "Nothing was sent. "+base.Explain(err))
		return
	case now.Thing.IsUploaded:
		existingUpload(&plan, now.Thing).Refuse(r.Meta, &resp.Diagnostics)
		return
	}
	image, ok := plan.open(&resp.Diagnostics)
	if ok && r.upload(ctx, &plan, image, "", now, &resp.Diagnostics) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
		resp.Diagnostics.Append(core.StoreReplacedID(ctx, resp.Private, core.TextID(name))...)
	}
}

// open opens the planned file, and completes the model.
func (m *organizationImageModel) open(diags *diag.Diagnostics) (image *picture.Picture, ok bool) {
	if image, ok = picture.OpenPlanned(path.Root("file"), m.File, m.FileSHA256, diags); ok {
		m.ID, m.FileSHA256, m.SourceURL = m.Kind, types.StringValue(image.SHA256()), types.StringNull()
	}
	return image, ok
}

// upload uploads a file in place of the picture that the plan saw, "" for none. now is what was just read, or nil.
func (r *organizationImageResource) upload(ctx context.Context, plan *organizationImageModel, image *picture.Picture, seen string, now *imageReading, diags *diag.Diagnostics) (ok bool) {
	name := plan.Kind.ValueString()
	var found diag.Diagnostics
	after := r.change(ctx, plan, picture.Change[zulip.RealmImage]{
		Prior: seen, File: plan.File.ValueString(),
		Send: func(ctx context.Context) error {
			return r.Meta.Client.UploadRealmImage(ctx, name, image.File, image.ContentType, image.Content)
		},
	}, "", now, &found)
	if diags.Append(found...); found.HasError() {
		return false
	}
	if after == nil {
		var err error
		if after, err = r.fresh(ctx, name); err != nil {
			diags.AddWarning("Cannot read the "+plan.title()+" after it was uploaded", base.Explain(err)+"\n\nThe server accepted it. The next plan reads it.")
			return true
		}
	}
	plan.SourceURL = types.StringValue(after.Thing.URL)
	return true
}

type imageReading = attribute.Reading[zulip.RealmImage]

// fresh reads a picture as it is now.
func (r *organizationImageResource) fresh(ctx context.Context, name string) (*imageReading, error) {
	view, err := r.Meta.Store.Fresh(ctx, store.Organization)
	if err != nil {
		return nil, err
	}
	return &imageReading{Thing: view.Realm().Image(name), View: view}, nil
}

// change carries out a change of the picture of a model. now is what was just read, or nil.
func (r *organizationImageResource) change(ctx context.Context, m *organizationImageModel, change picture.Change[zulip.RealmImage], onConflict string, now *imageReading, diags *diag.Diagnostics) *imageReading {
	defer r.Meta.Store.Invalidate(store.Organization)
	title := "the " + m.title() + " of the organization"
	change.Attribute, change.URL = "file", func(image zulip.RealmImage) string {
		if !image.IsUploaded {
			return ""
		}
		return image.URL
	}
	return change.Run(ctx, &r.Base, attribute.Subject[zulip.RealmImage, struct{}]{
		Of: kind, Unread: title, Name: func(zulip.RealmImage) string { return title },
		Read: func(ctx context.Context, _ func(zulip.RealmImage) bool) (*imageReading, error) {
			return r.fresh(ctx, m.Kind.ValueString())
		},
		At:         func(error) path.Path { return path.Root("file") },
		OnConflict: onConflict,
	}, now, diags)
}

// Read finds out whether the picture is still the one that was uploaded.
func (r *organizationImageResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state organizationImageModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	r.Meta.Run.Manage(kind, core.TextID(state.ID.ValueString()))
	view, err := r.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	now := view.Realm().Image(state.ID.ValueString())
	if !now.IsUploaded {
		tflog.Info(ctx, "The picture was removed outside of Terraform: removing it from the state", map[string]any{"kind": state.ID.ValueString()})
		resp.State.RemoveResource(ctx)
		return
	}
	if !state.SourceURL.IsNull() && state.SourceURL.ValueString() != now.URL && !state.FileSHA256.IsNull() {
		state.FileSHA256 = types.StringValue(picture.ReplacedByOthers)
	}
	state.Kind, state.SourceURL = state.ID, types.StringValue(now.URL)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update uploads other content. After an import it only records which file it is.
func (r *organizationImageResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state organizationImageModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	image, ok := plan.open(&resp.Diagnostics)
	switch isTaken := state.FileSHA256.IsNull(); {
	case !ok:
		return
	case isTaken, state.FileSHA256.Equal(plan.FileSHA256): // the latter was not known when it was planned
		plan.SourceURL = state.SourceURL
	case !r.upload(ctx, &plan, image, state.SourceURL.ValueString(), nil, &resp.Diagnostics):
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Delete removes the picture, unless it is another one than the plan saw.
func (r *organizationImageResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state organizationImageModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	name := state.ID.ValueString()
	done, ok := r.LockOrReport(ctx, kind+" "+name, "Cannot remove the "+state.title()+" of the organization", &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	r.change(ctx, &state, picture.Change[zulip.RealmImage]{
		Prior: state.SourceURL.ValueString(),
		Send:  func(ctx context.Context) error { return r.Meta.Client.RemoveRealmImage(ctx, name) },
	}, "Plan again to remove the picture that is there now. "+keepPicture, nil, &resp.Diagnostics)
}

// ImportState takes the kind of a picture. After it, =FILE says which file it was made from: it is taken into the state, so that
// nothing is left to plan. Without a file, = says that it was made from another file than the configured one.
func (r *organizationImageResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	name, file, hasFile := strings.Cut(req.ID, "=")
	if req.ID == "" {
		var given identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &given)...)
		name = given.ID.ValueString()
	}
	const summary = "Cannot import this picture of the organization"
	if titles[name] == "" {
		resp.Diagnostics.AddError(summary, fmt.Sprintf("%q is not one of icon, logo, night_logo.", name))
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	if !view.Realm().Image(name).IsUploaded {
		resp.Diagnostics.AddError(summary, fmt.Sprintf("The organization has not uploaded a %s: it has the default one.", titles[name]))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), name)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(name)})...)
	resp.Diagnostics.Append(core.StoreReplacedID(ctx, resp.Private, core.TextID(name))...)
	switch {
	case hasFile && file == "":
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("file_sha256"), picture.ReplacedByOthers)...)
	case hasFile:
		picture.Import(ctx, file, summary, resp)
	}
}
