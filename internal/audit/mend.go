package audit

import (
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// attribute is one attribute of a change.
type attribute struct {
	name  string
	value cty.Value
}

// change writes the attributes of a resource that would mend something.
func change(resource string, attributes ...attribute) string {
	file := hclwrite.NewEmptyFile()
	body := file.Body().AppendNewBlock("resource", []string{resource, "this"}).Body()
	for _, one := range attributes {
		body.SetAttributeValue(one.name, one.value)
	}
	return string(hclwrite.Format(file.Bytes()))
}

func channelChange(channel *zulip.Channel, name string, value cty.Value) string {
	return change("zulip_channel", attribute{"name", cty.StringVal(channel.Name)}, attribute{name, value})
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
