package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/hclfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// channels returns the channels that a rule selects, and notes whether there may be others.
func (j *checker) channels() []*access.Channel {
	isWhole := func(text string) bool {
		return strings.ContainsAny(text, "*") || strings.HasPrefix(text, "folder:") || strings.HasPrefix(text, "privacy:")
	}
	if slices.ContainsFunc(j.rule.Channels, isWhole) {
		j.addUnknowns(j.org.Unknowns(access.OfChannels))
	}
	all := j.org.ActiveChannels()
	chosen, unmatched := selected(j, j.rule.Channels, all, j.selectsChannel, (*checker).channel, func(channel *access.Channel) string { return "#" + channel.Name })
	names := lists.Map(all, func(channel *access.Channel) string { return channel.Name })
	for _, selector := range unmatched {
		j.unmatched(selector, "channel", names)
	}
	return chosen
}

// selected returns the objects that selectors select, and the selectors that select nothing. It notes the objects about which
// that isn't known, unless the rule would certainly pass with them.
func selected[Thing any](
	j *checker, selectors []string, all []Thing, selects func(selector string, thing Thing) (matches, certain bool), check func(*checker, Thing), text func(Thing) string,
) (chosen []Thing, unmatched []string) {
	matched := map[string]bool{}
	for _, thing := range all {
		isChosen, uncertain := false, ""
		for _, selector := range selectors {
			switch matches, certain := selects(selector, thing); {
			case matches && certain:
				matched[selector], isChosen = true, true
			case matches:
				uncertain = selector
			}
		}
		switch {
		case isChosen:
			chosen = append(chosen, thing)
		case uncertain != "" && !j.passesWith(func(j *checker) { check(j, thing) }):
			j.addUnknown(fmt.Sprintf("It isn't known yet whether %s selects %s.", suggest.Quote(uncertain), text(thing)))
		}
	}
	return chosen, lists.Where(selectors, func(selector string) bool { return !matched[selector] })
}

// unmatched reports a selector that selects nothing. An unknown name might be misspelled, so the rule is unknown. A kind without
// channels can be intentional.
func (j *checker) unmatched(selector, thing string, names []string) {
	if folder, ok := strings.CutPrefix(selector, "folder:"); ok && thing == "channel" {
		folders := slices.Sorted(maps.Values(j.org.Folders))
		if slices.Contains(folders, folder) {
			j.note(fmt.Sprintf("The folder %s has no channels.", suggest.Quote(folder)))
			return
		}
		j.addUnknown(fmt.Sprintf("There is no folder %s%s", suggest.Quote(folder), suggest.Names{Things: "folders", All: folders}.Suggest(folder)))
		return
	}
	if strings.Contains(selector, "*") || strings.HasPrefix(selector, "privacy:") {
		j.note(fmt.Sprintf("Nothing matches %s.", suggest.Quote(selector)))
		return
	}
	name := strings.TrimPrefix(selector, "name:")
	j.addUnknown(fmt.Sprintf("There is no %s %s%s", thing, suggest.Quote(name), suggest.Names{Things: thing + "s", All: names}.Suggest(name)))
}

// passesWith reports whether a rule would certainly pass with one more object, so that it does not matter whether the rule
// selects it.
func (j *checker) passesWith(check func(*checker)) bool {
	one := *j
	one.result = &Result{Rule: j.rule}
	check(&one)
	return len(one.result.Violations)+len(one.result.Unknowns) == 0
}

// selectsChannel reports whether a rule might select a channel. certain is false if that is not known.
func (j *checker) selectsChannel(selector string, channel *access.Channel) (matches, certain bool) {
	if folder, ok := strings.CutPrefix(selector, "folder:"); ok {
		return channel.Folder == folder || channel.FolderUnknown, !channel.FolderUnknown
	}
	if privacy, ok := strings.CutPrefix(selector, "privacy:"); ok {
		return slices.Contains(privacies[privacy], channel.Facts.Privacy) || channel.Facts.PrivacyUnknown, !channel.Facts.PrivacyUnknown
	}
	selector = zulip.FoldName(selector) // no two channels differ by case only
	if channel.NameUnknown && strings.Trim(selector, "*") != "" {
		isOther := slices.ContainsFunc(j.org.ActiveChannels(), func(other *access.Channel) bool {
			return !other.NameUnknown && selectsExactly(selector, zulip.FoldName(other.Called()))
		})
		return !isOther, false
	}
	return hclfile.Selects(selector, zulip.FoldName(channel.Called())), true
}

// selectsExactly reports whether a selector is exactly this name.
func selectsExactly(selector, name string) bool {
	return strings.TrimPrefix(selector, "name:") == name && (strings.HasPrefix(selector, "name:") || !strings.Contains(selector, "*"))
}

// groups returns the user groups that a rule selects.
func (j *checker) groups() []*access.Group {
	all := j.org.ActiveGroups()
	chosen, unmatched := selected(j, j.rule.Groups, all, j.selectsGroup, (*checker).group, func(*access.Group) string { return "a user group whose name isn't known yet" })
	names := lists.Map(all, func(group *access.Group) string { return group.Name })
	for _, selector := range unmatched {
		j.unmatched(strings.TrimPrefix(selector, "group:"), "user group", names)
	}
	return chosen
}

// selectsGroup is selectsChannel for a user group.
func (j *checker) selectsGroup(selector string, group *access.Group) (matches, certain bool) {
	selector = strings.TrimPrefix(selector, "group:")
	if group.NameUnknown && strings.Trim(selector, "*") != "" {
		isOther := slices.ContainsFunc(j.org.ActiveGroups(), func(other *access.Group) bool {
			return !other.NameUnknown && selectsExactly(selector, other.Called())
		})
		return !isOther, false
	}
	return hclfile.Selects(selector, group.Called()), true
}
