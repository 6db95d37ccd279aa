package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
)

// SortChannels makes channels with the same changes adjacent. Channels that the plan changes itself come first.
func SortChannels(channels []*Channel) []*Channel {
	all := append([]*Channel{}, slices.Concat(lists.Grouped(channels, (*Channel).effects)...)...) // empty in JSON, not null
	slices.SortStableFunc(all, func(x, y *Channel) int { return lists.TrueFirst(len(x.Resources) > 0, len(y.Resources) > 0) })
	return all
}

// SortGroups sorts the groups by name, those that the plan changes itself first.
func SortGroups(groups []*Group) []*Group {
	slices.SortStableFunc(groups, func(x, y *Group) int {
		return cmp.Or(lists.TrueFirst(len(x.Resources) > 0, len(y.Resources) > 0), strings.Compare(x.Name, y.Name))
	})
	return groups
}

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
