package rules

import (
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/hclfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Parse reads a file of rules in HCL's syntax, or in its JSON syntax if the path ends in .json. An error names every mistake
// with its line.
func Parse(path string, content []byte) (*File, error) {
	reader, blocks := hclfile.Open(path, content, "a file of rules has only blocks, such as rule \"two owners\" { … }")
	p := &parser{Reader: reader, file: &File{path: path}}
	names := map[string]int{}
	for _, block := range blocks {
		spec := p.Find(block, fileSpec)
		if spec == nil {
			continue
		}
		if name := strings.Join(block.Labels, " "); strings.TrimSpace(name) != "" {
			if first := names[name]; first > 0 {
				p.Fail(block.Line, "line %[2]d already has the name %[1]s", suggest.Quote(name), first)
			} else {
				names[name] = block.Line
			}
		}
		if spec == limitSpec {
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

func (p *parser) limit(block *hclfile.Block) {
	limit := &Limit{Name: strings.Join(block.Labels, " "), Line: block.Line, People: noLimit, Percent: noLimit}
	_, attributes, _ := p.Check(block, limitSpec)
	for _, one := range attributes {
		switch one.Name {
		case "people":
			limit.People = p.Whole(one, limitSpec)
		case "percent":
			limit.Percent = p.Whole(one, limitSpec)
		}
	}
	if len(block.Attributes) == 0 {
		p.Fail(limit.Line, "the limit is empty: write people, percent or both")
	}
	p.file.Limits = append(p.file.Limits, limit)
}

func (p *parser) rule(block *hclfile.Block) {
	rule := &Rule{Name: strings.Join(block.Labels, " "), Line: block.Line, AtMost: noLimit}
	has, attributes, exceptions := p.Check(block, ruleSpec)
	for _, one := range attributes {
		switch one.Name {
		case "channels":
			rule.Channels = p.selectors(one)
		case "groups":
			rule.Groups = p.selectors(one)
		case "permission":
			rule.Permissions = p.permissions(has, one)
		case "role":
			rule.Roles = p.roles(one)
		case "joining":
			if text := p.Text(one); text != "" && text != invited {
				p.Fail(one.Line, "joining is %s; it must be %s", suggest.Quote(text), suggest.Quote(invited))
			}
			rule.OnlyInvited = true
		case "only":
			rule.Only, rule.OnlyInternet = p.principals(one, true)
		case "never":
			rule.Never, rule.NeverInternet = p.principals(one, true)
		case "at_least":
			rule.AtLeast = p.Whole(one, ruleSpec)
		case "at_most":
			rule.AtMost = p.Whole(one, ruleSpec)
		}
	}
	for _, exception := range exceptions {
		p.except(rule, exception)
	}
	p.shape(rule, has)
	p.file.Rules = append(p.file.Rules, rule)
}

// shape checks that the rule selects one kind of object and requires something. It looks only at which attributes are set, so that
// mistakes in values don't hide these.
func (p *parser) shape(rule *Rule, has hclfile.Has) {
	says := has.Any("only", "never", "at_least", "at_most")
	isOfThings := has.Any("channels", "groups")
	if has.Any("joining") {
		if says || isOfThings || has.Any("permission", "role", "except") {
			p.Fail(rule.Line, "a rule with joining can't have other attributes: write another rule for the rest")
		}
		return
	}
	switch {
	case has.Any("role") && (isOfThings || has.Any("permission")):
		p.Fail(rule.Line, "a rule with role is about the people with that role: write another rule for channels, groups and permissions")
	case has["channels"] && has["groups"]:
		p.Fail(rule.Line, "channels and groups are both set: write a rule for each")
	}
	if !has.Any("role", "permission") {
		p.Fail(rule.Line, "the rule selects nothing: write permission = \"read\" with channels, permission = \"manage\" with groups, permission with a permission of the organization, role, or joining")
	}
	if !says {
		p.Fail(rule.Line, "the rule requires nothing: write only, never, at_least or at_most")
	}
	if rule.AtMost != noLimit && rule.AtLeast > 0 && rule.AtMost < rule.AtLeast {
		p.Fail(rule.Line, "at_most is below at_least")
	}
}

func (p *parser) selectors(of *hclfile.Attribute) []string {
	texts := p.TextOrTexts(of)
	for _, text := range texts {
		if privacy, ok := strings.CutPrefix(text, "privacy:"); ok && of.Name == "channels" && privacies[privacy] == nil {
			p.Fail(of.Line, "there is no privacy %s%s", suggest.Quote(privacy), suggest.Names{Things: "privacies", All: privacyNames}.Suggest(privacy))
		}
	}
	return texts
}

func (p *parser) roles(of *hclfile.Attribute) (roles []zulip.Role) {
	known := suggest.Names{Things: "roles", All: roleNames}
	for _, text := range p.TextOrTexts(of) {
		role, ok := zulip.ParseRole(text)
		if !ok {
			p.Fail(of.Line, "there is no role %s%s", suggest.Quote(text), known.Suggest(text))
		}
		roles = append(roles, role)
	}
	return roles
}

// principals reads the principals of an attribute. hasInternet is true if it names internet, which is not a principal.
func (p *parser) principals(of *hclfile.Attribute, mayBeInternet bool) (principals []permission.Principal, hasInternet bool) {
	for _, text := range p.TextOrTexts(of) {
		if text == internet && mayBeInternet {
			hasInternet = true
			continue
		}
		principal, err := permission.Parse(text)
		if err != nil {
			p.Fail(of.Line, "%s", err)
			continue
		}
		if role := principal.WireName(); principal.Kind == permission.KindRole && !slices.Contains(ruleRoles(), role) {
			p.Fail(of.Line, "there is no role %s%s", suggest.Quote(role), suggestRole(role))
			continue
		}
		principals = append(principals, principal)
	}
	return principals, hasInternet
}

// ruleRoles are the roles that rules name: the roles of permissions except role:internet, and guests.
func ruleRoles() []string {
	roles := slices.DeleteFunc(slices.Clone(permission.RoleNames()), func(role string) bool { return role == "role:"+internet })
	return append(roles, guests.WireName())
}

// suggestRole ends a sentence about an unknown role with a suggestion.
func suggestRole(role string) string {
	if role == "role:"+internet {
		return "; did you mean " + suggest.Quote(internet) + "?"
	}
	return suggest.Names{Things: "roles", All: ruleRoles()}.Suggest(role)
}

func (p *parser) except(rule *Rule, block *hclfile.Block) {
	exception := &Exception{line: block.Line}
	_, attributes, _ := p.Check(block, exceptSpec)
	for _, one := range attributes {
		switch one.Name {
		case "people":
			exception.People, _ = p.principals(one, false)
		case "reason":
			exception.Reason = strings.TrimSuffix(p.Text(one), ".")
		case "until":
			exception.Until, exception.ends = p.Day(one)
		}
	}
	rule.Exceptions = append(rule.Exceptions, exception)
}

// permissions reads names of permissions, also without can_ and _group. In a rule that is about several kinds of objects by
// mistake, it accepts the permissions of all of them.
func (p *parser) permissions(has hclfile.Has, of *hclfile.Attribute) (permissions []string) {
	about := organizationPermissions
	switch {
	case has["channels"] && has["groups"]:
		about = permissionNames{"permissions in a channel or over a user group", slices.Concat(channelPermissions.names, groupPermissions.names)}
	case has["channels"]:
		about = channelPermissions
	case has["groups"]:
		about = groupPermissions
	}
	short := map[string]string{}
	names := suggest.Names{Things: about.things}
	for _, name := range about.names {
		short[name], short[shortName(name)] = name, name
		names.All = append(names.All, shortName(name))
	}
	for _, text := range p.TextOrTexts(of) {
		name, ok := short[text]
		if !ok {
			p.Fail(of.Line, "there is no permission %s%s", suggest.Quote(text), names.Suggest(text))
			continue
		}
		permissions = append(permissions, name)
	}
	return permissions
}

// shortName returns a permission as rules write it: the attribute without can_ and _group. The permission to subscribe on
// one's own is join, because subscribed means being subscribed.
func shortName(name string) string {
	if name == string(permission.CanSubscribe) {
		return "join"
	}
	return strings.TrimSuffix(strings.TrimPrefix(name, "can_"), "_group")
}
