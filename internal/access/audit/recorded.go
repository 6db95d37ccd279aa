package audit

import (
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// organizations returns what the two audits recorded, to be compared. Those of one organization are matched by IDs, those of two by
// names.
func (c *comparison) organizations() (before, after *access.Organization) {
	channels, groups := map[string]int64{}, map[string]int64{}
	if c.byName {
		for _, channel := range c.after.audit.Channels {
			channels[strings.ToLower(channel.Name)] = channel.ID
		}
		for _, group := range c.after.audit.Groups {
			groups[group.Name] = group.ID
		}
	}
	before, after = c.before.organization(), c.after.organization()
	if !c.byName {
		for _, id := range c.before.audit.ArchivedIDs { // it can be back
			before.Channels = append(before.Channels, &access.Channel{ID: id, Facts: permission.Channel{IsArchived: true}})
		}
		return before, after
	}
	last := int64(0)
	match := func(ids map[string]int64, name string) int64 {
		if id, there := ids[name]; there {
			return id
		}
		last--
		return last
	}
	for _, channel := range before.Channels {
		channel.ID = match(channels, strings.ToLower(channel.Name))
	}
	for _, group := range before.Groups {
		group.ID = match(groups, group.Name)
	}
	return before, after
}

// organization returns what an audit recorded.
func (s *side) organization() *access.Organization {
	of := &access.Organization{People: s.access, Accounts: s.accounts, Rights: s.rights(s.audit.Rights)}
	for _, channel := range s.audit.Channels {
		recorded := &access.Channel{ID: channel.ID, Name: channel.Name, Privacy: report.ValueOf(report.PrivacyText(channel.Privacy)), Internet: &channel.Internet, Rights: s.rights(channel.Rights)}
		if channel.Subscribers != nil {
			in := s.set(*channel.Subscribers)
			recorded.Subscribers = &in
		}
		s.addReading(recorded)
		of.Channels = append(of.Channels, recorded)
	}
	for _, group := range s.audit.Groups {
		of.Groups = append(of.Groups, &access.Group{
			UserGroup: zulip.UserGroup{ID: group.ID, Name: group.Name}, People: s.set(group.People), MembersText: s.members(group), SubgroupsText: report.Value{Texts: group.Subgroups}, Rights: s.rights(group.Rights),
		})
	}
	return of
}

func (s *side) rights(recorded []*Right) []*access.Right {
	var rights []*access.Right
	for _, right := range recorded {
		who := s.set(right.People)
		held := who.Held()
		if right.Unknown {
			held = s.access.HeldByAtLeast(who)
		}
		rights = append(rights, &access.Right{Name: right.Name, Text: right.Text, Value: report.Value{Texts: right.Value}, Held: held, Why: "an audit doesn't include everyone who can"})
	}
	return rights
}

// addReading gives the rights of reading the privacy for their value, and adds that of reading older messages: an audit has it only
// where it is not the same.
func (s *side) addReading(channel *access.Channel) {
	for i := 0; i < len(channel.Rights); i++ {
		switch right := channel.Rights[i]; permission.Right(right.Name) {
		case permission.CanReadHistory:
			right.Value = channel.Privacy
		case permission.CanRead:
			right.Value = channel.Privacy
			if i+1 == len(channel.Rights) || channel.Rights[i+1].Name != string(permission.CanReadHistory) {
				history := *right
				history.Name, history.Text = string(permission.CanReadHistory), permission.CanReadHistory.InWords()
				channel.Rights = slices.Insert(channel.Rights, i+1, &history)
			}
		}
	}
}

// members are the addresses of those who are directly in a group.
func (s *side) members(group *Group) report.Value {
	value := report.Value{Texts: []string{}}
	for _, id := range group.Members {
		if address, isActive := s.active[id]; isActive {
			value.Texts = append(value.Texts, address)
		}
	}
	slices.Sort(value.Texts)
	return value
}
