package resourcekit

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
)

// ImportState takes an ID, a name, or the identity.
func (r *Resource[M, T, K]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	text := req.ID
	if text == "" {
		var id K
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(idAttribute), &id)...)
		text = fmt.Sprint(id)
	}
	view, ok := r.read(ctx, &resp.Diagnostics, anything)
	if !ok {
		return
	}
	find := r.def.Find
	if find == nil {
		find = r.find
	}
	object, err := find(view, text)
	if err != nil {
		resp.Diagnostics.AddError("Cannot import this "+r.def.Title, framework.Sentence(err))
		return
	}
	if r.def.IsGone != nil && r.def.IsGone(object) {
		resp.Diagnostics.AddError("Cannot import this "+r.def.Title, r.def.HowToAdopt(object))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(idAttribute), r.def.Key(object))...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), r.def.Key(object))...)
}

// find returns the object that has an ID or a name. "name:2024" is the one called 2024. Its error is for people.
func (r *Resource[M, T, K]) find(view *directory.View, text string) (*T, error) {
	word := r.def.Unique.word()
	name, isName := strings.CutPrefix(text, word+":")
	if number, err := strconv.ParseInt(text, 10, 64); err == nil && !isName {
		if id, isKey := any(number).(K); isKey {
			if object, ok := r.def.Get(view, id); ok {
				return object, nil
			}
			return nil, fmt.Errorf("the organization has no %s with the ID %d (one whose %s is a number is imported as %s:%d)", r.def.Title, number, word, word, number)
		}
	}
	if object, ok := r.def.Unique.ByName(view, name); ok {
		return object, nil
	}
	return nil, fmt.Errorf("the organization has no %s with the %s %s%s", r.def.Title, word, framework.Quote(name), r.def.Unique.Names(view).Suggest(name))
}
