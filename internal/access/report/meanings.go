package report

import (
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
)

// conditions are the conditions of classes, under which their sentences are risks.
var conditions = map[meaning.Class]Condition{
	meaning.Joining: Joining, meaning.SignIn: SignIn, meaning.Outgoing: Outgoing, meaning.DataLoss: DataLoss,
	meaning.History: Widening, meaning.Credential: RoleChange, meaning.External: External,
	meaning.Role: RoleChange, meaning.Permission: Widening, meaning.Membership: Widening,
}

// Say adds the sentences of a change to the risks and its other differences to also. It reports whether the report mentions
// the whole change.
func (r *Report) Say(result *meaning.Result, also *Also) (isSaid bool) {
	for _, statement := range result.Statements {
		r.Risks = append(r.Risks, Risk{Condition: conditions[statement.Class], Where: statement.Where, Text: statement.Text})
		if statement.IsUncertain {
			r.Risks = append(r.Risks, Risk{Condition: Unknown, Where: statement.Where, Text: "The new value isn't known yet."})
		}
	}
	for _, difference := range result.Differences {
		also.Attributes = append(also.Attributes, AlsoAttribute{difference.Name, Change{valueIn(difference.Before), valueIn(difference.After)}})
	}
	r.Unknown = append(r.Unknown, result.Unknown...)
	return result.IsSaid
}

// SayStays adds a risk for each condition of what stays after a resource is removed from the state.
func (r *Report) SayStays(stays []meaning.Statement) {
	const unmanaged = "This stays, and no resource manages it any more."
	first := len(r.Risks)
	for _, statement := range stays {
		condition := conditions[statement.Class]
		at := slices.IndexFunc(r.Risks[first:], func(risk Risk) bool { return risk.Condition == condition })
		if at < 0 {
			at = len(r.Risks) - first
			r.Risks = append(r.Risks, Risk{Condition: condition, Where: statement.Where, Text: unmanaged})
		}
		if risk := &r.Risks[first+at]; statement.Text != "" {
			risk.Text = strings.TrimSuffix(risk.Text, unmanaged) + statement.Text + " " + unmanaged
		}
	}
}

func valueIn(words meaning.Words) Value {
	return Value{Values: words.Texts, Unknown: words.IsUnknown}
}

// EndOf is the action for a destroyed resource of a type. An object of an unknown type is deleted.
func EndOf(kind string) Action {
	switch kind {
	case "zulip_channel", "zulip_channel_folder":
		return Archive
	case "zulip_user", "zulip_bot", "zulip_user_group", "zulip_custom_emoji":
		return Deactivate
	case "zulip_organization", "zulip_default_user_settings", "zulip_channel_subscription_settings", "zulip_channel_subscribers", "zulip_user_role", "zulip_role_members",
		"zulip_channel_folder_order", "zulip_custom_profile_field_order", "zulip_linkifier_order":
		return Release
	}
	return Delete
}
