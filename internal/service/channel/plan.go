package channel

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// planning is the plan of one channel while it is checked.
type planning struct{ *tablePlan }

// derive fills in what follows from what is planned.
func derive(p *tablePlan) {
	if p.State == nil {
		return
	}
	if base.IsSet(p.Plan.Name) {
		p.Plan.URL = types.StringValue(zulip.ChannelURL(p.On.Site, p.State.ID.ValueInt64(), p.Plan.Name.ValueString()))
	} else {
		p.Plan.URL = types.StringUnknown()
	}
	deriveFolder(p)
	// A private channel cannot be a default one: the server takes one that becomes private off the list.
	if zulip.Privacy(p.Plan.Privacy.ValueString()).IsPrivate() && p.Config.IsDefault.IsNull() && !p.State.IsDefault.IsNull() {
		p.Plan.IsDefault = types.BoolValue(false)
	}
}

// check refuses what the server would refuse, with the reason and the way out, and says who gains and loses access.
func check(ctx context.Context, plan *tablePlan) {
	derive(plan)
	plan.Compare()
	p := planning{plan}
	if p.State == nil && p.Adopted == nil && p.Meta.Run.AnyWillBeDestroyed(kind) && p.Meta.Run.WillBeCreated(kind, strings.ToLower(p.Plan.Name.ValueString())) {
		warnOfLeftMessages(fmt.Sprintf("Channel %q will be created, and this plan archives another one", p.Plan.Name.ValueString()), p.Diags)
	}
	p.checkFolder()
	p.Permissions().Check(p.Diags)
	p.checkProtectedHistory()
	p.checkSubscribers()
	p.checkCaller()
	if p.Meta.LockoutProtection {
		p.checkLockout()
	}
	if !p.Diags.HasError() {
		p.reviewAccess(ctx)
	}
}

// checkDestroyed warns of the messages of a channel that is archived.
func checkDestroyed(_ context.Context, p *core.Plan[model]) {
	if p.IsDestroy() && p.Prior.OnDestroy.ValueString() != onDestroyKeep && p.Meta.Run.AnyWillBeCreated(kind) {
		warnOfLeftMessages(fmt.Sprintf("Channel %q will be archived, and this plan creates another one", p.Prior.Name.ValueString()), p.Diags)
	}
}

// warnOfLeftMessages warns, at whichever of the two is planned last, of a plan that archives one channel and creates another: another
// key of for_each does that, and who changes one may only have meant to rename the channel.
func warnOfLeftMessages(does string, diags *diag.Diagnostics) {
	// Only the detail has the name, so that the CLI can make one warning of many.
	diags.AddWarning("A channel is archived while another one is created",
		does+". The messages stay in the archived channel; the new one begins without them.\n\n"+
			"To rename a channel whose key of for_each or address changes with its name, add a moved block, and nothing is archived:\n\n"+
			"  moved {\n    from = OLD_ADDRESS\n    to   = NEW_ADDRESS\n  }")
}

// checkProtectedHistory refuses a restriction on new topics where newcomers do not see the history: they could not
// know which topics exist (server-behavior §C13).
func (p planning) checkProtectedHistory() {
	const setting = "can_create_topic_group"
	if p.privacy() != zulip.PrivacyPrivateProtectedHistory || p.isForEveryone(setting) {
		return
	}
	p.Diags.AddAttributeError(path.Root(setting), "Not possible with protected history",
		"In a channel with privacy = \"private_protected_history\" everyone may start topics. Set can_create_topic_group = [\"role:everyone\"], or privacy = \"private_shared_history\".")
}

// privacy is the privacy that the channel will have; "" if that is not known.
func (p planning) privacy() zulip.Privacy {
	if p.Plan.Privacy.IsNull() {
		return zulip.Privacy(p.Prior.Values.Privacy.ValueString())
	}
	return zulip.Privacy(p.Plan.Privacy.ValueString())
}

// isForEveryone reports whether everyone will have a permission, as far as is known.
func (p planning) isForEveryone(setting string) bool {
	planned := *attributes.Sets(&p.Plan.facts)(setting)
	if planned.IsNull() {
		everyone, ok := p.On.View.UserGroupByName("role:everyone")
		value, isRead := p.Prior.Permissions[setting]
		return !ok || !isRead || permission.Equal(value, zulip.NamedGroup(everyone.ID), permission.NobodyID(p.On.View))
	}
	principals, known := attribute.PrincipalsOf(planned)
	return !known || len(principals) == 1 && principals[0] == permission.Principal{Kind: permission.KindRole, Name: "everyone"}
}

// checkSubscribers refuses initial subscribers that do not exist or are deactivated.
func (p planning) checkSubscribers() {
	if p.State != nil || !base.IsSet(p.Plan.InitialSubscribers) {
		return
	}
	for _, element := range p.Plan.InitialSubscribers.Elements() {
		text, ok := element.(types.String)
		if !ok || !base.IsSet(text) {
			continue
		}
		user, later, err := lookup.UserInPlan(p.On.View, text.ValueString())
		switch {
		case later:
		case err != nil:
			lookup.AddError(p.Diags, path.Root("initial_subscribers"), err, "")
		case !user.IsActive:
			p.Diags.AddAttributeError(path.Root("initial_subscribers"), "Cannot subscribe a deactivated user",
				fmt.Sprintf("%s is deactivated. Remove the address, or reactivate the account.", text.ValueString()))
		}
	}
}
