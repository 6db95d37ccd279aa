package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
)

// PeopleAs is how an export writes people.
type PeopleAs string

const (
	// PeopleAsAddress writes each address once, in a map of locals.
	PeopleAsAddress PeopleAs = "address"
	// PeopleAsVariable writes them so that a variable gives other addresses, or leaves people out.
	PeopleAsVariable PeopleAs = "variable"
	// PeopleAsUser writes their accounts as zulip_user.
	PeopleAsUser PeopleAs = "zulip_user"
)

// AllPeopleAs lists the ways to write people.
var AllPeopleAs = []string{string(PeopleAsAddress), string(PeopleAsVariable), string(PeopleAsUser)}

func (p PeopleAs) orDefault() PeopleAs { return cmp.Or(p, PeopleAsAddress) }

// person is somebody whom the configuration names and does not manage.
type person struct {
	id      int64
	address string
	// key is the name that the configuration has for the person.
	key string
}

// person returns who has an address.
func (e *export) person(address string) (*person, bool) {
	user, ok := e.snapshot.UserByAddress(address)
	if !ok || e.managed != nil && e.PeopleAs.orDefault() == PeopleAsAddress {
		return nil, false // what is new is moved into a configuration that may name people already
	}
	known, ok := e.people[user.ID]
	if !ok {
		known = &person{id: user.ID, address: address}
		e.people[user.ID] = known
	}
	return known, known.address == address
}

// account returns the bot, the managed account or the person with an address.
func (e *export) account(address string) (link, bool) {
	for _, resource := range []string{"zulip_bot", "zulip_user"} {
		if to, ok := e.byAttribute[resource]["email"][address]; ok {
			return link{to: to, by: "email"}, true
		}
	}
	somebody, ok := e.person(address)
	return link{person: somebody}, ok
}

// namePeople gives people their names, the oldest first.
func (e *export) namePeople() {
	for _, id := range slices.Sorted(maps.Keys(e.people)) {
		person := e.people[id]
		called, _, _ := strings.Cut(person.address, "@")
		person.key = e.names.resource("zulip_user", fmt.Sprint(id), called, "person")
	}
}

// leaveOutUnnamedAccounts leaves out the accounts of members whom nothing names, unless all people are asked for.
func (e *export) leaveOutUnnamedAccounts() {
	if e.PeopleAs != PeopleAsUser || e.AllPeople {
		return
	}
	named := map[string]bool{}
	for _, o := range e.objects {
		for attribute, value := range o.config {
			reference, ok := o.kind.references[attribute]
			if !e.isPermission(o.kind, attribute) && (!ok || !reference.isUser) {
				continue
			}
			for _, text := range textsOf(value) {
				named[strings.TrimPrefix(text, userPrefix)] = true
			}
		}
	}
	e.objects = slices.DeleteFunc(e.objects, func(o *object) bool {
		_, hasRole := o.config["role"]
		return o.kind.resource == "zulip_user" && !hasRole && !named[o.text("email")]
	})
}

const (
	userPrefix = "user:"
	// allPeople is the local value that a variable chooses from.
	allPeople = "all_people"
)

// writePeople writes the addresses of people, each once. With a variable, the locals are null for whom it leaves out.
func (e *export) writePeople(body *hclwrite.Body) {
	addresses := map[string]cty.Value{}
	for _, person := range e.people {
		addresses[person.key] = cty.StringVal(person.address)
	}
	if e.PeopleAs != PeopleAsVariable {
		locals := body.AppendNewBlock("locals", nil).Body()
		comment(locals, "Everybody whom this configuration names.")
		locals.SetAttributeValue("people", cty.ObjectVal(addresses))
		return
	}
	variable := body.AppendNewBlock("variable", []string{"people"}).Body()
	variable.SetAttributeValue("description", cty.StringVal("Addresses of the people of another organization, by the names of local."+allPeople+". Who is not in it is left out everywhere."))
	variable.SetAttributeRaw("type", hclwrite.TokensForFunctionCall("map", hclwrite.TokensForIdentifier("string")))
	variable.SetAttributeValue("default", cty.NullVal(cty.String))
	variable.AppendNewline()
	refuseUnknownPeople(variable.AppendNewBlock("validation", nil).Body(), slices.Sorted(maps.Keys(addresses)))
	body.AppendNewline()
	locals := body.AppendNewBlock("locals", nil).Body()
	comment(locals, "Everybody whom this configuration names.")
	locals.SetAttributeValue(allPeople, cty.ObjectVal(addresses))
	locals.AppendNewline()
	comment(locals, "Who is left out is null, which compact() removes from lists.")
	locals.SetAttributeRaw("people", expression("{ for name, address in local."+allPeople+" : name => var.people == null ? address : try(var.people[name], null) }"))
	locals.SetAttributeRaw("principals", expression(`{ for name, address in local.people : name => address == null ? null : "`+userPrefix+`${address}" }`))
}

// refuseUnknownPeople has the CLI refuse names that nobody has: a misspelled one would leave somebody out. The names stand there again,
// because before Terraform 1.9 the condition of a variable may name nothing but the variable.
func refuseUnknownPeople(validation *hclwrite.Body, known []string) {
	length := 0
	names := make([]hclwrite.Tokens, len(known))
	for i, name := range known {
		names[i] = hclwrite.TokensForValue(cty.StringVal(name))
		length += len(name) + 4
	}
	list := hclwrite.TokensForTuple(names)
	if length > longestLine/3 {
		list = lines(names)
	}
	unknown := hclwrite.TokensForFunctionCall("setsubtract", expression("try(keys(var.people), [])"), list)
	none := append(hclwrite.TokensForFunctionCall("length", unknown), expression(" == 0")...)
	validation.SetAttributeRaw("condition", none)
	validation.SetAttributeRaw("error_message", hclwrite.TokensForFunctionCall("format",
		hclwrite.TokensForValue(cty.StringVal("No names in local."+allPeople+": %s. A misspelled name would leave somebody out.")),
		hclwrite.TokensForFunctionCall("join", hclwrite.TokensForValue(cty.StringVal(", ")), unknown)))
}

// expression is the source of an expression, as it is written.
func expression(source string) hclwrite.Tokens {
	return hclwrite.Tokens{{Type: hclsyntax.TokenIdent, Bytes: []byte(source)}}
}

// comesAfter are the resources that the organization comes after, where it is to be made of nothing: what its permissions let
// only some people make.
func (e *export) comesAfter(o *object) (before []hclwrite.Tokens) {
	if e.PeopleAs.orDefault() == PeopleAsAddress || o.kind.resource != "zulip_organization" {
		return nil
	}
	isRestricted := func(attribute string) bool { return e.isPermission(o.kind, attribute) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(o.config)), isRestricted) {
		return nil
	}
	for _, resource := range []string{"zulip_bot", "zulip_channel", "zulip_custom_emoji", "zulip_invite_link", "zulip_user_group"} {
		for _, made := range e.inOrder(kindNamed(resource)) {
			before = append(before, hclwrite.TokensForTraversal(traversal(resource, made.name)))
		}
	}
	return before
}

// count is how many there are of a resource that not every organization has; "" for all others. A role is there if its person is.
// Who is in a private channel is of the exported organization alone: the account that manages another one is not in these lists,
// and would take itself out of the channel for good.
func (e *export) count(o *object) string {
	if e.PeopleAs != PeopleAsVariable {
		return ""
	}
	switch o.kind.resource {
	case "zulip_channel_subscribers":
		return "var.people == null ? 1 : 0"
	case "zulip_user_role":
		for _, link := range o.links["user"] {
			if link.person != nil {
				return "local.people." + link.person.key + " == null ? 0 : 1"
			}
		}
	}
	return ""
}
