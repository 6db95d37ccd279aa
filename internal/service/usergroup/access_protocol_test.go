package usergroup_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// Members of sre administer the channel incidents of the example.
const (
	sreChanges  = `User group "sre" changes who can do what`
	administer  = "administer the channel and remove subscribers"
	kenjiGains  = "Can now " + administer + ": Kenji Sato (kenji.sato@example.com)."
	lenaLoses   = "Can no longer " + administer + ": Lena Fischer (lena.fischer@example.com)."
	notKnownYet = "Not known yet: who gains and who loses that they can " + administer + "."
	inIncidents = "In incidents:\n"
)

// silent is the run with warnings of this kind turned off.
func silent(o *acctest.Organization, run *acctest.Run) *acctest.Run {
	fork := run.Fork()
	fork.Block = o.Block(values{"access_warnings": false})
	return fork
}

func TestProtocolUserGroupSaysWhoGainsAndWhoLoses(t *testing.T) {
	o, run := managed(t)
	run.Import("sre", nil).ExpectNoError(t)
	as := func(change values) values { return but(values{"name": "sre"}, change) }
	for name, test := range map[string]struct {
		config values
		want   string
	}{
		"nothing managed":        {as(nil), ""},
		"the same":               {as(values{"members": set(amara, lena)}), ""},
		"another attribute":      {as(values{"description": "On call"}), ""},
		"one instead of another": {as(values{"members": set(amara, kenji)}), inIncidents + lenaLoses + "\n" + kenjiGains},
		"a group":                {as(values{"subgroups": set("role:administrators")}), ""}, // they may already
		"a group with somebody":  {as(values{"subgroups": set("role:fullmembers")}), inIncidents + kenjiGains},
		"not known yet":          {as(values{"members": []any{amara, acctest.Unknown}}), inIncidents + notKnownYet},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := run.Plan(test.config)
			diags.ExpectOnlyAccessWarning(t, sreChanges, test.want)
		})
	}
	_, diags := silent(o, run).Plan(as(values{"members": set(amara, kenji)}))
	diags.ExpectOnlyAccessWarning(t, sreChanges, "")
	_, diags = o.NewRun(t, "zulip_user_group").Plan(values{"name": "new", "members": set(kenji)}) // nothing names it yet
	diags.ExpectOnlyWarning(t, "", "")
}

func TestProtocolMembershipSaysWhoGainsAndWhoLoses(t *testing.T) {
	o, run := added(t)
	plan := func(run *acctest.Run, config values, want string) {
		t.Helper()
		_, diags := run.Plan(config)
		diags.ExpectOnlyAccessWarning(t, sreChanges, want)
	}
	both := values{"group": "sre", "members": set(kenji, lena)}
	plan(run, both, inIncidents+kenjiGains)
	plan(silent(o, run), both, "")
	plan(run, values{"group": "sre", "members": set(lena)}, "") // she is in already
	plan(run, values{"group": "sre", "members": []any{lena, acctest.Unknown}}, inIncidents+notKnownYet)
	run.MustApply(both)
	plan(run, both, "")
	const kenjiLoses = inIncidents + "Can no longer " + administer + ": Kenji Sato (kenji.sato@example.com)."
	plan(run, values{"group": "sre", "members": set(lena)}, kenjiLoses)
	plan(run, nil, kenjiLoses) // Lena was in before, and stays
	plan(run, values{"group": "leads", "members": set(kenji)}, kenjiLoses)
	plan(silent(o, run), nil, "")
}
