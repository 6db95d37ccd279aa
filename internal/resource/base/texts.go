package base

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// ConfigValidators refuses texts that no server stores. It checks every attribute of every resource.
func (*Resource) ConfigValidators(context.Context) []resource.ConfigValidator {
	return []resource.ConfigValidator{storable{}}
}

// ConfigValidators refuses texts that no server stores. It checks every attribute of every action.
func (*Action) ConfigValidators(context.Context) []action.ConfigValidator {
	return []action.ConfigValidator{storable{}}
}

// storable refuses null bytes, which the server's database can't store (server-behavior §R30).
type storable struct{}

// Description returns the requirement.
func (storable) Description(context.Context) string { return "texts without null bytes" }

// MarkdownDescription returns the requirement.
func (s storable) MarkdownDescription(ctx context.Context) string { return s.Description(ctx) }

// ValidateResource checks a resource.
func (storable) ValidateResource(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	checkTexts(req.Config.Raw, &resp.Diagnostics)
}

// ValidateAction checks an action.
func (storable) ValidateAction(_ context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	checkTexts(req.Config.Raw, &resp.Diagnostics)
}

func checkTexts(config tftypes.Value, diags *diag.Diagnostics) {
	err := tftypes.Walk(config, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		var text *string
		if !value.Type().Is(tftypes.String) || !value.IsKnown() {
			return true, nil
		}
		if err := value.As(&text); err != nil || text == nil || !strings.ContainsRune(*text, 0) {
			return true, err
		}
		name, _ := at.Steps()[0].(tftypes.AttributeName)
		diags.AddAttributeError(path.Root(string(name)), "Null byte in "+string(name),
			fmt.Sprintf("The server can't store null bytes (\\u0000). Remove them. The text is %q.", *text))
		return true, nil
	})
	if err != nil {
		diags.AddError("Cannot read the configuration", err.Error()+".")
	}
}
