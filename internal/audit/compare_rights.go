package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/report"
)

// key is what objects are matched by.
func (c *comparison) key(id int64, name string) string {
	if c.byName {
		return name
	}
	return fmt.Sprint(id)
}

func (c *comparison) channels() {
	was := map[string]*Channel{}
	key := func(channel *Channel) string { return c.key(channel.ID, strings.ToLower(channel.Name)) }
	for _, channel := range c.before.audit.Channels {
		was[key(channel)] = channel
	}
	there := map[string]bool{}
	for _, channel := range c.after.audit.Channels {
		there[key(channel)] = true
		result := c.channel(was[key(channel)], channel)
		if result.Action != report.Affects || result.Privacy.Differs() || result.OldName != "" || len(result.Rights) > 0 || result.Joins.Len()+result.Leaves.Len() > 0 {
			c.report.Channels = append(c.report.Channels, result)
		}
	}
	for _, channel := range c.before.audit.Channels {
		if !there[key(channel)] {
			c.report.Channels = append(c.report.Channels, c.archived(channel))
		}
	}
	c.report.Channels = report.SortChannels(c.report.Channels)
}

// channel compares a channel with what it was; was is nil for a new one.
func (c *comparison) channel(was, is *Channel) *report.Channel {
	result := &report.Channel{
		ID: is.ID, Name: is.Name, Addresses: []string{}, Joins: c.people.Nobody(), Leaves: c.people.Nobody(),
		Privacy: report.Change{After: report.ValueOf(report.PrivacyText(is.Privacy))},
	}
	var before []*Right
	switch {
	case was == nil && !c.byName && slices.Contains(c.before.audit.ArchivedIDs, is.ID):
		result.Action = report.Reactivate
	case was == nil:
		result.Action = report.Create
	default:
		before = was.Rights
		result.Privacy.Before = report.ValueOf(report.PrivacyText(was.Privacy))
		if was.Name != is.Name && !c.byName {
			result.OldName = was.Name
		}
		if was.Subscribers != nil && is.Subscribers != nil {
			in, later := c.before.set(*was.Subscribers), c.after.set(*is.Subscribers)
			result.Joins, result.Leaves = c.people.Of(later.Minus(in).Minus(c.joined)), c.people.Of(in.Minus(later).Minus(c.gone))
		}
	}
	internet := ""
	switch wasOpen := was != nil && was.Internet; {
	case is.Internet && !wasOpen:
		internet = report.InternetGains
	case wasOpen && !is.Internet:
		internet = report.InternetLoses
	}
	result.Rights = c.channelRights(before, is.Rights, result.Privacy, internet)
	return result
}

// channelRights compares the rights in a channel. That of reading has the privacy for its value.
func (c *comparison) channelRights(before, after []*Right, privacy report.Change, internet string) []*report.Right {
	withPrivacy := func(rights []*Right, value report.Value) []*Right {
		rights = slices.Clone(rights)
		hasHistory := slices.ContainsFunc(rights, isHistory)
		for i := 0; i < len(rights); i++ {
			switch reading := *rights[i]; {
			case isHistory(&reading):
				reading.Value, rights[i] = value.Texts, &reading
			case reading.Name == string(permission.CanRead):
				reading.Value, rights[i] = value.Texts, &reading
				if history := reading; !hasHistory { // an audit has it only where it is not the same
					history.Name, history.Text = string(permission.CanReadHistory), permission.CanReadHistory.InWords()
					rights = slices.Insert(rights, i+1, &history)
					hasHistory = true
				}
			}
		}
		return rights
	}
	results := withoutSameHistory(c.rights(withPrivacy(before, privacy.Before), withPrivacy(after, privacy.After)))
	for _, right := range results {
		right.LocksOut = right.Name == string(permission.CanAdministerChannel) && slices.ContainsFunc(right.Lose.Accounts, func(a *report.Account) bool { return a.IsSelf })
		if right.Name == string(permission.CanRead) {
			right.Internet, internet = internet, ""
		}
	}
	if internet != "" {
		results = append(results, &report.Right{
			Name: string(permission.CanRead), Text: permission.CanRead.InWords(), Change: privacy, Gain: c.people.Nobody(), Lose: c.people.Nobody(), Internet: internet,
		})
	}
	return results
}

func isHistory(right *Right) bool { return right.Name == string(permission.CanReadHistory) }

// withoutSameHistory leaves out that of reading older messages where the same people gain and lose that of reading new ones.
func withoutSameHistory(rights []*report.Right) []*report.Right {
	var reading *report.Right
	return slices.DeleteFunc(rights, func(right *report.Right) bool {
		if right.Name == string(permission.CanRead) {
			reading = right
		}
		if right.Name != string(permission.CanReadHistory) {
			return false
		}
		if right.NobodyLeft = false; reading != nil && right.Lose.Len() > 0 { // who goes on reading keeps what was sent while they read
			right.Lose = reading.Lose
		}
		isSame := reading != nil && right.Gain == reading.Gain && right.Lose == reading.Lose && right.Unknown == reading.Unknown
		return isSame || right.Gain.Len()+right.Lose.Len() == 0 && !right.Unknown
	})
}

// aboutMessages are the rights that nobody has in an archived channel.
var aboutMessages = []permission.Right{
	permission.CanSendMessage, permission.CanCreateTopic, permission.CanDeleteAnyMessage, permission.CanDeleteOwnMessage,
	permission.CanMoveMessagesOutOfChannel, permission.CanMoveMessagesWithinChannel, permission.CanResolveTopics,
}

// archived is a channel that is no longer in use.
func (c *comparison) archived(was *Channel) *report.Channel {
	privacy := report.ValueOf(report.PrivacyText(was.Privacy))
	result := &report.Channel{
		ID: was.ID, Name: was.Name, Action: report.Archive, Addresses: []string{}, Privacy: report.Change{Before: privacy, After: privacy},
		Rights: []*report.Right{}, Joins: c.people.Nobody(), Leaves: c.people.Nobody(),
	}
	for _, right := range was.Rights {
		lose := c.before.set(right.People).Minus(c.gone)
		if !slices.Contains(aboutMessages, permission.Right(right.Name)) || lose.IsEmpty() {
			continue
		}
		value := report.Value{Texts: right.Value}
		result.Rights = append(result.Rights, &report.Right{
			Name: right.Name, Text: right.Text, Change: report.Change{Before: value, After: value}, Gain: c.people.Nobody(), Lose: c.people.Of(lose), NobodyLeft: true,
		})
	}
	return result
}

// rights compares the rights over one thing, in the order of after.
func (c *comparison) rights(before, after []*Right) []*report.Right {
	results := []*report.Right{}
	was := map[string]*Right{}
	for _, right := range before {
		was[right.Name] = right
	}
	for _, right := range after {
		if result := c.right(was[right.Name], right); result != nil {
			results = append(results, result)
		}
		delete(was, right.Name)
	}
	for _, right := range before {
		if was[right.Name] == nil {
			continue
		}
		if result := c.right(right, nil); result != nil {
			results = append(results, result)
		}
	}
	return results
}

// right compares one right; nil if nothing differs. One of both may be nil: the server did not have it, or nobody whom a
// narrowed audit is about.
func (c *comparison) right(was, is *Right) *report.Right {
	of := is
	if of == nil {
		of = was
	}
	result := &report.Right{Name: of.Name, Text: of.Text, Gain: c.people.Nobody(), Lose: c.people.Nobody()}
	var before, after permission.People
	if was != nil {
		before, result.Change.Before = c.before.set(was.People), report.Value{Texts: was.Value}
	} else {
		before = c.before.access.People(nil)
	}
	if is != nil {
		after, result.Change.After = c.after.set(is.People), report.Value{Texts: is.Value}
	} else {
		after = c.after.access.People(nil)
	}
	if was != nil && was.Unknown || is != nil && is.Unknown {
		result.Unknown, result.Why = true, "an audit does not have everybody who can"
		if result.Change.Differs() || !before.Equal(after) {
			return result
		}
		return nil
	}
	gain, lose := after.Minus(before).Minus(c.joined), before.Minus(after).Minus(c.gone)
	result.Gain, result.Lose = c.people.Of(gain), c.people.Of(lose)
	result.NobodyLeft = after.IsEmpty() && !before.Minus(c.gone).IsEmpty()
	if !result.Change.Differs() && gain.IsEmpty() && lose.IsEmpty() {
		return nil
	}
	return result
}

func (c *comparison) groups() {
	was := map[string]*Group{}
	for _, group := range c.before.audit.Groups {
		was[c.key(group.ID, group.Name)] = group
	}
	there := map[string]bool{}
	for _, group := range c.after.audit.Groups {
		key := c.key(group.ID, group.Name)
		there[key] = true
		if result := c.group(was[key], group); result != nil {
			c.report.Groups = append(c.report.Groups, result)
		}
	}
	for _, group := range c.before.audit.Groups {
		if there[c.key(group.ID, group.Name)] {
			continue
		}
		c.report.Groups = append(c.report.Groups, &report.Group{
			ID: group.ID, Name: group.Name, Action: report.Deactivate, Addresses: []string{}, Rights: []*report.Right{},
			Joins: c.people.Nobody(), Leaves: c.people.Of(c.before.set(group.People).Minus(c.gone)),
		})
	}
}

// group compares a user group with what it was; nil if nothing differs.
func (c *comparison) group(was, is *Group) *report.Group {
	result := &report.Group{ID: is.ID, Name: is.Name, Addresses: []string{}}
	before, rights := c.before.access.People(nil), []*Right(nil)
	if was == nil {
		result.Action = report.Create
	} else {
		before, rights = c.before.set(was.People), was.Rights
		if was.Name != is.Name {
			result.OldName = was.Name
		}
		result.Members.Before, result.Subgroups.Before = c.before.members(was), report.Value{Texts: was.Subgroups}
	}
	result.Members.After, result.Subgroups.After = c.after.members(is), report.Value{Texts: is.Subgroups}
	after := c.after.set(is.People)
	result.Joins, result.Leaves = c.people.Of(after.Minus(before).Minus(c.joined)), c.people.Of(before.Minus(after).Minus(c.gone))
	result.Rights = c.rights(rights, is.Rights)
	if was != nil && result.OldName == "" && !result.Members.Differs() && !result.Subgroups.Differs() && result.Joins.Len()+result.Leaves.Len()+len(result.Rights) == 0 {
		return nil
	}
	return result
}

// members are the addresses of those who are directly in a group.
func (s *side) members(group *Group) report.Value {
	value := report.Value{Texts: []string{}}
	in := map[int64]bool{}
	for _, id := range group.Members {
		in[id] = true
	}
	for _, account := range s.audit.Accounts {
		if in[account.ID] && account.IsActive {
			value.Texts = append(value.Texts, account.Address)
		}
	}
	slices.Sort(value.Texts)
	return value
}
