package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/hclfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// channels returns the channels that a rule selects, and notes whether there may be others.
func (j *checker) channels() (chosen []*access.Channel) {
	isWhole := func(text string) bool {
		return strings.ContainsAny(text, "*") || strings.HasPrefix(text, "folder:") || strings.HasPrefix(text, "privacy:")
	}
	if slices.ContainsFunc(j.rule.Channels, isWhole) {
		for _, sentence := range j.org.Unknowns(access.OfChannels) {
			j.addUnknown(sentence)
		}
	}
	all, matched := j.org.ActiveChannels(), map[string]bool{}
	for _, channel := range all {
		isChosen, uncertain := false, ""
		for _, selector := range j.rule.Channels {
			switch matches, certain := j.selectsChannel(selector, channel); {
			case matches && certain:
				matched[selector], isChosen = true, true
			case matches:
				uncertain = selector
			}
		}
		switch {
		case isChosen:
			chosen = append(chosen, channel)
		case uncertain != "" && !j.passesWith(func(j *checker) { j.channel(channel) }):
			j.addUnknown(fmt.Sprintf("It isn't known yet whether %s selects #%s.", suggest.Quote(uncertain), channel.Name))
		}
	}
	names := make([]string, len(all))
	for i, channel := range all {
		names[i] = channel.Name
	}
	for _, selector := range j.rule.Channels {
		if !matched[selector] {
			j.unmatched(selector, "channel", names)
		}
	}
	return chosen
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

// keeps reports whether a rule would certainly pass with one more object, so that it does not matter whether the rule
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
		return slices.Contains(privaciesOf(privacy), channel.Facts.Privacy) || channel.Facts.PrivacyUnknown, !channel.Facts.PrivacyUnknown
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
func (j *checker) groups() (chosen []*access.Group) {
	all, matched := j.org.ActiveGroups(), map[string]bool{}
	names := make([]string, len(all))
	for i, group := range all {
		names[i] = group.Name
		isChosen, uncertain := false, ""
		for _, selector := range j.rule.Groups {
			selector, written := strings.TrimPrefix(selector, "group:"), selector
			switch {
			case !group.NameUnknown || strings.Trim(selector, "*") == "":
				if hclfile.Selects(selector, group.Called()) {
					matched[written], isChosen = true, true
				}
			case !slices.ContainsFunc(all, func(other *access.Group) bool { return !other.NameUnknown && selectsExactly(selector, other.Called()) }):
				uncertain = written
			}
		}
		switch {
		case isChosen:
			chosen = append(chosen, group)
		case uncertain != "" && !j.passesWith(func(j *checker) { j.group(group) }):
			j.addUnknown(fmt.Sprintf("It isn't known yet whether %s selects a user group whose name isn't known yet.", suggest.Quote(uncertain)))
		}
	}
	for _, selector := range j.rule.Groups {
		if !matched[selector] {
			j.unmatched(strings.TrimPrefix(selector, "group:"), "user group", names)
		}
	}
	return chosen
}
