package bots

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/picture"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// avatar is the picture of a bot in a model. The server does not return the file. The URL, which changes with each
// upload, shows whether the picture is still the uploaded one (server-behavior §U22). If the picture is not managed,
// all three are null.
type avatar struct{ file, sha256, url *types.String }

var (
	avatarFile   = path.Root("avatar_file")
	avatarSHA256 = path.Root("avatar_sha256")
	avatarURL    = path.Root("avatar_url")
)

// from reads the picture of a plan or a state.
func (a avatar) from(ctx context.Context, attributes interface {
	GetAttribute(ctx context.Context, at path.Path, target any) diag.Diagnostics
},
) (diags diag.Diagnostics) {
	diags.Append(attributes.GetAttribute(ctx, avatarFile, a.file)...)
	diags.Append(attributes.GetAttribute(ctx, avatarSHA256, a.sha256)...)
	diags.Append(attributes.GetAttribute(ctx, avatarURL, a.url)...)
	return diags
}

// into writes the picture into a plan or a state.
func (a avatar) into(ctx context.Context, attributes interface {
	SetAttribute(ctx context.Context, at path.Path, value any) diag.Diagnostics
},
) (diags diag.Diagnostics) {
	diags.Append(attributes.SetAttribute(ctx, avatarFile, attr.Value(*a.file))...)
	diags.Append(attributes.SetAttribute(ctx, avatarSHA256, attr.Value(*a.sha256))...)
	diags.Append(attributes.SetAttribute(ctx, avatarURL, attr.Value(*a.url))...)
	return diags
}

// read sets the picture to the server's: another URL is another picture.
func (a avatar) read(user *zulip.User) {
	if a.sha256.IsNull() {
		*a.url = types.StringNull()
		return
	}
	if a.isReplaced(user) {
		*a.sha256 = types.StringValue(picture.ReplacedByOthers)
	}
	*a.url = types.StringPointerValue(user.AvatarURL)
}

// isReplaced reports whether the server shows another picture than the managed one.
func (a avatar) isReplaced(user *zulip.User) bool {
	return !a.sha256.IsNull() && !a.url.IsUnknown() && !a.url.Equal(types.StringPointerValue(user.AvatarURL))
}

// showsOtherAvatar reports whether the server shows another picture than the state has.
func showsOtherAvatar(ctx context.Context, req resource.ReadRequest, user *zulip.User, diags *diag.Diagnostics) bool {
	var state botModel
	diags.Append(state.avatar().from(ctx, req.State)...)
	return state.avatar().isReplaced(user)
}

// planAvatar plans the content of the file. The same content is no change, and without a file the picture is not
// managed.
func planAvatar(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, prior botModel
	resp.Diagnostics.Append(plan.avatar().from(ctx, req.Plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(prior.avatar().from(ctx, req.State)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	var sum types.String
	if !plan.AvatarFile.IsNull() {
		_, sum = picture.Plan(avatarFile, plan.AvatarFile, &resp.Diagnostics)
	}
	switch plan.AvatarSHA256 = sum; {
	case plan.AvatarFile.IsNull():
		plan.AvatarURL = types.StringNull()
	case !sum.IsUnknown() && sum.Equal(prior.AvatarSHA256):
		plan.AvatarFile, plan.AvatarURL = prior.AvatarFile, prior.AvatarURL // the same content, wherever the file is
	default:
		plan.AvatarURL = types.StringUnknown()
	}
	resp.Diagnostics.Append(plan.avatar().into(ctx, &resp.Plan)...)
}

// Create creates the bot, and then uploads its picture in a second request. In one request, the server would create the
// bot even if it refuses the picture (server-behavior §U22).
func (r *botResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var planned, none botModel
	resp.Diagnostics.Append(planned.avatar().from(ctx, req.Plan)...)
	image, ok := planned.avatar().open(&resp.Diagnostics)
	if !ok {
		return
	}
	resp.Diagnostics.Append(none.avatar().into(ctx, &req.Plan)...)
	r.Resource.Create(ctx, req, resp)
	if resp.Diagnostics.HasError() || image == nil {
		return
	}
	var created botModel
	if resp.Diagnostics.Append(resp.State.Get(ctx, &created)...); resp.Diagnostics.HasError() {
		return
	}
	if err := r.upload(ctx, created.ID.ValueInt64(), image, planned.avatar()); err != nil {
		resp.Diagnostics.AddAttributeError(avatarFile, "Cannot upload the picture of bot "+created.Email.ValueString(), base.Explain(err)+core.Tainted("bot"))
		return
	}
	resp.Diagnostics.Append(planned.avatar().into(ctx, &resp.State)...)
}

// open opens the planned file; nil if none is planned. It reports a file that cannot be uploaded.
func (a avatar) open(diags *diag.Diagnostics) (image *picture.Picture, ok bool) {
	if diags.HasError() || a.file.IsNull() {
		return nil, !diags.HasError()
	}
	return picture.OpenPlanned(avatarFile, *a.file, *a.sha256, diags)
}

// updateWithAvatar sends the other planned changes, and then uploads the picture if its content changed.
func (r *botResource) updateWithAvatar(ctx context.Context, req resource.UpdateRequest, planned, prior *botModel, resp *resource.UpdateResponse) {
	image, ok := planned.avatar().open(&resp.Diagnostics)
	if !ok {
		return
	}
	before := *prior
	resp.Diagnostics.Append(before.avatar().into(ctx, &req.Plan)...)
	r.Resource.Update(ctx, req, resp)
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case image == nil: // not managed any more
	case prior.AvatarSHA256.ValueString() == image.SHA256(): // not known during plan
		planned.AvatarSHA256, planned.AvatarURL = prior.AvatarSHA256, prior.AvatarURL
	default:
		seen := uploadedURL(prior.AvatarURL.ValueString())
		if prior.AvatarSHA256.IsNull() { // the picture was not managed
			seen = seenURL(ctx, req.Private, &resp.Diagnostics)
		}
		if r.replaceAvatar(ctx, prior, image, seen, planned.avatar(), &resp.Diagnostics); resp.Diagnostics.HasError() {
			return
		}
	}
	resp.Diagnostics.Append(planned.avatar().into(ctx, &resp.State)...)
}

// replaceAvatar uploads the picture, unless the picture has changed since the plan.
func (r *botResource) replaceAvatar(ctx context.Context, prior *botModel, image *picture.Picture, seen string, into avatar, diags *diag.Diagnostics) {
	id, title := prior.ID.ValueInt64(), "the picture of bot "+prior.Email.ValueString()
	upload := picture.Change[*zulip.User]{
		Attribute: "avatar_file", File: into.file.ValueString(), Prior: seen,
		URL: func(user *zulip.User) string {
			return uploadedURL(types.StringPointerValue(user.AvatarURL).ValueString())
		},
		Send: func(ctx context.Context) error { return r.upload(ctx, id, image, into) },
	}
	now := upload.Run(ctx, &r.Base, change.Subject[*zulip.User, struct{}]{
		Of: botKind, NameBefore: title, Name: func(*zulip.User) string { return title },
		Read: func(ctx context.Context, _ func(*zulip.User) bool) (*change.Reading[*zulip.User], error) {
			user, err := r.Meta.Store.FreshUser(ctx, id)
			if err == nil && user == nil {
				err = errors.New("the server does not show the bot to the provider's account. Plan again to see what happened")
			}
			return &change.Reading[*zulip.User]{Thing: user}, err
		},
		At: func(error) path.Path { return avatarFile },
	}, nil, diags)
	if now != nil && !diags.HasError() { // the answer to the upload was lost
		*into.url = types.StringPointerValue(now.Thing.AvatarURL)
	}
}

// uploadedURL returns the URL of an uploaded picture; "" for the default one, which comes from Gravatar.
func uploadedURL(url string) string {
	if strings.HasPrefix(url, "https://secure.gravatar.com/") {
		return ""
	}
	return url
}

// seenKey is the key of an unmanaged picture's URL in the private state.
const seenKey = "avatar_url"

// seenURL returns the URL of the uploaded picture that the last refresh saw; "" if there was none.
func seenURL(ctx context.Context, private base.PrivateGetter, diags *diag.Diagnostics) (url string) {
	data, found := private.GetKey(ctx, seenKey)
	diags.Append(found...)
	if len(data) > 0 {
		if err := json.Unmarshal(data, &url); err != nil {
			base.AddBug(diags, "decode private state", err)
		}
	}
	return url
}

// storeSeen stores the URL of the picture for a plan that begins to manage it.
func storeSeen(ctx context.Context, private base.PrivateSetter, user *zulip.User) diag.Diagnostics {
	return private.SetKey(ctx, seenKey, []byte(strconv.Quote(uploadedURL(types.StringPointerValue(user.AvatarURL).ValueString()))))
}

// upload uploads the picture, and sets its hash and URL in a model.
func (r *botResource) upload(ctx context.Context, id int64, image *picture.Picture, into avatar) error {
	var url string
	err := r.Meta.Store.Write(ctx, func(ctx context.Context) (err error) {
		// The name of the file can have any extension.
		url, err = r.Meta.Client.UploadBotAvatar(ctx, id, "avatar"+image.Extension(), image.ContentType, image.Content)
		return err
	})
	r.Meta.Store.Invalidate(store.Bots, store.Users)
	*into.sha256, *into.url = types.StringValue(image.SHA256()), types.StringValue(url)
	return err
}
