package organization

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/picture"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// imageKind is the kind of the pictures in the run state.
const imageKind = "zulip_organization_image"

// imageTitles are the names of the pictures in messages.
var imageTitles = map[string]string{zulip.IconImage: "icon", zulip.LogoImage: "logo", zulip.NightLogoImage: "logo for the dark theme"}

type imageCall = adapter.Call[organizationImageModel]

// NewOrganizationImageResource returns zulip_organization_image.
func NewOrganizationImageResource() resource.Resource {
	return adapter.Resource[organizationImageModel]{
		Name: "organization_image", Schema: organizationImageSchema,
		Identity: adapter.Identity{{"id", "Which picture: icon, logo or night_logo."}},
		Plan:     planImage, PlanDestroy: planImageDestroy,
		Create: createImage, Read: readImage, Update: updateImage, Delete: deleteImage, Import: importImage,
	}.New()
}

func organizationImageSchema() schema.Schema {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages the icon or a logo of the [organization's profile](https://zulip.com/help/create-your-organization-profile).",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "Same as `kind`.", PlanModifiers: keep},
			"kind": schema.StringAttribute{
				Required: true, MarkdownDescription: "Kind of picture: `icon`, `logo`, or `night_logo` for the dark theme. Changing this forces a new resource.",
				Validators: []validator.String{validators.OneOf(zulip.IconImage, zulip.LogoImage, zulip.NightLogoImage)},
			},
			"file": schema.StringAttribute{
				Required: true, MarkdownDescription: "Path of a PNG, JPEG, GIF, WebP or AVIF file, such as `\"${path.module}/logo.png\"`.",
			},
			"file_sha256": schema.StringAttribute{
				Computed: true, MarkdownDescription: "SHA-256 of the uploaded file, in hexadecimal. Null after an import until the next apply. Empty if someone has uploaded another picture since.",
			},
			"source_url": schema.StringAttribute{
				Computed: true, MarkdownDescription: "URL of the picture, either absolute or relative to the organization URL. Contains `kind`, and changes with each upload.", PlanModifiers: keep,
			},
		},
	}
}

const doingImages = "change the pictures of the organization"

// planImage plans the content of the file, and refuses changes that the server would refuse.
func planImage(ctx context.Context, c *imageCall) error {
	plan, state := c.Plan, c.State
	if state != nil {
		existing.Manage(c.Meta, existingImage(state), false, c.Diags)
	}
	isOther := state != nil && !plan.Kind.Equal(state.Kind)
	if isOther {
		c.Replace("kind")
	}
	planImageFile(c)
	if isUpload := state == nil || isOther || !state.FileSHA256.IsNull() && !plan.FileSHA256.Equal(state.FileSHA256); isUpload {
		plan.ID, plan.SourceURL = plan.Kind, types.StringUnknown()
		c.RequireAdministrator(doingImages, c.Diags)
	}
	var err error
	switch {
	case c.Diags.HasError():
	case state == nil:
		err = planNewImage(ctx, c, existing.ReplacedID(ctx, c.PriorPrivate, c.Diags))
	case !isOther:
		c.Meta.Run.Reserve(imageKind, state.Kind.ValueString(), core.TextID(state.Kind.ValueString()))
		c.Diags.Append(existing.StoreReplacedID(ctx, c.Private, core.TextID(state.Kind.ValueString()))...)
	}
	c.Save(plan)
	return err
}

// planImageDestroy refuses accounts that can't remove the picture, and warns about a picture that was uploaded outside
// Terraform.
func planImageDestroy(_ context.Context, c *imageCall) error {
	state := c.State
	existing.Manage(c.Meta, existingImage(state), true, c.Diags)
	c.RequireAdministrator(doingImages, c.Diags)
	if !state.FileSHA256.IsNull() && state.FileSHA256.ValueString() == picture.ReplacedByOthers {
		c.Diags.AddWarning(fmt.Sprintf("This apply removes another %s than it uploaded", state.title()),
			fmt.Sprintf("This resource did not upload the picture at %q. It cannot be restored. %s", state.SourceURL.ValueString(), keepImageAdvice))
	}
	return nil
}

// planNewImage refuses a second resource for a picture, and a resource that would replace an unmanaged picture. own
// is the picture that the resource replaces.
func planNewImage(ctx context.Context, c *imageCall, own []int64) error {
	plan := c.Plan
	if plan.Kind.IsUnknown() {
		return nil
	}
	if _, ok := c.Meta.Run.Reserve(imageKind, plan.Kind.ValueString(), own...); !ok {
		return base.Refused(path.Root("kind"), fmt.Sprintf("Duplicate %s of the organization", plan.title()),
			"Another zulip_organization_image in this configuration has the same kind. Change or remove one of them.")
	}
	e := existingImage(plan)
	if slices.Contains(own, e.ID) {
		return nil // the picture is removed before, or the apply refuses
	}
	c.Meta.Run.Note(runstate.Created, runstate.Name(imageKind, e.Name))
	now, err := readPicture(ctx, c.Meta.Store.ReadUntil, e.Name, func(now zulip.RealmImage) bool { return !now.IsUploaded })
	switch {
	case err != nil:
		return base.Failed("Cannot read the organization", err)
	case now.Thing.IsUploaded:
		existingImageUpload(plan, now.Thing).Check(c.Meta, c.Diags)
	}
	return nil
}

// existingImage describes the picture of a model to the run.
func existingImage(m *organizationImageModel) existing.Object {
	name := m.Kind.ValueString()
	return existing.Object{Kind: imageKind, Title: "picture", Name: name, ID: core.TextID(name), Import: name}
}

// existingImageUpload describes the uploaded picture that a model would replace.
func existingImageUpload(m *organizationImageModel, now zulip.RealmImage) existing.Object {
	e := existingImage(m)
	e.At, e.Summary = path.Root("kind"), fmt.Sprintf("The organization already has an uploaded %s", m.title())
	e.MayBeReplaced = true // it may be the picture that this resource replaces: the server does not return the file
	e.Detail = fmt.Sprintf("It is at %q. Nothing was changed. To replace it with the file of this resource, import it with the ID %q. The apply then uploads the file in its place.", now.URL, e.Import+"=")
	return e
}

// keepImageAdvice is the advice for a destroy that leaves the picture on the server.
const keepImageAdvice = "To keep that picture, remove the resource from the state instead: terraform state rm ADDRESS."

// planImageFile plans the content of the file. The same content is no change.
func planImageFile(c *imageCall) {
	at, plan, state := path.Root("file"), c.Plan, c.State
	image, sum := picture.Plan(at, plan.File, c.Diags)
	plan.FileSHA256 = sum
	if image == nil {
		return
	}
	image.WarnOfSize(at, c.Diags)
	switch {
	case state == nil || !plan.Kind.Equal(state.Kind):
	case state.FileSHA256.IsNull():
		c.Diags.AddAttributeWarning(at, "Assuming the file matches the imported "+state.title()+" shows",
			"Zulip doesn't return the file, so the provider can't compare. Nothing is uploaded now. If you change the file later, it is uploaded.")
	case state.FileSHA256.Equal(plan.FileSHA256):
		plan.File = state.File // the same content, wherever the file is
	}
}

// createImage uploads the file, unless the organization has an uploaded picture.
func createImage(ctx context.Context, c *imageCall) error {
	plan, name := c.Plan, c.Plan.Kind.ValueString()
	done, err := c.Meta.Run.Lock(ctx, imageKind+" "+name)
	if err != nil {
		return base.Failed("Cannot upload the "+plan.title()+" of the organization", err)
	}
	defer done()
	now, err := readPicture(ctx, c.Meta.Store.FreshUntil, name, func(now zulip.RealmImage) bool { return !now.IsUploaded })
	switch {
	case err != nil:
		return base.Refused(path.Empty(), "Cannot read the "+plan.title()+" of the organization", "Nothing was sent. "+base.Explain(err))
	case now.Thing.IsUploaded:
		existingImageUpload(plan, now.Thing).Refuse(c.Meta, c.Diags)
		return nil
	}
	image, ok := plan.open(c.Diags)
	if ok && uploadImage(ctx, c, image, "", now) {
		c.Save(plan)
		c.Diags.Append(existing.StoreReplacedID(ctx, c.Private, core.TextID(name))...)
	}
	return nil
}

// uploadImage uploads a file in place of the planned old picture; seen is its URL, or "" for none. now was just read,
// or is nil.
func uploadImage(ctx context.Context, c *imageCall, image *picture.Picture, seen string, now *imageReading) (ok bool) {
	plan, name := c.Plan, c.Plan.Kind.ValueString()
	after := changeImage(ctx, c, plan, picture.Change[zulip.RealmImage]{
		Prior: seen, File: plan.File.ValueString(),
		Send: func(ctx context.Context) error {
			return c.Meta.Client.UploadRealmImage(ctx, name, image.File, image.ContentType, image.Content)
		},
	}, "", now)
	if c.Diags.HasError() {
		return false
	}
	isNew := func(now zulip.RealmImage) bool { return now.IsUploaded && now.URL != seen }
	if after == nil {
		var err error
		if after, err = readPicture(ctx, c.Meta.Store.FreshUntil, name, isNew); err != nil {
			c.Diags.AddWarning("Cannot read the "+plan.title()+" after it was uploaded", base.Explain(err)+"\n\nThe server accepted it. The next plan reads it.")
			return true
		}
	}
	if isNew(after.Thing) { // otherwise the server still shows the picture before it, and the next refresh finds the URL
		plan.SourceURL = types.StringValue(after.Thing.URL)
	}
	return true
}

type imageReading = change.Reading[zulip.RealmImage]

// readUntil is [store.Store.ReadUntil] or [store.Store.FreshUntil].
type readUntil func(context.Context, store.Part, func(*snapshot.Snapshot) bool, ...store.Part) (*snapshot.Snapshot, error)

// readPicture reads a picture until shows is true for it, or the reading is certain.
func readPicture(ctx context.Context, read readUntil, name string, shows func(zulip.RealmImage) bool) (*imageReading, error) {
	view, err := read(ctx, store.Organization, func(view *snapshot.Snapshot) bool { return shows(view.Realm().Image(name)) })
	if err != nil {
		return nil, err
	}
	return &imageReading{Thing: view.Realm().Image(name), View: view}, nil
}

// changeImage applies a change of the picture of a model. now was just read, or is nil.
func changeImage(ctx context.Context, c *imageCall, m *organizationImageModel, upload picture.Change[zulip.RealmImage], onConflict string, now *imageReading) *imageReading {
	defer c.Meta.Store.Invalidate(store.Organization)
	title := "the " + m.title() + " of the organization"
	upload.Attribute, upload.URL = "file", func(image zulip.RealmImage) string {
		if !image.IsUploaded {
			return ""
		}
		return image.URL
	}
	return upload.Run(ctx, c.Base, change.Subject[zulip.RealmImage, struct{}]{
		Of: imageKind, NameBefore: title, Name: func(zulip.RealmImage) string { return title },
		Read: func(ctx context.Context, shows func(zulip.RealmImage) bool) (*imageReading, error) {
			return readPicture(ctx, c.Meta.Store.FreshUntil, m.Kind.ValueString(), shows)
		},
		Part:       store.Organization,
		At:         func(error) path.Path { return path.Root("file") },
		OnConflict: onConflict,
	}, now, c.Diags)
}

// readImage checks whether the picture is still the uploaded one.
func readImage(ctx context.Context, c *imageCall) error {
	state := c.State
	c.Meta.Run.Note(runstate.Managed, runstate.ID(imageKind, core.TextID(state.ID.ValueString())))
	reading, err := readPicture(ctx, c.Meta.Store.ReadUntil, state.ID.ValueString(), func(now zulip.RealmImage) bool {
		return now.IsUploaded && (state.SourceURL.IsNull() || state.SourceURL.ValueString() == now.URL)
	})
	if err != nil {
		return base.Failed("Cannot read the organization", err)
	}
	now := reading.Thing
	if !now.IsUploaded {
		tflog.Info(ctx, "The picture was removed outside of Terraform: removing it from the state", map[string]any{"kind": state.ID.ValueString()})
		c.Forget()
		return nil
	}
	if !state.SourceURL.IsNull() && state.SourceURL.ValueString() != now.URL && !state.FileSHA256.IsNull() {
		state.FileSHA256 = types.StringValue(picture.ReplacedByOthers)
	}
	state.Kind, state.SourceURL = state.ID, types.StringValue(now.URL)
	c.Save(state)
	return nil
}

// updateImage uploads other content. After an import it only records the file.
func updateImage(ctx context.Context, c *imageCall) error {
	plan, state := c.Plan, c.State
	image, ok := plan.open(c.Diags)
	switch isTaken := state.FileSHA256.IsNull(); {
	case !ok:
		return nil
	case isTaken, state.FileSHA256.Equal(plan.FileSHA256): // the second was not known during plan
		plan.SourceURL = state.SourceURL
	case !uploadImage(ctx, c, image, state.SourceURL.ValueString(), nil):
		return nil
	}
	c.Save(plan)
	return nil
}

// deleteImage removes the picture, unless it has changed since the plan.
func deleteImage(ctx context.Context, c *imageCall) error {
	name := c.State.ID.ValueString()
	done, err := c.Meta.Run.Lock(ctx, imageKind+" "+name)
	if err != nil {
		return base.Failed("Cannot remove the "+c.State.title()+" of the organization", err)
	}
	defer done()
	changeImage(ctx, c, c.State, picture.Change[zulip.RealmImage]{
		Prior: c.State.SourceURL.ValueString(),
		Send:  func(ctx context.Context) error { return c.Meta.Client.RemoveRealmImage(ctx, name) },
	}, "Plan again to remove the current picture. "+keepImageAdvice, nil)
	return nil
}

// importImage imports by the kind of a picture. =FILE after it is the file of the picture, which is put into the state,
// so that the plan has no change. = without a file means another file than the configured one.
func importImage(ctx context.Context, c *imageCall, text string) error {
	name, file, hasFile := strings.Cut(text, "=")
	const summary = "Cannot import this picture of the organization"
	if imageTitles[name] == "" {
		return base.Refused(path.Empty(), summary, fmt.Sprintf("%q is not one of icon, logo, night_logo.", name))
	}
	view, err := c.Read("the organization", store.Organization)
	if err != nil {
		return err
	}
	if !view.Realm().Image(name).IsUploaded {
		return base.Refused(path.Empty(), summary, fmt.Sprintf("The organization has no uploaded %s. It shows the default.", imageTitles[name]))
	}
	c.SaveAttribute("id", name)
	c.Diags.Append(existing.StoreReplacedID(ctx, c.Private, core.TextID(name))...)
	switch {
	case hasFile && file == "":
		c.SaveAttribute("file_sha256", picture.ReplacedByOthers)
	case hasFile:
		picture.Import(file, summary, c.SaveAttribute, c.Diags)
	}
	return nil
}

// organizationImageModel is the resource.
type organizationImageModel struct {
	ID         types.String `tfsdk:"id"`
	Kind       types.String `tfsdk:"kind"`
	File       types.String `tfsdk:"file"`
	FileSHA256 types.String `tfsdk:"file_sha256"`
	SourceURL  types.String `tfsdk:"source_url"`
}

func (m *organizationImageModel) title() string { return imageTitles[m.Kind.ValueString()] }

// open opens the planned file, and completes the model.
func (m *organizationImageModel) open(diags *diag.Diagnostics) (image *picture.Picture, ok bool) {
	if image, ok = picture.OpenPlanned(path.Root("file"), m.File, m.FileSHA256, diags); ok {
		m.ID, m.FileSHA256, m.SourceURL = m.Kind, types.StringValue(image.SHA256()), types.StringNull()
	}
	return image, ok
}
