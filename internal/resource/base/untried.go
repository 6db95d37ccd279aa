package base

import (
	"fmt"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// WhyUntried says, where the server is newer than those that were tried, that the provider may be wrong about it, and what of a
// resource was not tried; "" for other servers. It ends a message about a server that does something else than it was asked to.
// of is the resource, data source or action; it may be empty.
func (b *Base) WhyUntried(of string) string {
	level := b.FeatureLevel()
	if level <= featurelevel.Recorded {
		return ""
	}
	text := fmt.Sprintf("The server has feature level %d. The newest that the provider was tried with is %d: it may be wrong about this server.", level, featurelevel.Recorded)
	if untried := featurelevel.UntriedOf(of, level); len(untried) > 0 {
		points := make([]string, len(untried))
		for i, point := range untried {
			points[i] = point.String()
		}
		text += fmt.Sprintf(" Not tried of %s: %s.", of, strings.Join(points, "; "))
	}
	if level > featurelevel.Newest {
		text += fmt.Sprintf(" Nothing is known of the changes after level %d.", featurelevel.Newest)
	}
	return text + " The page \"Supported servers\" of the documentation says what was tried."
}

// WithUntried appends [Base.WhyUntried] to a message.
func (b *Base) WithUntried(of, message string) string {
	message = strings.TrimSpace(message)
	if why := b.WhyUntried(of); why != "" {
		return message + "\n\n" + why
	}
	return message
}

// WhyIgnored says why the server ignores a parameter, after a colon.
func (b *Base) WhyIgnored() string {
	if b.FeatureLevel() > featurelevel.Recorded {
		return fmt.Sprintf("it is too old for it, or does not have it any more (feature level %d).", b.FeatureLevel())
	}
	return fmt.Sprintf("it is too old for it (feature level %d).", b.FeatureLevel())
}
