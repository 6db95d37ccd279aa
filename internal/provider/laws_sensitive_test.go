package provider_test

import (
	"bytes"
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

// Terraform marks only the attribute with a sensitive value. So any other attribute that repeats the value shows it. An ID
// often consists of configured values. Any other attribute has a description that names the attribute that it repeats.
func TestLawSensitive(t *testing.T) {
	l := laws.Law{Name: "sensitive", Sentence: "no computed attribute repeats a configured text, except an ID and an attribute that says so, and no log has a sensitive one"}
	about := func(s laws.Subject) bool {
		return laws.Resources(s) && len(s.Path) == 1 && !s.ValueType().Is(tftypes.Bool)
	}
	laws.Hold(t, l, laws.Subjects(t, about), func(c *laws.Case, s laws.Subject) {
		c.Try("applied", func() {
			stage := stageOf(c, s)
			var log bytes.Buffer
			ctx := tfsdklogtest.RootLogger(tflogtest.RootLogger(context.Background(), &log), &log)
			run := acctest.NewRun(ctx, c, s.Of, stage.Block(nil))
			plan, diags := run.Plan(stage.Config)
			if len(diags.Errors()) > 0 || len(run.Apply(plan).Errors()) > 0 {
				c.NotTried("its start fails")
				return
			}
			run.Plan(stage.Config)
			if log.Len() == 0 {
				c.Broken("nothing is logged")
			}
			for _, text := range textsIn(stage.Value()) {
				if len(text) < 5 || text == "https" {
					continue
				}
				for _, attribute := range acctest.Schemas(t).ResourceSchemas[s.Of].Block.Attributes {
					isSet := attribute.Optional || attribute.Required || attribute.Sensitive
					says := attribute.Name == "id" || strings.Contains(attribute.Description, "`"+s.Name+"`")
					if !isSet && !says && slices.ContainsFunc(textsIn(run.State.Values[attribute.Name]), func(one string) bool { return strings.Contains(one, text) }) {
						c.Broken(attribute.Name+" repeats it", text)
					}
				}
				isLogged := strings.Contains(log.String(), text) || strings.Contains(log.String(), url.QueryEscape(text))
				if (s.Sensitive || s.WriteOnly) && isLogged {
					c.Broken("a log has it")
				}
			}
		})
	})
}

// textsIn returns all texts in a value, but not the keys of maps.
func textsIn(value any) (all []string) {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		for _, one := range value {
			all = append(all, textsIn(one)...)
		}
	case values:
		for _, one := range value {
			all = append(all, textsIn(one)...)
		}
	}
	return all
}
