package review

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// setApart removes the changes whose organization isn't known. Their values are listed, but not looked up in this organization.
func (b *builder) setApart() {
	b.changes = slices.DeleteFunc(b.changes, func(change *plan.Change) bool {
		if !change.IsOfUnknownInstance {
			return false
		}
		if change.ReplacedBy != nil {
			return true
		}
		apart := &builder{report: new(report.Report), is: new(access.Organization), changes: []*plan.Change{change}}
		apart.sayMeanings()
		b.report.Also = append(b.report.Also, apart.report.Also...)
		for _, sentence := range append(apart.is.Unknowns(access.Anywhere), apart.report.Unknown...) {
			b.unknown(access.Anywhere, "%s", sentence)
		}
		for _, risk := range append(apart.report.Risks, report.Risk{
			Condition: report.Unknown,
			Text:      "The plan doesn't show which instance of the provider configuration " + change.Provider + " this resource uses, so it isn't known which organization changes and who gains or loses access.",
		}) {
			risk.Where = change.Address
			b.report.Risks = append(b.report.Risks, risk)
			if risk.Condition == report.Unknown {
				b.unknown(access.Told, "%s: %s", risk.Where, risk.Text)
			}
		}
		return true
	})
}

// checkFit checks that the plan was made for the organization that is read. An object with an ID in the plan must have the
// same name here. Objects with another name aren't reviewed. If no name matches, the organization is a different one.
func (b *builder) checkFit() error {
	b.setApart()
	fitting := 0
	misfits := map[*plan.Change]string{}
	for _, change := range b.changes {
		planned, held, ok := b.namesOf(change)
		switch {
		case !ok:
		case strings.EqualFold(planned, held):
			fitting++
		default:
			id, _ := change.Before().Number("id")
			if change.Before().IsSecret("name") || change.Before().IsSecret("full_name") {
				planned = plan.Masked
			}
			misfits[change] = fmt.Sprintf("the ID %d is %q in the plan and %q in this organization", id, planned, held)
		}
	}
	if fitting == 0 && len(misfits) > 1 {
		for _, change := range b.changes {
			if text, isMisfit := misfits[change]; isMisfit {
				return errors.New("the plan is for a different organization: of " + change.Address + ", " + text + ", and nothing else matches. Set ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY for the organization of the plan")
			}
		}
	}
	b.changes = slices.DeleteFunc(b.changes, func(change *plan.Change) bool {
		text, isMisfit := misfits[change]
		if _, isEndMisfit := misfits[change.Replaces]; isEndMisfit {
			return true
		}
		if isMisfit {
			b.unknown(access.Anywhere, "The change of %s isn't reviewed: %s. Either it was renamed after the plan was made, or the plan is for a different organization.", change.Address, text)
		}
		return isMisfit
	})
	return nil
}

// namesOf returns the name of an object in the plan before the change, and its name in the organization. ok is false if it
// has no such name, or does not exist here.
func (b *builder) namesOf(c *plan.Change) (planned, held string, ok bool) {
	id, hasID := c.Before().Number("id")
	attribute := "name"
	switch c.Type {
	case "zulip_channel":
		held, ok = b.org.name(meaning.ChannelKind, id)
	case "zulip_user_group":
		held, ok = b.org.name(meaning.GroupKind, id)
	case "zulip_user", "zulip_bot":
		attribute = "full_name"
		if user, visible := b.org.User(id); visible {
			held, ok = user.FullName, true
		}
	}
	planned, isNamed := c.Before().Plain(attribute)
	return planned, held, ok && hasID && isNamed
}
