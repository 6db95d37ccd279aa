package audit

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// attribute is one attribute of a change.
type attribute struct {
	name  string
	value cty.Value
}

// target is what a change is of: the resource that manages it, its ID there, and its name, if it has one.
type target struct{ resource, id, name string }

func (t target) key() string { return t.resource + " " + t.id }

func channelTarget(channel *zulip.Channel) target {
	return target{"zulip_channel", fmt.Sprint(channel.ID), channel.Name}
}

func groupTarget(group *zulip.UserGroup) target {
	return target{"zulip_user_group", fmt.Sprint(group.ID), group.Name}
}

// organizationTarget has the ID that the resource has in every state.
var organizationTarget = target{resource: "zulip_organization", id: "organization"}

// label is the name of a resource in a change, where it has none yet: that of the thing, in letters that everybody can type.
func (t target) label() string {
	var b strings.Builder
	for _, letter := range strings.ToLower(t.name) {
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
// plan that the audit was given. Of what is in neither it writes its name too.
func (m *maker) change(of target, attributes ...attribute) string {
	name, comment := of.label(), ""
	if managed := m.options.Managed; managed != nil {
		comment = "# Nothing in the state or plan manages it.\n"
		if resource := managed.of(of); resource != nil {
			name, comment, of.name = resource.Name, "", ""
			if resource.Address != resource.Type+"."+resource.Name {
				comment = "# " + onOneLine(resource.Address) + "\n"
			}
		}
	}
	file := hclwrite.NewEmptyFile()
	body := file.Body().AppendNewBlock("resource", []string{of.resource, name}).Body()
	if of.name != "" {
		body.SetAttributeValue("name", cty.StringVal(of.name))
	}
	for _, one := range attributes {
		body.SetAttributeValue(one.name, one.value)
	}
	return comment + string(hclwrite.Format(file.Bytes()))
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
