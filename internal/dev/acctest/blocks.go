package acctest

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// A BlockKind is a kind of block in a configuration.
type BlockKind string

// The kinds of blocks. The provider block is named after the provider.
const (
	ResourceBlock  BlockKind = "resource"
	DataBlock      BlockKind = "data"
	ActionBlock    BlockKind = "action"
	EphemeralBlock BlockKind = "ephemeral"
	ListBlock      BlockKind = "list"
	ProviderBlock  BlockKind = "provider"
)

// A Block is a block that a configuration can have, with its schema.
type Block struct {
	Kind   BlockKind
	Of     string
	Schema *tfprotov6.SchemaBlock
}

// Blocks returns every block that the provider offers, in order.
func Blocks(t testing.TB) []Block {
	t.Helper()
	schemas := Schemas(t)
	all := []Block{{ProviderBlock, "zulip", schemas.Provider.Block}}
	for kind, some := range map[BlockKind]map[string]*tfprotov6.Schema{
		ResourceBlock: schemas.ResourceSchemas, DataBlock: schemas.DataSourceSchemas, EphemeralBlock: schemas.EphemeralResourceSchemas, ListBlock: schemas.ListResourceSchemas,
	} {
		for name := range maps.Keys(some) {
			all = append(all, Block{kind, name, some[name].Block})
		}
	}
	for name, action := range schemas.ActionSchemas {
		all = append(all, Block{ActionBlock, name, action.Schema.Block})
	}
	slices.SortFunc(all, func(a, b Block) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Of, b.Of)) })
	return all
}

// ValidateBlock checks the configuration of a block of any kind without using it.
func (p *Process) ValidateBlock(kind BlockKind, of string, config Values) Diagnostics {
	p.t.Helper()
	var found []*tfprotov6.Diagnostic
	switch kind {
	case ResourceBlock:
		return p.Validate(of, config)
	case DataBlock:
		answer, err := p.server.ValidateDataResourceConfig(p.ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: of, Config: p.encode(p.schemas.DataSourceSchemas[of].ValueType(), config)})
		p.mustSucceed(err)
		found = answer.Diagnostics
	case ActionBlock:
		answer, err := p.actions().ValidateActionConfig(p.ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: of, Config: p.encodeAction(of, config)})
		p.mustSucceed(err)
		found = answer.Diagnostics
	case EphemeralBlock:
		answer, err := p.server.ValidateEphemeralResourceConfig(p.ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: of, Config: p.encode(p.schemas.EphemeralResourceSchemas[of].ValueType(), config)})
		p.mustSucceed(err)
		found = answer.Diagnostics
	case ListBlock:
		answer, err := p.lists().ValidateListResourceConfig(p.ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: of, Config: p.encode(p.schemas.ListResourceSchemas[of].ValueType(), config)})
		p.mustSucceed(err)
		found = answer.Diagnostics
	case ProviderBlock:
		answer, err := p.server.ValidateProviderConfig(p.ctx, &tfprotov6.ValidateProviderConfigRequest{Config: p.encode(p.schemas.Provider.ValueType(), config)})
		p.mustSucceed(err)
		found = answer.Diagnostics
	}
	return diagnosticsOf(found)
}

// UseBlock validates and uses a block other than a resource once. refusal are errors before anything is sent.
func (p *Process) UseBlock(kind BlockKind, of string, config Values) (refusal, failure Diagnostics) {
	p.t.Helper()
	if refusal = p.ValidateBlock(kind, of, config); len(refusal.Errors()) > 0 {
		return refusal, nil
	}
	switch kind {
	case DataBlock:
		_, refusal = p.ReadData(of, config) // a plan reads it
	case ActionBlock:
		if refusal = p.PlanAction(of, config); len(refusal.Errors()) == 0 {
			_, failure = p.InvokeAction(p.ctx, of, config, nil)
		}
	case EphemeralBlock:
		_, refusal = p.Open(of, config)
	case ListBlock:
		for _, one := range p.List(of, config, 1, false) {
			refusal = append(refusal, one.Diagnostics...)
		}
	case ProviderBlock:
		refusal = p.Configure(config)
	}
	return refusal, failure
}
