package core

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// List describes a list resource: the objects of one kind, for `terraform query` and for the export. Object is the
// client's type of an object. A result has the identity of an object; the provider's server adds the resource, as an
// import of the object would.
type List[Object any] struct {
	// Name is the type of the resource without the provider's prefix, and Plural the noun for several objects.
	Name, Plural string
	ListText
	// Identity is the attribute of the identity: "id" if it is empty.
	Identity string
	// Objects returns the objects in the server's order, and their organization.
	Objects func(ctx context.Context, c *base.Base) ([]*Object, *snapshot.Snapshot, error)
	// Key returns the value of the identity: a number or a text.
	Key func(*Object) any
	// Label returns the name of an object. The argument `name` selects by it.
	Label func(object *Object, s *snapshot.Snapshot) string
	// IsGone reports whether an object is archived or deactivated (GoneWord). Such objects are listed only with the
	// argument include_archived or include_deactivated, because they cannot be imported. Optional.
	IsGone   func(*Object) bool
	GoneWord string
	// Filters are further arguments. Optional.
	Filters []ListFilter[Object]
}

// ListText is the text that is specific to the page of a list resource.
type ListText struct {
	// Description describes the listed objects: "Lists the channels that …". The default is the plural.
	Description string
	// Called is the noun for the result of Label, as in "email address": by default "name".
	Called string
}

// ListFilter is an argument of a list resource that selects objects by a text.
type ListFilter[Object any] struct {
	Name, Description string
	// Select returns the condition for a value of the argument. Its error is a message for users.
	Select func(s *snapshot.Snapshot, value string) (func(*Object) bool, error)
}

// listResource is the list resource of a [List].
type listResource[Object any] struct {
	base.Resource
	def List[Object]
}

var (
	_ list.ListResource              = (*listResource[struct{}])(nil)
	_ list.ListResourceWithConfigure = (*listResource[struct{}])(nil)
)

// NewList returns the list resource of a definition.
func NewList[Object any](def List[Object]) list.ListResource {
	if def.Identity == "" {
		def.Identity = idAttribute
	}
	return &listResource[Object]{def: def}
}

// FromSnapshot returns the Objects of a [List] whose objects are in parts of the snapshot, with those that isListed
// accepts.
func FromSnapshot[Object any](
	all func(*snapshot.Snapshot) []*Object, isListed func(*snapshot.Snapshot, *Object) bool, parts ...store.Part,
) func(context.Context, *base.Base) ([]*Object, *snapshot.Snapshot, error) {
	return func(ctx context.Context, b *base.Base) (listed []*Object, s *snapshot.Snapshot, err error) {
		if s, err = b.Meta.Store.Read(ctx, parts...); err != nil {
			return nil, nil, err
		}
		for _, object := range all(s) {
			if isListed(s, object) {
				listed = append(listed, object)
			}
		}
		return listed, s, nil
	}
}

// Lister is a resource that comes with its list resource.
type Lister interface{ AsList() list.ListResource }

// AsList returns the list resource of a resource of this package.
func (r *Resource[Model, Object, Update]) AsList() list.ListResource {
	return NewList(List[Object]{
		Name: r.def.Name, Plural: r.def.Plural, ListText: r.def.ListText,
		Objects: func(ctx context.Context, b *base.Base) ([]*Object, *snapshot.Snapshot, error) {
			bound := *r
			bound.Base = *b
			l, err := bound.known(ctx, anything)
			if err != nil {
				return nil, nil, err
			}
			return bound.all(l), l.Snapshot, nil
		},
		Key: func(object *Object) any { return r.idOf(object) },
		Label: func(object *Object, s *snapshot.Snapshot) string {
			if r.def.Index != nil {
				if label := r.def.Index(s).Name(object); label != "" {
					return label
				}
			}
			return fmt.Sprintf("%s %s", r.def.Title, textOf(r.idOf(object)))
		},
		IsGone: r.def.IsGone, GoneWord: r.def.GoneWord,
	})
}

// Metadata sets the type of the listed resource.
func (l *listResource[Object]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "zulip_" + l.def.Name
}

// ListResourceConfigSchema describes the arguments.
func (l *listResource[Object]) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	attributes := map[string]listschema.Attribute{
		"name": listschema.StringAttribute{
			Optional:            true,
			MarkdownDescription: fmt.Sprintf("Pattern for the %s: `*` matches any characters, `?` matches one. Case is ignored.", cmp.Or(l.def.Called, "name")),
		},
	}
	if l.def.IsGone != nil {
		attributes[l.includeGone()] = listschema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: fmt.Sprintf("If true, %s %s are listed too. They can't be imported. Defaults to `false`.", l.def.GoneWord, l.def.Plural),
		}
	}
	for _, filter := range l.def.Filters {
		attributes[filter.Name] = listschema.StringAttribute{Optional: true, MarkdownDescription: filter.Description}
	}
	description := cmp.Or(l.def.Description, fmt.Sprintf("Lists the %s of the organization.", l.def.Plural))
	resp.Schema = listschema.Schema{MarkdownDescription: description, Attributes: attributes}
}

// includeGone returns the argument that includes archived or deactivated objects.
func (l *listResource[Object]) includeGone() string { return "include_" + l.def.GoneWord }

// List returns the objects that the arguments select. Errors are also results, because Terraform shows only these.
func (l *listResource[Object]) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	found, s, diags := l.selected(ctx, req)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for i, object := range found {
			if req.Limit > 0 && int64(i) == req.Limit {
				return
			}
			result := req.NewListResult(ctx)
			result.DisplayName = l.displayName(object, s)
			result.Diagnostics.Append(result.Identity.SetAttribute(ctx, path.Root(l.def.Identity), l.def.Key(object))...)
			if i == 0 && req.Limit > 0 && int64(len(found)) > req.Limit {
				result.Diagnostics.AddWarning(
					fmt.Sprintf("Only %d of %d %s are listed", req.Limit, len(found), l.def.Plural),
					fmt.Sprintf("Set limit = %d in the list block to list all, or narrow the list with its other arguments.", len(found)))
			}
			if !push(result) {
				return
			}
		}
	}
}

func (l *listResource[Object]) displayName(object *Object, s *snapshot.Snapshot) string {
	label := l.def.Label(object, s)
	if l.def.IsGone != nil && l.def.IsGone(object) {
		label += " (" + l.def.GoneWord + ")"
	}
	return label
}

// selected returns the objects that every argument selects.
func (l *listResource[Object]) selected(ctx context.Context, req list.ListRequest) (found []*Object, s *snapshot.Snapshot, diags diag.Diagnostics) {
	if !l.Ready(&diags) {
		return nil, nil, diags
	}
	objects, s, err := l.def.Objects(ctx, &l.Base)
	if err != nil {
		diags.AddError("Cannot list the "+l.def.Plural, base.Explain(err))
		return nil, nil, diags
	}
	keeps := l.filters(ctx, req, s, &diags)
	if diags.HasError() {
		return nil, nil, diags
	}
	for _, object := range objects {
		if !slices.ContainsFunc(keeps, func(keep func(*Object) bool) bool { return !keep(object) }) {
			found = append(found, object)
		}
	}
	return found, s, diags
}

// filters returns the conditions of the arguments.
func (l *listResource[Object]) filters(ctx context.Context, req list.ListRequest, s *snapshot.Snapshot, diags *diag.Diagnostics) (keeps []func(*Object) bool) {
	text := func(name string) (string, bool) {
		var value types.String
		diags.Append(req.Config.GetAttribute(ctx, path.Root(name), &value)...)
		return value.ValueString(), !value.IsNull() && !value.IsUnknown()
	}
	if l.def.IsGone != nil {
		var included types.Bool
		diags.Append(req.Config.GetAttribute(ctx, path.Root(l.includeGone()), &included)...)
		if !included.ValueBool() {
			keeps = append(keeps, func(object *Object) bool { return !l.def.IsGone(object) })
		}
	}
	if pattern, ok := text("name"); ok {
		matches := NamePattern(pattern)
		keeps = append(keeps, func(object *Object) bool { return matches(l.def.Label(object, s)) })
	}
	for _, filter := range l.def.Filters {
		value, ok := text(filter.Name)
		if !ok {
			continue
		}
		keep, err := filter.Select(s, value)
		if err != nil {
			diags.AddAttributeError(path.Root(filter.Name), "Cannot list the "+l.def.Plural, base.Sentence(err))
			continue
		}
		keeps = append(keeps, keep)
	}
	return keeps
}

// NamePattern returns a condition for names that match a pattern, in which * means any characters and ? one. It ignores
// case.
func NamePattern(pattern string) func(name string) bool {
	quoted := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile("(?is)^" + quoted + "$").MatchString
}

// OneOf returns the Select of a [ListFilter] whose value is one of some words.
func OneOf[Object any](words map[string]func(*Object) bool) func(*snapshot.Snapshot, string) (func(*Object) bool, error) {
	return func(_ *snapshot.Snapshot, value string) (func(*Object) bool, error) {
		if keep, ok := words[value]; ok {
			return keep, nil
		}
		return nil, fmt.Errorf("%q is not one of %s", value, strings.Join(slices.Sorted(maps.Keys(words)), ", "))
	}
}

// RoleFilter returns the argument `role` of a list resource of people or bots. It accepts roles that only the server
// knows, by their numbers.
func RoleFilter() ListFilter[zulip.User] {
	return ListFilter[zulip.User]{
		Name: "role", Description: "Role: `owner`, `administrator`, `moderator`, `member` or `guest`.",
		Select: func(s *snapshot.Snapshot, value string) (func(*zulip.User) bool, error) {
			words := map[string]func(*zulip.User) bool{}
			hasRole := func(user *zulip.User) bool { return user.Role.String() == value }
			for _, role := range accounts.Roles() {
				words[role] = hasRole
			}
			for _, user := range s.Users() {
				words[user.Role.String()] = hasRole
			}
			return OneOf(words)(s, value)
		},
	}
}
