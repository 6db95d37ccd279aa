package permission

import (
	"encoding/json"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// spectatorAccess is the setting of the organization that lets people without an account read web-public channels. The
// server can also disable such access for all organizations (https://zulip.com/api/register-queue).
const spectatorAccess = "enable_spectator_access"

// Internet is the effect of a change on people without an account, who are not part of [People].
type Internet int

// The effects of a change on people without an account.
const (
	InternetAsBefore Internet = iota
	InternetGains             // they can now read the channel
	InternetLoses             // they can no longer read it
	InternetUnknown           // it depends on something unknown
)

// CompareInternet returns the effect of a change on whether people without an account can read a channel.
func CompareInternet(before, after ChannelRights) Internet {
	readBefore, beforeKnown := before.IsReadByInternet()
	readAfter, afterKnown := after.IsReadByInternet()
	switch {
	case !beforeKnown || !afterKnown:
		return InternetUnknown
	case readAfter && !readBefore:
		return InternetGains
	case readBefore && !readAfter:
		return InternetLoses
	}
	return InternetAsBefore
}

// IsReadByInternet reports whether anyone on the internet reads the channel without an account, and whether that is known.
func (s ChannelRights) IsReadByInternet() (reads, known bool) {
	spectators, known := s.Access.allowsSpectators()
	switch {
	case known && !spectators:
		return false, true
	case s.Channel.PrivacyUnknown:
		return false, false
	case s.Channel.Privacy != zulip.PrivacyWebPublic:
		return false, true
	}
	return known, known
}

// allowsSpectators reports whether people without an account can read web-public channels, and whether that is known. They
// can on a server that does not tell.
func (a *Access) allowsSpectators() (lets, known bool) {
	if a == nil || a.facts.Realm == nil {
		return true, true
	}
	if offered := a.facts.Realm.OffersWebPublicChannels; offered != nil && !*offered {
		return false, true
	}
	if a.spectatorsUnknown {
		return false, false
	}
	var enabled bool
	if json.Unmarshal(a.facts.Realm.Settings[spectatorAccess], &enabled) != nil {
		return true, true
	}
	return enabled, true
}
