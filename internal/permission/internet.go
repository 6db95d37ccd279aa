package permission

import (
	"encoding/json"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// spectatorAccess is the setting of the organization that lets people without an account in. Where it is off, or the
// server has such access turned off for all organizations, nobody reads a web-public channel without an account
// (https://zulip.com/api/register-queue).
const spectatorAccess = "enable_spectator_access"

// Internet is what happens to those without an account, who are among no [People].
type Internet int

// What a change does to those without an account.
const (
	InternetAsBefore Internet = iota
	InternetGains             // they come to read the channel
	InternetLoses             // they can no longer read it
	InternetUnknown           // it depends on something that is not known
)

// CompareInternet tells whether a change lets those without an account read a channel, or no longer.
func CompareInternet(before, after State) Internet {
	was, wasKnown := before.IsReadByInternet()
	is, isKnown := after.IsReadByInternet()
	switch {
	case !wasKnown || !isKnown:
		return InternetUnknown
	case is && !was:
		return InternetGains
	case was && !is:
		return InternetLoses
	}
	return InternetAsBefore
}

// IsReadByInternet reports whether anyone on the internet reads the channel without an account, and whether that is known.
func (s State) IsReadByInternet() (reads, known bool) {
	spectators, known := s.Access.letsSpectatorsIn()
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

// letsSpectatorsIn reports whether the organization lets people without an account in, and whether that is known. A
// server that does not say keeps nobody out.
func (a *Access) letsSpectatorsIn() (lets, known bool) {
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
