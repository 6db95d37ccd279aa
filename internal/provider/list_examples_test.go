package provider_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Every list resource has an example, whose arguments the provider takes.
func TestProtocolListExamples(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": "Engineering", "description": ""})
	p := o.NewRun(t, "zulip_channel").Process()
	for _, of := range p.ListResources() {
		file := filepath.Join("..", "..", "examples", "list-resources", of, "list-resource.tfquery.hcl")
		content, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		config := argumentsIn(t, content, of)
		for _, found := range p.List(of, config, 0, false) {
			found.Diagnostics.ExpectNoError(t)
		}
	}
}

// argumentsIn reads the arguments of the one list block of a file.
func argumentsIn(t *testing.T, content []byte, of string) values {
	t.Helper()
	parsed, problems := hclparse.NewParser().ParseHCL(content, of)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	config := values{}
	for _, block := range parsed.Body.(*hclsyntax.Body).Blocks {
		if block.Type != "list" || block.Labels[0] != of {
			t.Errorf("the example of %s has a block %s %q", of, block.Type, block.Labels)
		}
		for _, inner := range block.Body.Blocks {
			for name, attribute := range inner.Body.Attributes {
				value, problems := attribute.Expr.Value(&hcl.EvalContext{})
				if problems.HasErrors() {
					t.Fatal(problems)
				}
				if value.Type().FriendlyName() == "bool" {
					config[name] = value.True()
				} else {
					config[name] = value.AsString()
				}
			}
		}
	}
	return config
}
