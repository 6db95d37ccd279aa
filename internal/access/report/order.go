package report

import (
	"fmt"
	"slices"
	"strings"
)

// SortChannels makes channels with the same changes adjacent. Channels that the plan changes itself come first.
func SortChannels(channels []*Channel) []*Channel {
	var named, affected []*Channel
	for _, channel := range channels {
		if len(channel.Resources) > 0 {
			named = append(named, channel)
		} else {
			affected = append(affected, channel)
		}
	}
	all := append([]*Channel{}, sortByEffects(named)...) // empty in JSON, not null
	return append(all, sortByEffects(affected)...)
}

// SortGroups sorts the groups by name, those that the plan changes itself first.
func SortGroups(groups []*Group) []*Group {
	slices.SortStableFunc(groups, func(x, y *Group) int {
		if isNamed := len(x.Resources) > 0; isNamed != (len(y.Resources) > 0) {
			if isNamed {
				return -1
			}
			return 1
		}
		return strings.Compare(x.Name, y.Name)
	})
	return groups
}

func sortByEffects(channels []*Channel) []*Channel {
	var order []string
	alike := map[string][]*Channel{}
	for _, channel := range channels {
		key := channel.effects()
		if alike[key] == nil {
			order = append(order, key)
		}
		alike[key] = append(alike[key], channel)
	}
	var all []*Channel
	for _, key := range order {
		all = append(all, alike[key]...)
	}
	return all
}

// HasEffectsOf reports whether two channels have the same changes.
func (c *Channel) HasEffectsOf(other *Channel) bool { return c.effects() == other.effects() }

// effects is an equal text for channels with the same changes.
func (c *Channel) effects() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %t %q", c.Action, len(c.Resources) > 0, c.Privacy)
	for _, permission := range c.Permissions {
		fmt.Fprintf(&text, "\n%s %q %p %p %s %t %t %s %q", permission.Name, permission.Change, permission.Gain, permission.Lose, permission.Internet, permission.NoOneLeft, permission.Unknown, permission.Why, permission.FollowsFrom)
		for _, part := range permission.Parts {
			fmt.Fprintf(&text, "\n%q %p %p", part.FollowsFrom, part.Gain, part.Lose)
		}
	}
	fmt.Fprintf(&text, "\n%p %p", c.Joins, c.Leaves)
	return text.String()
}
