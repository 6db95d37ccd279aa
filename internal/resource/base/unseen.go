package base

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// What an account is not shown looks as if it were not there. A read therefore removes something from the state only where
// the account would be shown it. Otherwise it is an error, which stops the plan, and which one resource of the run reports:
// an account that was demoted misses most of what a state has, and every resource would say the same.

// MayRemove reports whether a read that did not find something may remove it from the state. wouldSee says whether the account
// would be shown it. If not, the state has to stay as it is, and MayRemove reports that. thing is how messages refer to it.
func (m *Meta) MayRemove(wouldSee bool, thing string, diags *diag.Diagnostics) bool {
	if !wouldSee {
		m.ReportUnseen(thing+" is in the state, and the server does not show it to the account.", diags)
	}
	return wouldSee
}

// ReportUnseen reports, once in a run, that the account does not see what is in the state. found says as a sentence what it was
// noticed by.
func (m *Meta) ReportUnseen(found string, diags *diag.Diagnostics) {
	if !m.unseen.CompareAndSwap(false, true) {
		return
	}
	self := m.Store.Self()
	is := WithArticle(self.Role)
	if self.IsBot {
		is = "a bot with the role " + self.Role.String()
	}
	diags.AddError(fmt.Sprintf("%s does not see everything that is in the state", self.Address()),
		fmt.Sprintf("The account the provider uses is %s. %s There may be more: this is reported once, nothing was removed from the state, and nothing was planned after it.\n\n", is, Capitalize(found))+
			"If the account was demoted, give it the role administrator again; if the key is that of another account, use that of an administrator. "+
			"What really is not there any more is taken out of the state with terraform state rm ADDRESS.")
}

// HasUnseen reports whether the account does not see what is in the state: whatever is planned then is beside the point.
func (m *Meta) HasUnseen() bool { return m.unseen.Load() }

// SeesAll reports whether the server shows the account all channels and bots.
func (m *Meta) SeesAll() bool { return m.Store.Self().Role <= zulip.RoleAdministrator }

// SeesEverybody reports whether the server shows the account all people (server-behavior §U3).
func (m *Meta) SeesEverybody() bool { return m.Store.Self().Role < zulip.RoleGuest }
