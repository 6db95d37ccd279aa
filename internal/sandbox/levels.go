package sandbox

import (
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// DefaultFeatureLevel is what the sandbox claims unless it is told otherwise:
// that of the newest release.
const DefaultFeatureLevel = featurelevel.NewestRelease

// Feature levels that only the sandbox asks for, which answers as older servers
// do. Those that the provider asks for too come from the table of feature levels;
// what one parameter or field needs stands with it.
const (
	levelUserIDKeys       = 289 // user ids as keys in the answer of subscribing
	levelGroupID          = 317 // group_id in the answer of creating a group
	levelChannelIDs       = 330 // default channels as ids in /register
	levelArchivedChannels = 378 // in streams of /register, for clients that can take them
	levelArchivedOwn      = 315 // the same of subscriptions and unsubscribed
	levelArchivedOthers   = 362 // the same of never_subscribed
	levelReactionsByID    = 328 // no object of who reacted
	levelEmptyTopics      = 334
	levelIgnoredChannels  = 355 // what flags could not be changed for
)

// releases lists the feature level of each major release, newest first. The
// levels from 499 on are kept for releases of Zulip 12.
var releases = []struct {
	level int
	major int
}{{498, 12}, {421, 11}, {371, 10}, {277, 9}, {237, 8}, {185, 7}}

// lastOf12 is the last level that is kept for releases of Zulip 12.
const lastOf12 = 501

// versionAt returns the zulip_version a server of the feature level would
// report: a release, or the development version that follows it.
func versionAt(level int) string {
	for _, r := range releases {
		switch {
		case r.major == 12 && level > r.level && level <= lastOf12:
			return fmt.Sprintf("%d.%d", r.major, level-r.level)
		case r.major == 12 && level > lastOf12:
			return fmt.Sprintf("%d.0-dev-%d-gsandbox", r.major+1, level-lastOf12)
		case level == r.level:
			return fmt.Sprintf("%d.0", r.major)
		case level > r.level:
			return fmt.Sprintf("%d.0-dev-%d-gsandbox", r.major+1, level-r.level)
		}
	}
	return "6.2"
}
