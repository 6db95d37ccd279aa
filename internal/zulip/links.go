package zulip

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Where the web app shows a conversation, behind the # of an address.
const (
	channelNarrow = "/#narrow/channel/"
	topicNarrow   = "/topic/"
	nearNarrow    = "/near/"
)

// ChannelURL returns the address of a channel in the web app. The name is there for readers: the web app finds the
// channel by its ID. It is written in the Unicode normal form NFC, in which the CLI hands over every text.
func ChannelURL(site string, id int64, name string) string {
	slug := strconv.FormatInt(id, 10) + "-" + strings.ReplaceAll(norm.NFC.String(name), " ", "-")
	return strings.TrimSuffix(site, "/") + channelNarrow + EncodeFragment(slug)
}

// TopicURL returns the address of a topic, from that of its channel. The topic without a name is "", and nothing stands
// for it in the address.
func TopicURL(channelURL, topic string) string {
	return channelURL + topicNarrow + EncodeFragment(topic)
}

// MessageURL returns the address of a message, from that of its conversation: of a topic, or of direct messages.
func MessageURL(conversationURL string, id int64) string {
	return conversationURL + nearNarrow + strconv.FormatInt(id, 10)
}

// IsChannelURL reports whether a text is the address of a channel as ChannelURL writes it, whatever the site.
func IsChannelURL(text string) bool {
	site, slug, found := strings.Cut(text, channelNarrow)
	id, _, _ := strings.Cut(slug, "-")
	number, err := strconv.ParseInt(id, 10, 64)
	return found && isWebAddress(site) && err == nil && number > 0 && !strings.Contains(slug, "/")
}

// IsTopicURL reports whether a text is the address of a topic as TopicURL writes it.
func IsTopicURL(text string) bool {
	channel, topic, found := strings.Cut(text, topicNarrow)
	return found && IsChannelURL(channel) && !strings.Contains(topic, "/")
}

func isWebAddress(site string) bool {
	u, err := url.Parse(site)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// EncodeFragment writes text as the web app writes it behind the # of an address: percent encoding with a dot for the
// percent sign, so that the text of a link survives where a percent sign would not.
func EncodeFragment(text string) string {
	encoded := strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	// The characters that the browser's own encoding leaves as they are and Go's does not.
	for _, plain := range []string{"!", "~", "*", "'"} {
		encoded = strings.ReplaceAll(encoded, url.QueryEscape(plain), plain)
	}
	return strings.NewReplacer("%", ".", ".", ".2E").Replace(encoded)
}
