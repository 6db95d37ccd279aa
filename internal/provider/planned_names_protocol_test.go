package provider_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestProtocolEveryNamingAttributeIsTested finds the attributes by what their descriptions say.
func TestProtocolEveryNamingAttributeIsTested(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	tested := slices.Clone(namesNothing)
	for _, n := range namings(t, o) {
		tested = append(tested, n.at)
	}
	settable := acctest.StartProcess(t.Context(), t).Settable()
	for at, text := range settable {
		if namesSomething.MatchString(text) && !isPermission.MatchString(text) && !slices.Contains(tested, at) {
			t.Errorf("%s is not tested: %s", at, text)
		}
	}
	for _, at := range tested {
		if _, ok := settable[at]; !ok {
			t.Errorf("there is no attribute %s", at)
		}
	}
}

// TestProtocolNamesOfWhatIsPlanned names, in every attribute that names a channel, a group, a person or a bot, one that
// the same run creates, takes back or renames, by the name that is known before: the plan takes it, and in another process
// the apply does, after what it names.
func TestProtocolNamesOfWhatIsPlanned(t *testing.T) {
	probe := acctest.StartSandbox(t, sandbox.Config{})
	for i, n := range namings(t, probe) {
		for way, begin := range ways {
			t.Run(n.at+" of a "+n.names+" that is "+way, func(t *testing.T) {
				t.Parallel()
				o := acctest.NewSandbox(t, sandbox.Config{})
				n := namings(t, o)[i]
				one, config := begin(t, o, n.names)
				n.create(t, o, one, config)
			})
		}
		if n.before != nil && isResource(t, n) {
			t.Run(n.at+" of a "+n.names+" that is created, changed", func(t *testing.T) {
				t.Parallel()
				o := acctest.NewSandbox(t, sandbox.Config{})
				n := namings(t, o)[i]
				run := o.NewRun(t, n.of())
				run.MustApply(n.before)
				n.resource(t, o.NewRun(t, made[n.names].of), made[n.names].config, run)
			})
		}
	}
}

// TestProtocolDataOfWhatIsPlanned: where the CLI reads a data source before what it names is created, it hears what to do.
func TestProtocolDataOfWhatIsPlanned(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for _, n := range namings(t, o) {
		if !n.data {
			continue
		}
		p := o.NewRun(t, made[n.names].of).Process()
		_, diags := p.Plan(made[n.names].of, nil, made[n.names].config)
		diags.ExpectNoError(t)
		_, diags = p.ReadData(n.of(), n.config)
		_, attribute, _ := strings.Cut(n.at, ".")
		diags.ExpectError(t, attribute, "depends_on = ["+made[n.names].of+".NAME]")
	}
}

func isResource(t *testing.T, n naming) bool {
	t.Helper()
	return !n.data && slices.Contains(acctest.StartProcess(t.Context(), t).Resources(), n.of())
}

// create plans and applies what names, after what it names.
func (n naming) create(t *testing.T, o *acctest.Organization, one *acctest.Run, config values) {
	t.Helper()
	if isResource(t, n) {
		n.resource(t, one, config, o.NewRun(t, n.of()))
		return
	}
	p := one.Process()
	plan, diags := p.Plan(made[n.names].of, one.State, config)
	diags.ExpectNoError(t)
	isAction := !n.data && n.of() != "zulip_bot_api_key"
	if isAction {
		p.PlanAction(n.of(), n.config).ExpectNoError(t)
	}
	p = one.Process()
	one.ApplyIn(p, plan).ExpectNoError(t)
	switch {
	case n.data: // the CLI puts it off to the apply where it depends on what is created
		_, diags = p.ReadData(n.of(), n.config)
	case isAction:
		_, diags = p.InvokeAction(context.Background(), n.of(), n.config, nil)
	default: // the address of a bot is not known before
		_, diags = p.OpenEphemeral(n.of(), values{"bot": one.State.Values["email"]})
	}
	diags.ExpectNoError(t)
}

// resource plans what is named and what names it in one process, and applies them in another.
func (n naming) resource(t *testing.T, one *acctest.Run, config values, run *acctest.Run) {
	t.Helper()
	p := one.Process()
	plan, diags := p.Plan(made[n.names].of, one.State, config)
	diags.ExpectNoError(t)
	p.Validate(n.of(), n.config).ExpectNoError(t)
	naming, diags := p.Plan(n.of(), run.State, n.config)
	diags.ExpectNoError(t)
	p = one.Process()
	one.ApplyIn(p, plan).ExpectNoError(t)
	if len(naming.Replace) > 0 { // the old one goes first
		end, diags := p.Plan(n.of(), run.State, nil)
		diags.ExpectNoError(t)
		run.ApplyIn(p, end).ExpectNoError(t)
		naming, diags = p.Plan(n.of(), nil, n.config)
		diags.ExpectNoError(t)
	}
	run.ApplyIn(p, naming).ExpectNoError(t)
	if again := run.MustPlan(n.config); !again.Empty() {
		t.Errorf("after the apply the plan still changes %q: %v, %v", again.Changes(), again.Prior.Values, again.Values)
	}
}

// onlyRoles are permissions that take one role and nothing else.
var onlyRoles = []string{"can_access_all_users_group", "can_create_web_public_channel_group"}

// TestProtocolPermissionsOfWhatIsPlanned names a group and a person that the same run creates in every permission.
func TestProtocolPermissionsOfWhatIsPlanned(t *testing.T) {
	settable := acctest.StartProcess(t.Context(), t).Settable()
	configs := map[string]values{
		"zulip_channel": {"name": "desk"}, "zulip_user_group": {"name": "editors"}, "zulip_organization": {},
	}
	for at, text := range settable {
		of, attribute, _ := strings.Cut(at, ".")
		switch {
		case !isPermission.MatchString(text) || slices.Contains(onlyRoles, attribute):
		case configs[of] == nil:
			t.Errorf("%s is not tested", at)
		default:
			configs[of][attribute] = []any{"group:" + press, "user:" + nadia, "user:" + self}
		}
	}
	for of, config := range configs {
		t.Run(of, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			group, person, run := o.NewRun(t, "zulip_user_group"), o.NewRun(t, "zulip_user"), o.NewRun(t, of)
			p := run.Process()
			groupPlan, diags := p.Plan("zulip_user_group", nil, made["group"].config)
			diags.ExpectNoError(t)
			personPlan, diags := p.Plan("zulip_user", nil, made["person"].config)
			diags.ExpectNoError(t)
			plan, diags := p.Plan(of, nil, config)
			diags.ExpectNoError(t)
			p = run.Process()
			group.ApplyIn(p, groupPlan).ExpectNoError(t)
			person.ApplyIn(p, personPlan).ExpectNoError(t)
			run.ApplyIn(p, plan).ExpectNoError(t)
			if again := run.MustPlan(config); !again.Empty() {
				t.Errorf("after the apply the plan still changes %q", again.Changes())
			}
		})
	}
}
