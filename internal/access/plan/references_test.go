package plan_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
)

// References are found where they are written, through variables and outputs of modules and through for_each; where they cannot be told,
// that is said.
func TestReferences(t *testing.T) {
	const group = `"references":["zulip_user_group.g.name","zulip_user_group.g"]`
	for name, test := range map[string]struct {
		expression, forEach, call string
		want                      []plan.Reference
		isComplete                bool
	}{
		"an attribute":          {`{` + group + `}`, ``, ``, []plan.Reference{{Address: "zulip_user_group.g", Attribute: "name"}}, true},
		"what is written":       {`{"constant_value":"x"}`, ``, ``, nil, true},
		"several":               {`{"references":["zulip_user.b.id","zulip_user.b","zulip_user.a.id","zulip_user.a"]}`, ``, ``, []plan.Reference{{Address: "zulip_user.b", Attribute: "id"}, {Address: "zulip_user.a", Attribute: "id"}}, true},
		"an instance":           {`{"references":["zulip_channel.c[\"a.b\"].id","zulip_channel.c[\"a.b\"]","zulip_channel.c"]}`, ``, ``, []plan.Reference{{Address: `zulip_channel.c["a.b"]`, Attribute: "id"}}, true},
		"an unknown instance":   {`{"references":["zulip_channel.c","each.key"]}`, ``, ``, []plan.Reference{{Address: "zulip_channel.c"}}, true},
		"each of another block": {`{"references":["each.value.id","each.value"]}`, `{"references":["zulip_channel.c"]}`, ``, []plan.Reference{{Address: "zulip_channel.c", Attribute: "id", IsOfSameKey: true}}, true},
		"a local value":         {`{"references":["local.x"]}`, ``, ``, nil, false},
		"a data source":         {`{"references":["data.zulip_channel.x.id","data.zulip_channel.x"]}`, ``, ``, nil, false},
		"a variable":            {`{"references":["var.x"]}`, ``, ``, nil, true},
		"a module's variable":   {`{"references":["var.x"]}`, ``, `"expressions":{"x":{` + group + `}}`, []plan.Reference{{Address: "zulip_user_group.g", Attribute: "name"}}, true},
		"within a module":       {`{` + group + `}`, ``, `"expressions":{}`, []plan.Reference{{Address: "module.m.zulip_user_group.g", Attribute: "name"}}, true},
		"a module's output":     {`{"references":["module.o.name","module.o"]}`, ``, ``, []plan.Reference{{Address: "module.o.zulip_user_group.g", Attribute: "name"}}, true},
		"no output":             {`{"references":["module.o.other","module.o"]}`, ``, ``, nil, false},
		"a variable of itself":  {`{"references":["var.x"]}`, ``, `"expressions":{"x":{"references":["module.m.x"]}}`, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			forEach := ""
			if test.forEach != "" {
				forEach = `,"for_each_expression":` + test.forEach
			}
			resource := `{"resources":[{"address":"zulip_channel.x","provider_config_key":"zulip","expressions":{"name":` + test.expression + `}` + forEach + `}],"outputs":{"x":{"expression":{"references":["var.x"]}}}`
			outputs := `"o":{"module":{"outputs":{"name":{"expression":{` + group + `}}}}}`
			module, address := resource+`,"module_calls":{`+outputs+`}}`, "zulip_channel.x"
			if test.call != "" {
				module, address = `{"module_calls":{"m":{`+test.call+`,"module":`+resource+`}},`+outputs+`}}`, "module.m.zulip_channel.x"
			}
			text := fmt.Sprintf(`{"format_version":"1.2","planned_values":{},"resource_changes":[{"address":%q,"mode":"managed","type":"zulip_channel","provider_name":"a/b/zulip",
				"change":{"actions":["create"],"before":null,"after":{},"after_unknown":{"name":true}}}],"configuration":{"root_module":%s}}`, address, module)
			read, err := plan.Parse(strings.NewReader(text))
			if err != nil || len(read.Changes) != 1 {
				t.Fatal(err, read)
			}
			got, isComplete := read.Changes[0].References("name")
			if !reflect.DeepEqual(got, test.want) || isComplete != test.isComplete {
				t.Errorf("%+v, complete: %t", got, isComplete)
			}
		})
	}
}

// What a resource depends on is in the configuration, or, of what is destroyed, in the state.
func TestDependsOn(t *testing.T) {
	text := `{"format_version":"1.2","complete":true,"planned_values":{},"resource_changes":[
		{"address":"zulip_channel.x[0]","mode":"managed","type":"zulip_channel","provider_name":"a/b/zulip","change":{"actions":["create"]}},
		{"address":"zulip_channel.gone","mode":"managed","type":"zulip_channel","provider_name":"a/b/zulip","change":{"actions":["delete"]}}],
		"prior_state":{"values":{"root_module":{"resources":[{"address":"zulip_channel.gone","mode":"managed","depends_on":["zulip_user_group.old"]}]}}},
		"configuration":{"root_module":{"resources":[{"address":"zulip_channel.x","provider_config_key":"zulip","depends_on":["zulip_user.u"],
			"expressions":{"name":{"references":["zulip_user_group.g[\"k\"].name","zulip_user_group.g[\"k\"]","zulip_user_group.g"]}}}]}}}`
	read, err := plan.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := read.Changes[0].DependsOn(); !reflect.DeepEqual(got, []string{"zulip_user.u", "zulip_user_group.g"}) {
		t.Errorf("%v", got)
	}
	if got := read.Changes[1].DependsOn(); !reflect.DeepEqual(got, []string{"zulip_user_group.old"}) {
		t.Errorf("of what is destroyed: %v", got)
	}
	if key := read.Changes[0].Key(); key != "[0]" || read.Changes[1].Key() != "" {
		t.Errorf("the key is %s", key)
	}
}
