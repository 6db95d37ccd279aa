package organization

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewCodePlaygroundResource returns zulip_code_playground.
func NewCodePlaygroundResource() resource.Resource {
	return core.New(&core.Definition[codePlaygroundModel, zulip.Playground]{
		Name: "code_playground", Title: "code playground", Plural: "code playgrounds",
		ListText: core.ListText{Called: "language and name (`Python/Try it`)", Description: "Lists the code playgrounds of the organization."},
		Schema:   codePlaygroundSchema,
		Role:     zulip.RoleAdministrator, ForceNew: []string{"name", "pygments_language", "url_template"},
		Source:       core.Source{Part: store.Playgrounds, Lags: true, StoresAsSent: true},
		Index:        (*snapshot.Snapshot).Playgrounds,
		Key:          func(playground *zulip.Playground) int64 { return playground.ID },
		FindImported: findCodePlayground,
		Unique: core.Unique[codePlaygroundModel, zulip.Playground]{
			Attribute: "name", Word: "language and name",
			Of:      (*codePlaygroundModel).name,
			IsTaken: zulip.IsPlaygroundTaken,
			Existing: func(e *existing.Object, playground *zulip.Playground, _ *core.Call) {
				e.Detail = fmt.Sprintf("It has the ID %d and the URL template %q.", playground.ID, playground.URLTemplate)
				e.MayBeReplaced = true // a playground with another URL may be the one that this resource replaces
			},
		},
		ReadInto: readCodePlaygroundInto, Create: createCodePlayground, Delete: deleteCodePlayground, DeleteVerb: "remove",
	})
}

type codePlaygroundModel struct {
	ID          types.Int64  `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	Language    types.String `tfsdk:"pygments_language"`
	URLTemplate types.String `tfsdk:"url_template"`
}

func (m *codePlaygroundModel) wire() zulip.Playground {
	return zulip.Playground{ID: m.ID.ValueInt64(), Name: m.Name.ValueString(), Language: m.Language.ValueString(), URLTemplate: m.URLTemplate.ValueString()}
}

// name returns the language and name, which are unique together.
func (m *codePlaygroundModel) name() string {
	if !base.IsSet(m.Name) || !base.IsSet(m.Language) {
		return ""
	}
	wire := m.wire()
	return wire.Key()
}

func codePlaygroundSchema() schema.Schema {
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages a [code playground](https://zulip.com/help/code-blocks), an external site to which people can send code blocks of a language.",
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "ID of the playground.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name that people see. Changing this forces a new playground.",
				Validators: []validator.String{validators.Checked("name", checkPlaygroundText)},
			},
			"pygments_language": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Language of the code blocks, at most 40 characters: a name from Pygments, such as `Python`, or any other name. Changing this forces a new playground.",
				Validators:          []validator.String{validators.Checked("language", checkPlaygroundText), validators.Checked("language", zulip.CheckPlaygroundLanguage)},
			},
			"url_template": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "URL template (RFC 6570) with `code` as its only variable, such as `https://play.example.com/?code={code}`. Changing this forces a new playground.",
				Validators:          []validator.String{validators.Checked("URL template", checkPlaygroundText), validators.Checked("URL template", zulip.CheckPlaygroundTemplate)},
			},
		},
	}
}

func readCodePlaygroundInto(m *codePlaygroundModel, playground *zulip.Playground, _ *core.Call) {
	m.ID, m.Name = types.Int64Value(playground.ID), types.StringValue(playground.Name)
	m.Language, m.URLTemplate = types.StringValue(playground.Language), types.StringValue(playground.URLTemplate)
}

func createCodePlayground(ctx context.Context, c *core.Call, plan *codePlaygroundModel) (int64, error) {
	return c.Meta.Client.AddPlayground(ctx, plan.wire())
}

// deleteCodePlayground removes the playground. The organization's default language of code blocks may be unset with it.
func deleteCodePlayground(ctx context.Context, c *core.Call, state *codePlaygroundModel) error {
	defer c.Meta.Store.Invalidate(store.Organization)
	return c.Meta.Client.DeletePlayground(ctx, state.ID.ValueInt64())
}

// findCodePlayground returns the only playground that matches a text. Its error is a message for users.
func findCodePlayground(view *snapshot.Snapshot, text string) (*zulip.Playground, error) {
	all := view.Playgrounds().List()
	id, err := strconv.ParseInt(text, 10, 64)
	isID := err == nil
	var named []*zulip.Playground
	for _, playground := range all {
		switch {
		case isID && playground.ID == id, playground.Key() == text:
			return playground, nil
		case playground.Name == text:
			named = append(named, playground)
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	if len(named) > 1 {
		keys := []string{}
		for _, playground := range named {
			keys = append(keys, strconv.Quote(playground.Key()))
		}
		return nil, fmt.Errorf("%d playgrounds are called %q: write LANGUAGE/NAME, one of %s", len(named), text, strings.Join(keys, ", "))
	}
	names := suggest.Names{Things: "code playgrounds", Where: "the organization's settings list all, under Code playgrounds"}
	for _, playground := range all {
		if isID || strings.Contains(text, "/") {
			names.All = append(names.All, playground.Key())
		} else {
			names.All = append(names.All, playground.Name)
		}
	}
	return nil, fmt.Errorf("%q is neither the ID nor the name nor the LANGUAGE/NAME of a code playground%s", text, names.Suggest(text))
}

// checkPlaygroundText checks that the server stores a text of a playground unchanged.
func checkPlaygroundText(text string) error {
	switch zulip.Strip(text) {
	case "":
		return errors.New("the server refuses an empty text")
	case text:
		return nil
	}
	return errors.New("the server would remove the white space at the beginning or end. Write the text without it")
}
