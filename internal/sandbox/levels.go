package sandbox

import "fmt"

// NewestFeatureLevel is the newest feature level the sandbox knows.
const NewestFeatureLevel = 442

// Feature levels the rules turn on (wire-1 §13); what one parameter or field
// needs stands with it.
const (
	levelUserIDKeys       = 289 // user ids as keys in the answer of subscribing
	levelGroupID          = 317 // group_id in the answer of creating a group
	levelChannelIDs       = 330 // default channels as ids in /register
	levelFolders          = 389
	levelFolderOrder      = 414
	levelCreateChannel    = 417
	levelArchivedChannels = 378
	levelEmptyTopics      = 334
	levelIgnoredChannels  = 355 // what flags could not be changed for

	// Newer than what the sandbox claims by itself.
	levelUserMatching         = 455 // by a custom profile field
	levelReverseLinkifiers    = 471
	levelAlternativeTemplates = 478
)

// releases lists the feature level of each major release (wire-1 §13), newest
// first.
var releases = []struct {
	level int
	major int
}{{421, 11}, {371, 10}, {277, 9}, {237, 8}, {185, 7}}

// versionAt returns the zulip_version a server of the feature level would
// report: a release, or the development version that follows it.
func versionAt(level int) string {
	for _, r := range releases {
		if level == r.level {
			return fmt.Sprintf("%d.0", r.major)
		}
		if level > r.level {
			return fmt.Sprintf("%d.0-dev-%d-gsandbox", r.major+1, level-r.level)
		}
	}
	return "6.2"
}
