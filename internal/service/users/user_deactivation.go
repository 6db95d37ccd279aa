package users

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// deletions lists the possible deletions of a deactivation: the attribute, the field of the request, and the deleted
// objects.
var deletions = []struct {
	attribute string
	field     func(*zulip.DeactivationActions) *bool
	what      string
}{
	{"delete_profile", func(a *zulip.DeactivationActions) *bool { return &a.DeleteProfile }, "the name, which becomes \"Deleted user\", and the profile picture"},
	{"delete_public_channel_messages", func(a *zulip.DeactivationActions) *bool { return &a.DeletePublicChannelMessages }, "all messages sent to public channels"},
	{"delete_private_channel_messages", func(a *zulip.DeactivationActions) *bool { return &a.DeletePrivateChannelMessages }, "all messages sent to private channels"},
	{"delete_direct_messages", func(a *zulip.DeactivationActions) *bool { return &a.DeleteDirectMessages }, "all direct messages the account has sent"},
}

func deactivationActionsAttribute() schema.SingleNestedAttribute {
	attributes := map[string]schema.Attribute{}
	for _, deletion := range deletions {
		attributes[deletion.attribute] = schema.BoolAttribute{
			Optional: true, MarkdownDescription: fmt.Sprintf("If true, deletes %s. Defaults to `false`.", deletion.what),
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true, Attributes: attributes,
		MarkdownDescription: "Data of the account and its bots to delete permanently when the resource is destroyed or `active` becomes `false`. If unset, nothing is deleted. " +
			"Apply it before you destroy the resource. Nothing is deleted if someone else deactivates the account first. " + featurelevel.Needs(userKind, "deactivation_actions"),
	}
}

// deactivationActions are the deletions that are set and known.
func (a *account) deactivationActions() (actions zulip.DeactivationActions) {
	set := a.Actions.Attributes()
	for _, deletion := range deletions {
		if value, ok := set[deletion.attribute].(types.Bool); ok {
			*deletion.field(&actions) = value.ValueBool()
		}
	}
	return actions
}

// checkActions refuses to deactivate an account on a server that would ignore the actions, and delete nothing.
func checkActions(b *base.Base, state *account, diags *diag.Diagnostics) {
	if state.deactivationActions() == (zulip.DeactivationActions{}) || b.HasLevel(featurelevel.DeactivationActions) {
		return
	}
	diags.AddError(fmt.Sprintf("The server cannot delete data of %s", state.Email.ValueString()),
		fmt.Sprintf("deactivation_actions requires %s; the server has %d. It would deactivate the user and delete nothing. Nothing was changed. "+
			"Remove deactivation_actions and apply, then deactivate the user. Or upgrade the server first.",
			featurelevel.Describe(featurelevel.DeactivationActions), b.FeatureLevel()))
}

// warnOfActions warns what is deleted when the account is deactivated. The actions are those of m.
func warnOfActions(s *snapshot.Snapshot, user *zulip.User, m *account, diags *diag.Diagnostics) {
	actions := m.deactivationActions()
	if actions == (zulip.DeactivationActions{}) || !user.IsActive {
		return
	}
	var text strings.Builder
	fmt.Fprintf(&text, "The deactivation_actions of this resource delete these data of %s:\n", user.Address())
	for _, deletion := range deletions {
		if *deletion.field(&actions) {
			fmt.Fprintf(&text, "  - %s\n", deletion.what)
		}
	}
	var bots []string
	for _, bot := range s.Users() {
		if bot.IsBot && bot.IsActive && bot.BotOwnerID != nil && *bot.BotOwnerID == user.ID {
			bots = append(bots, bot.Address())
		}
	}
	if len(bots) > 0 {
		slices.Sort(bots)
		fmt.Fprintf(&text, "The same data of the bots it owns are deleted: %s.\n", strings.Join(bots, ", "))
	}
	text.WriteString("This cannot be undone, even by reactivating the user. To delete nothing, remove deactivation_actions and apply before you deactivate the user.")
	diags.AddAttributeWarning(path.Root("deactivation_actions"), fmt.Sprintf("Deactivating %s permanently deletes data", user.Address()), text.String())
}

// alreadyDeactivated describes the deletions if the account was already deactivated.
const alreadyDeactivated = "If an earlier request of this apply deactivated the user and its answer was lost, the deactivation_actions were carried out. " +
	"If someone else deactivated the user, nothing was deleted: reactivate the user and destroy the resource again, or delete the messages in the web app."
