package audit

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// attribute is one attribute of a change.
type attribute struct {
	name  string
	value cty.Value
}

// target is what a change is of: the resource that manages it, its ID there, and its name, if that is an attribute of the resource.
// What has no such name is called something all the same, to name a new resource after it.
type target struct{ resource, id, name, called string }

func (t target) key() string { return t.resource + " " + strings.ToLower(t.id) } // an ID is a number or an address

func channelTarget(channel *zulip.Channel) target {
	return target{resource: "zulip_channel", id: fmt.Sprint(channel.ID), name: channel.Name}
}

func groupTarget(group *zulip.UserGroup) target {
	return target{resource: "zulip_user_group", id: fmt.Sprint(group.ID), name: group.Name}
}

// organizationTarget has the ID that the resource has in every state.
var organizationTarget = target{resource: "zulip_organization", id: "organization"}

// isAdopted reports whether a new resource adopts what is there, so that it need not be imported.
func (t target) isAdopted() bool { return t == organizationTarget }

// label is the name of a resource in a change, where it has none yet: that of the thing, in letters that everybody can type.
func (t target) label() string {
	var b strings.Builder
	for _, letter := range strings.ToLower(cmp.Or(t.name, t.called)) {
		switch {
		case letter >= 'a' && letter <= 'z' || letter >= '0' && letter <= '9' && b.Len() > 0:
			b.WriteRune(letter)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	return cmp.Or(strings.Trim(b.String(), "_"), "this")
}

// change writes the attributes of a resource that would mend something, under the name that the resource has in the state or
// plan that the audit was given. Of what is in neither it writes its name too, and how to import it: what is there cannot be created.
func (m *maker) change(of target, attributes ...attribute) string {
	managed := m.options.Managed.all(of)
	if len(managed) == 1 {
		return changeOf(managed[0], attributes...)
	}
	comment := ""
	switch {
	case len(managed) > 1:
		comment = "# If one of these manages it, change it there: "
		for i, resource := range managed {
			if i > 0 {
				comment += ", "
			}
			comment += onOneLine(resource.Address)
		}
		comment += "\n"
	case of.isAdopted() && m.options.Managed != nil:
		comment = "# Nothing in the state or plan manages it.\n"
	case of.isAdopted():
	case m.options.Managed != nil:
		comment = fmt.Sprintf("# Nothing in the state or plan manages it: import it first.\nimport {\n  to = %s.%s\n  id = %q\n}\n\n", of.resource, of.label(), of.id)
	default:
		comment = fmt.Sprintf("# If nothing manages it, import ID %s first.\n", of.id)
	}
	if of.name != "" {
		attributes = append([]attribute{{"name", cty.StringVal(of.name)}}, attributes...)
	}
	return comment + block(of.resource, of.label(), attributes)
}

// changeOf writes attributes of a resource that manages something.
func changeOf(resource *managedResource, attributes ...attribute) string {
	comment := ""
	if resource.Address != resource.Type+"."+resource.Name {
		comment = "# " + onOneLine(resource.Address) + "\n"
	}
	return comment + block(resource.Type, resource.Name, attributes)
}

func block(resource, name string, attributes []attribute) string {
	file := hclwrite.NewEmptyFile()
	body := file.Body().AppendNewBlock("resource", []string{resource, name}).Body()
	for _, one := range attributes {
		body.SetAttributeValue(one.name, one.value)
	}
	return string(hclwrite.Format(file.Bytes()))
}

// takeOut writes the resources of a state or plan that list people, without some of these. It returns those who are in no list too.
func (m *maker) takeOut(of target, list string, people permission.People) (changes []string, unlisted permission.People) {
	unlisted = people
	for _, resource := range m.options.Managed.all(of) {
		var kept []string
		var out []int64
		for _, text := range resource.list(list) {
			if user := m.listed(text); user != nil && people.Has(user.ID) {
				out = append(out, user.ID)
			} else {
				kept = append(kept, text)
			}
		}
		if len(out) > 0 {
			changes, unlisted = append(changes, changeOf(resource, attribute{list, texts(kept...)})), unlisted.Minus(m.access.People(out))
		}
	}
	return changes, unlisted
}

// listed returns whom a text in a list of people names: an address or an ID, also as a principal.
func (m *maker) listed(text string) *zulip.User {
	text = strings.TrimPrefix(strings.TrimPrefix(text, "user:"), "user_id:")
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		user, _ := m.view.User(id)
		return user
	}
	user, _ := m.view.UserByAddress(text)
	return user
}

// acceptChange writes how a finding is accepted, as a comment: it belongs into another file than what mends others.
func acceptChange(kind Kind, place, reason string) string {
	file := hclwrite.NewEmptyFile()
	body := file.Body().AppendNewBlock("accept", []string{string(kind)}).Body()
	body.SetAttributeValue(acceptObject, cty.StringVal(place))
	body.SetAttributeValue(acceptReason, cty.StringVal(reason))
	lines := strings.TrimSuffix(string(hclwrite.Format(file.Bytes())), "\n")
	return "# If Terraform has to manage permissions, accept this in the file of --accepted:\n# " + strings.ReplaceAll(lines, "\n", "\n# ") + "\n"
}

// onOneLine keeps a text within a comment, whoever wrote the file that it is from.
func onOneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func (m *maker) channelChange(channel *zulip.Channel, name string, value cty.Value) string {
	return m.change(channelTarget(channel), attribute{name, value})
}

func (m *maker) groupChange(group *zulip.UserGroup, attributes ...attribute) string {
	return m.change(groupTarget(group), attributes...)
}

func (m *maker) organizationChange(attributes ...attribute) string {
	return m.change(organizationTarget, attributes...)
}

// texts is a list of strings.
func texts(all ...string) cty.Value {
	values := make([]cty.Value, len(all))
	for i, text := range all {
		values[i] = cty.StringVal(text)
	}
	if len(values) == 0 {
		return cty.EmptyTupleVal
	}
	return cty.TupleVal(values)
}
