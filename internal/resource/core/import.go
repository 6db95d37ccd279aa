package core

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// ImportState takes an ID, a name, or the identity.
func (r *Resource[Model, Object, Update]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	text := req.ID
	if text == "" {
		var id attr.Value
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(idAttribute), &id)...)
		text = textOf(id)
	}
	view, ok := r.read(ctx, &resp.Diagnostics, anything)
	if !ok {
		return
	}
	object, err := r.find(view, text)
	if err != nil {
		resp.Diagnostics.AddError("Cannot import this "+r.def.Title, base.Sentence(err))
		return
	}
	if r.def.IsGone != nil && r.def.IsGone(object) {
		resp.Diagnostics.AddError("Cannot import this "+r.def.Title, r.def.HowToAdopt(object))
		return
	}
	id := r.idOf(object)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(idAttribute), id)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), id)...)
	if r.reservesName() {
		resp.Diagnostics.Append(StoreReplacedID(ctx, resp.Private, r.def.Key(object))...)
	}
}

// find returns the object that has an ID or a name. "name:2024" is the one called 2024. Its error is for people.
func (r *Resource[Model, Object, Update]) find(view *listing[Object], text string) (*Object, error) {
	if r.def.Find != nil {
		return r.def.Find(view.Snapshot, text)
	}
	if r.def.Unique.Of == nil {
		return r.findByID(view, text)
	}
	word := r.def.Unique.word()
	name, isName := strings.CutPrefix(text, word+":")
	if number, err := strconv.ParseInt(text, 10, 64); err == nil && !isName {
		if r.hasNumber() {
			if object, ok := r.get(view, number); ok {
				return object, nil
			}
			return nil, fmt.Errorf("the organization has no %s with the ID %d (one whose %s is a number is imported as %s:%d)", r.def.Title, number, word, word, number)
		}
	}
	find := r.def.Unique.ByName
	if find == nil {
		find = func(s *snapshot.Snapshot, name string) (*Object, bool) { return r.def.Index(s).ByName(name) }
	}
	if object, ok := find(view.Snapshot, name); ok {
		return object, nil
	}
	things := r.def.Plural
	if word != "name" {
		things = word + "s"
	}
	names := suggest.Names{
		Things: things, All: r.def.Index(view.Snapshot).Names(), Where: r.def.Unique.Where, Unquoted: r.def.Unique.Unquoted,
	}
	return nil, fmt.Errorf("the organization has no %s with the %s %s%s", r.def.Title, word, suggest.Quote(name), names.Suggest(name))
}

// findByID finds an object that has no name. Its error does not repeat the text, which may be a secret.
func (r *Resource[Model, Object, Update]) findByID(view *listing[Object], text string) (*Object, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("what was given is not a number, and only its ID tells one %s from another. %s", r.def.Title, r.def.WhereIDs)
	}
	if object, ok := r.get(view, number); ok {
		return object, nil
	}
	return nil, fmt.Errorf("the provider's account sees no %s with the ID %d. %s", r.def.Title, number, r.def.WhereIDs)
}
