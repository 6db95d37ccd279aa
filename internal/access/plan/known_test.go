package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
)

// What a configuration leaves null is not managed, also where an expression is written; what is not known yet is another thing.
func TestNullIsNotUnknown(t *testing.T) {
	for name, test := range map[string]struct {
		references, forEach, call string
		isSet                     bool
	}{
		"of a variable":                     {`["var.senders"]`, ``, ``, false},
		"of each value of a variable":       {`["each.value.senders", "each.value"]`, `{"references":["var.channels"]}`, ``, false},
		"of what is written":                {`[]`, ``, ``, false},
		"of each value of a resource":       {`["each.value.senders", "each.value"]`, `{"references":["zulip_user_group.x"]}`, ``, true},
		"of a local value":                  {`["local.senders"]`, ``, ``, true},
		"of a resource":                     {`["zulip_user_group.x.members", "zulip_user_group.x"]`, ``, ``, true},
		"of a module's variable, given one": {`["var.senders"]`, ``, `{"senders":{"references":["var.senders"]}}`, false},
		"of a module's variable, not given": {`["var.senders"]`, ``, `{}`, false},
		"of a module's variable, a group":   {`["var.senders"]`, ``, `{"senders":{"references":["zulip_user_group.x.members"]}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			resource := `{"address":"zulip_channel.a","provider_config_key":"zulip","expressions":{"can_send_message_group":{"references":` + test.references + `}}`
			if test.forEach != "" {
				resource += `,"for_each_expression":` + test.forEach
			}
			module, address := `{"resources":[`+resource+`}]}`, "zulip_channel.a"
			if test.call != "" {
				module, address = `{"module_calls":{"m":{"module":`+module+`,"expressions":`+test.call+`}}}`, "module.m.zulip_channel.a"
			}
			text := fmt.Sprintf(`{"format_version":"1.2","complete":true,"planned_values":{},"resource_changes":[{"address":%q,"mode":"managed","type":"zulip_channel","provider_name":"example.com/zulip-iac/zulip",
				"change":{"actions":["create"],"before":null,"after":{"name":"a"},"after_unknown":{"can_send_message_group":true}}}],"configuration":{"root_module":%s}}`, address, module)
			read, err := plan.Parse(strings.NewReader(text))
			if err != nil || len(read.Changes) != 1 {
				t.Fatal(err, read)
			}
			if got := read.Changes[0].IsSet("can_send_message_group"); got != test.isSet {
				t.Errorf("it counts as set: %t", got)
			}
		})
	}
}

// A plan of a part is told from one of everything, also where the tool does not say it.
func TestPlansOfAPart(t *testing.T) {
	const listed = `{"address":"zulip_channel.a","mode":"managed","type":"zulip_channel","provider_name":"example.com/zulip-iac/zulip","change":{"actions":["no-op"]}}`
	state := func(addresses ...string) string {
		var all []string
		for _, address := range addresses {
			all = append(all, fmt.Sprintf(`{"address":%q,"mode":"managed"}`, address))
		}
		return `"prior_state":{"values":{"root_module":{"resources":[{"address":"data.zulip_users.all","mode":"data"}],"child_modules":[{"resources":[` + strings.Join(all, ",") + `]}]}}}`
	}
	for name, test := range map[string]struct {
		more         string
		isIncomplete bool
	}{
		"it says it is not":                 {`"complete":false`, true},
		"it says it is":                     {`"complete":true,` + state("zulip_channel.a", "zulip_channel.b"), false},
		"it does not say, and is":           {state("zulip_channel.a"), false},
		"it does not say, and is not":       {state("zulip_channel.a", "zulip_channel.b"), true},
		"something is deferred":             {`"complete":true,"deferred_changes":[{"reason":"unknown"}]`, true},
		"it does not say, and has no state": {`"variables":{}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			read, err := plan.Parse(strings.NewReader(`{"format_version":"1.1","planned_values":{},"resource_changes":[` + listed + `],` + test.more + `}`))
			if err != nil || read.IsIncomplete != test.isIncomplete {
				t.Errorf("%v, incomplete: %t", err, read.IsIncomplete)
			}
		})
	}
}
