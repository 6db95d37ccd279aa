package rules

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/hclfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	ruleAttributes = suggest.Names{Things: "attributes", All: []string{"channels", "groups", "right", "role", "joining", "only", "never", "at_least", "at_most", "except"}}
	limitNames     = suggest.Names{Things: "attributes", All: []string{"people", "percent"}}
	exceptNames    = suggest.Names{Things: "attributes", All: []string{"people", "reason", "until"}}
	blockNames     = suggest.Names{Things: "blocks", All: []string{"rule", "limit"}}
)

// Parse reads a file of rules. An error names every mistake with its line.
func Parse(path string, content []byte) (*File, error) {
	reader, blocks := hclfile.Open(path, content, "a file of rules has only blocks, such as rule \"two owners\" { … }")
	p := &parser{Reader: reader, file: &File{path: path}}
	names := map[string]int{}
	for _, block := range blocks {
		line := block.TypeRange.Start.Line
		if !slices.Contains(blockNames.All, block.Type) {
			p.Fail(line, "there is no block %s%s", suggest.Quote(block.Type), blockNames.Suggest(block.Type))
			continue
		}
		if len(block.Labels) != 1 || strings.TrimSpace(block.Labels[0]) == "" {
			p.Fail(line, `%s takes one name, as in %s "two owners" { … }`, block.Type, block.Type)
			continue
		}
		if first := names[block.Labels[0]]; first > 0 {
			p.Fail(line, "the name %s is that of line %d already", suggest.Quote(block.Labels[0]), first)
			continue
		}
		names[block.Labels[0]] = line
		if block.Type == "limit" {
			p.limit(block)
		} else {
			p.rule(block)
		}
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return p.file, nil
}

// parser reads a file of rules.
type parser struct {
	*hclfile.Reader

	file *File
}

func (p *parser) limit(block *hclsyntax.Block) {
	limit := &Limit{Name: block.Labels[0], Line: block.TypeRange.Start.Line, People: noLimit, Percent: noLimit}
	p.noBlocks(block, limitNames)
	for _, one := range block.Body.Attributes {
		switch one.Name {
		case "people":
			limit.People = p.Number(one, 0)
		case "percent":
			if limit.Percent = p.Number(one, 0); limit.Percent > 100 {
				p.Fail(one.NameRange.Start.Line, "percent is at most 100")
			}
		default:
			p.Fail(one.NameRange.Start.Line, "limit has no attribute %s%s", suggest.Quote(one.Name), limitNames.Suggest(one.Name))
		}
	}
	if len(block.Body.Attributes) == 0 {
		p.Fail(limit.Line, "the limit says nothing: write people, percent or both")
	}
	p.file.Limits = append(p.file.Limits, limit)
}

func (p *parser) noBlocks(block *hclsyntax.Block, has suggest.Names) {
	for _, inner := range block.Body.Blocks {
		p.Fail(inner.TypeRange.Start.Line, "%s has no block %s%s", block.Type, suggest.Quote(inner.Type), has.Suggest(inner.Type))
	}
}

func (p *parser) rule(block *hclsyntax.Block) {
	rule := &Rule{Name: block.Labels[0], Line: block.TypeRange.Start.Line, AtMost: noLimit}
	before := p.Fails()
	var rights *hclsyntax.Attribute
	for _, one := range block.Body.Attributes {
		line := one.NameRange.Start.Line
		switch one.Name {
		case "channels":
			rule.Channels = p.selectors(one)
		case "groups":
			rule.Groups = p.selectors(one)
		case "right":
			rights = one
		case "role":
			rule.Roles = p.roles(one)
		case "joining":
			if text := p.Text(one); text != "" && text != "invited" {
				p.Fail(line, "joining is %s; it can be \"invited\"", suggest.Quote(text))
			}
			rule.OnlyInvited = true
		case "only":
			rule.Only, rule.OnlyInternet = p.principals(one, true)
		case "never":
			rule.Never, rule.NeverInternet = p.principals(one, true)
		case "at_least":
			rule.AtLeast = p.Number(one, 1)
		case "at_most":
			rule.AtMost = p.Number(one, 0)
		default:
			p.Fail(line, "rule has no attribute %s%s", suggest.Quote(one.Name), ruleAttributes.Suggest(one.Name))
		}
	}
	for _, inner := range block.Body.Blocks {
		if inner.Type != "except" || len(inner.Labels) > 0 {
			p.Fail(inner.TypeRange.Start.Line, "rule has no block %s%s", suggest.Quote(inner.Type), ruleAttributes.Suggest(inner.Type))
			continue
		}
		p.except(rule, inner)
	}
	if p.Fails() == before {
		p.shape(rule, rights)
	}
	if p.Fails() == before {
		p.file.Rules = append(p.file.Rules, rule)
	}
}

// shape reads the rights, and makes sure that the rule is about one thing, and says something of it.
func (p *parser) shape(rule *Rule, rights *hclsyntax.Attribute) {
	line := rule.Line
	says := rule.Only != nil || rule.OnlyInternet || rule.Never != nil || rule.NeverInternet || rule.AtLeast > 0 || rule.AtMost != noLimit
	isOfThings := len(rule.Channels)+len(rule.Groups) > 0
	switch {
	case rule.OnlyInvited:
		if says || isOfThings || rights != nil || rule.Roles != nil || rule.Exceptions != nil {
			p.Fail(line, "a rule with joining says nothing else: write another rule for the rest")
		}
		return
	case len(rule.Channels) > 0 && len(rule.Groups) > 0:
		p.Fail(line, "channels and groups are both set: write a rule for each")
	case rule.Roles != nil && (isOfThings || rights != nil):
		p.Fail(line, "a rule with role is about who has it: write another rule for channels, groups and rights")
	case rule.Roles == nil && rights == nil:
		p.Fail(line, "what the rule is about is missing: write right = \"read\" with channels, right = \"manage\" with groups, right with a permission of the organization, role, or joining")
	case !says:
		p.Fail(line, "the rule says nothing: write only, never, at_least or at_most")
	case rule.AtMost != noLimit && rule.AtMost < rule.AtLeast:
		p.Fail(line, "at_most is below at_least")
	}
	if rights != nil {
		rule.Rights = p.rights(rule, rights)
	}
}

func (p *parser) selectors(of *hclsyntax.Attribute) []string {
	texts := p.TextOrTexts(of)
	for _, text := range texts {
		if privacy, ok := strings.CutPrefix(text, "privacy:"); ok && of.Name == "channels" && privacies[privacy] == nil {
			p.Fail(of.NameRange.Start.Line, "there is no privacy %s%s", suggest.Quote(privacy), suggest.Names{Things: "privacies", All: privacyNames}.Suggest(privacy))
		}
	}
	return texts
}

func (p *parser) roles(of *hclsyntax.Attribute) (roles []zulip.Role) {
	known := suggest.Names{Things: "roles", All: []string{"owner", "administrator", "moderator", "member", "guest"}}
	for _, text := range p.TextOrTexts(of) {
		role, ok := zulip.ParseRole(text)
		if !ok {
			p.Fail(of.NameRange.Start.Line, "there is no role %s%s", suggest.Quote(text), known.Suggest(text))
		}
		roles = append(roles, role)
	}
	return roles
}

// principals reads whom a rule names. Never is nil of what is written, so that an empty list is not taken for none.
func (p *parser) principals(of *hclsyntax.Attribute, mayBeInternet bool) (principals []permission.Principal, hasInternet bool) {
	for _, text := range p.TextOrTexts(of) {
		if text == internet && mayBeInternet {
			hasInternet = true
			continue
		}
		principal, err := permission.Parse(text)
		if err != nil {
			p.Fail(of.NameRange.Start.Line, "%s", err)
			continue
		}
		principals = append(principals, principal)
	}
	return principals, hasInternet
}

func (p *parser) except(rule *Rule, block *hclsyntax.Block) {
	exception := &Exception{line: block.TypeRange.Start.Line}
	p.noBlocks(block, exceptNames)
	for _, one := range block.Body.Attributes {
		switch one.Name {
		case "people":
			exception.People, _ = p.principals(one, false)
		case "reason":
			exception.Reason = strings.TrimSuffix(p.Text(one), ".")
		case "until":
			exception.Until, exception.ends = p.Day(one)
		default:
			p.Fail(one.NameRange.Start.Line, "except has no attribute %s%s", suggest.Quote(one.Name), exceptNames.Suggest(one.Name))
		}
	}
	if block.Body.Attributes["people"] == nil {
		p.Fail(exception.line, "people is missing: write whom the rule leaves out")
	}
	if block.Body.Attributes["reason"] == nil {
		p.Fail(exception.line, "reason is missing: say in a few words why")
	}
	rule.Exceptions = append(rule.Exceptions, exception)
}

// rights reads rights: names of attributes, also without can_ and _group.
func (p *parser) rights(rule *Rule, of *hclsyntax.Attribute) (rights []string) {
	known, things := rightsOf(rule)
	short := map[string]string{}
	names := suggest.Names{Things: things}
	for _, name := range known {
		short[name], short[shortName(name)] = name, name
		names.All = append(names.All, shortName(name))
	}
	for _, text := range p.TextOrTexts(of) {
		name, ok := short[text]
		if !ok {
			p.Fail(of.NameRange.Start.Line, "there is no right %s%s", suggest.Quote(text), names.Suggest(text))
			continue
		}
		rights = append(rights, name)
	}
	return rights
}

// rightsOf are the names of all rights that a rule can be about.
func rightsOf(rule *Rule) (names []string, things string) {
	var settings []permission.Setting
	switch {
	case len(rule.Channels) > 0:
		for _, right := range permission.RightsAndHistory {
			names = append(names, string(right))
		}
		return append(names, Subscribed), "rights in a channel"
	case len(rule.Groups) > 0:
		names, things, settings = []string{Member}, "rights over a user group", permission.UserGroups.Settings
	default:
		things, settings = "rights in the organization", permission.Organizations.Settings
	}
	for _, setting := range settings {
		names = append(names, setting.Name)
	}
	return names, things
}

// shortName is a right as rules write it: the attribute without can_ and _group. To come into a channel by oneself is to join it;
// who is in it is subscribed.
func shortName(name string) string {
	if name == string(permission.CanSubscribe) {
		return "join"
	}
	return strings.TrimSuffix(strings.TrimPrefix(name, "can_"), "_group")
}
