package audit

import (
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// organizations returns the organizations that the two audits recorded. It matches one organization by IDs, and two
// organizations by names.
func (c *comparison) organizations() (before, after *access.Organization) {
	before, after = c.before.organization(), c.after.organization()
	if !c.byName {
		for _, id := range c.before.audit.ArchivedIDs { // it may be reactivated
			before.Channels = append(before.Channels, &access.Channel{ID: id, Facts: permission.Channel{IsArchived: true}})
		}
		return before, after
	}
	channels := lists.By(after.Channels, func(channel *access.Channel) string { return strings.ToLower(channel.Name) })
	for i, channel := range before.Channels {
		if channel.ID = int64(-1 - i); channels[strings.ToLower(channel.Name)] != nil {
			channel.ID = channels[strings.ToLower(channel.Name)].ID
		}
	}
	groups := lists.By(after.Groups, func(group *access.Group) string { return group.Name })
	for i, group := range before.Groups {
		if group.ID = int64(-1 - i); groups[group.Name] != nil {
			group.ID = groups[group.Name].ID
		}
	}
	return before, after
}

// organization returns the organization that an audit recorded.
func (s *side) organization() *access.Organization {
	of := &access.Organization{People: s.access, Accounts: s.accounts, Effective: s.permissions(s.audit.Permissions)}
	for _, channel := range s.audit.Channels {
		recorded := &access.Channel{ID: channel.ID, Name: channel.Name, Privacy: report.ValueOf(report.PrivacyText(channel.Privacy)), Internet: &channel.Internet, Effective: s.permissions(channel.Permissions)}
		if channel.Subscribers != nil {
			in := s.set(*channel.Subscribers)
			recorded.Subscribers = &in
		}
		s.addReading(recorded)
		of.Channels = append(of.Channels, recorded)
	}
	of.Groups = lists.Map(s.audit.Groups, func(group *Group) *access.Group {
		return &access.Group{
			UserGroup: zulip.UserGroup{ID: group.ID, Name: group.Name}, People: s.set(group.People), MembersText: s.members(group), SubgroupsText: report.Value{Values: group.Subgroups}, Effective: s.permissions(group.Permissions),
		}
	})
	return of
}

func (s *side) permissions(recorded []*EffectivePermission) []*access.EffectivePermission {
	return lists.Map(recorded, func(permission *EffectivePermission) *access.EffectivePermission {
		who := s.set(permission.People)
		held := who.Held()
		if permission.Unknown {
			held = s.access.HeldByAtLeast(who)
		}
		return &access.EffectivePermission{Name: permission.Name, Text: permission.Text, Value: report.Value{Values: permission.Value}, Held: held, Why: "an audit doesn't include everyone who can"}
	})
}

// addReading sets the privacy as the value of the permissions to read. It also adds the permission to read older
// messages, which an audit only has if it differs.
func (s *side) addReading(channel *access.Channel) {
	for i := 0; i < len(channel.Effective); i++ {
		switch one := channel.Effective[i]; permission.ChannelPermission(one.Name) {
		case permission.CanReadHistory:
			one.Value = channel.Privacy
		case permission.CanRead:
			one.Value = channel.Privacy
			if i+1 == len(channel.Effective) || channel.Effective[i+1].Name != string(permission.CanReadHistory) {
				history := *one
				history.Name, history.Text = string(permission.CanReadHistory), permission.CanReadHistory.InWords()
				channel.Effective = slices.Insert(channel.Effective, i+1, &history)
			}
		}
	}
}

// members are the addresses of the direct members of a group.
func (s *side) members(group *Group) report.Value {
	addresses := lists.Found(group.Members, func(id int64) (address string, isActive bool) {
		address, isActive = s.active[id]
		return address, isActive
	})
	slices.Sort(addresses)
	return report.Value{Values: append([]string{}, addresses...)}
}
