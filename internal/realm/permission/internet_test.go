package permission_test

import (
	"encoding/json"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestWhoReadsOnTheInternet(t *testing.T) {
	_, facts := team(t)
	yes, no := true, false
	organization := func(setting string, offered *bool, change permission.Change) *permission.Access {
		facts.Realm = &zulip.Realm{OffersWebPublicChannels: offered, Settings: map[string]json.RawMessage{}}
		if setting != "" {
			facts.Realm.Settings["enable_spectator_access"] = json.RawMessage(setting)
		}
		return permission.NewAccess(facts).With(change)
	}
	for name, test := range map[string]struct {
		before, after               *permission.Access
		privacyBefore, privacyAfter zulip.Privacy
		want                        permission.Internet
		said                        string
	}{
		"a channel goes on the web": {
			organization("true", &yes, permission.Change{}), nil, zulip.PrivacyPublic, zulip.PrivacyWebPublic, permission.InternetGains,
			"Anyone on the internet can read it, without an account.",
		},
		"where spectators are kept out": {
			organization("false", &yes, permission.Change{}), nil, zulip.PrivacyPublic, zulip.PrivacyWebPublic, permission.InternetAsBefore, "",
		},
		"where the server has no such channels": {
			organization("true", &no, permission.Change{}), nil, zulip.PrivacyPublic, zulip.PrivacyWebPublic, permission.InternetAsBefore, "",
		},
		"on a server that says nothing": {
			organization("", nil, permission.Change{}), nil, zulip.PrivacyPublic, zulip.PrivacyWebPublic, permission.InternetGains,
			"Anyone on the internet can read it, without an account.",
		},
		"spectators are let in": {
			organization("false", nil, permission.Change{}), organization("false", nil, permission.Change{Spectators: &yes}),
			zulip.PrivacyWebPublic, zulip.PrivacyWebPublic, permission.InternetGains, "Anyone on the internet can read it, without an account.",
		},
		"spectators are kept out from now on": {
			organization("true", nil, permission.Change{}), organization("true", nil, permission.Change{Spectators: &no}),
			zulip.PrivacyWebPublic, zulip.PrivacyWebPublic, permission.InternetLoses, "It can no longer be read without an account.",
		},
		"not from what is no web-public channel": {
			organization("true", nil, permission.Change{}), organization("true", nil, permission.Change{Spectators: &no}),
			zulip.PrivacyPublic, zulip.PrivacyPublic, permission.InternetAsBefore, "",
		},
		"it is not known whether they are": {
			organization("true", nil, permission.Change{}), organization("true", nil, permission.Change{SpectatorsUnknown: true}),
			zulip.PrivacyWebPublic, zulip.PrivacyWebPublic, permission.InternetUnknown,
			"Not known yet: whether anyone on the internet can read it, without an account.",
		},
		"nobody asks of another channel": {
			organization("true", nil, permission.Change{}), organization("true", nil, permission.Change{SpectatorsUnknown: true}),
			zulip.PrivacyPublic, zulip.PrivacyPublic, permission.InternetAsBefore, "",
		},
	} {
		if test.after == nil {
			test.after = test.before
		}
		before := permission.ChannelRights{Access: test.before, Channel: open(test.privacyBefore, 1, 2, 3, 4, 5, 6)}
		after := permission.ChannelRights{Access: test.after, Channel: open(test.privacyAfter, 1, 2, 3, 4, 5, 6)}
		if got := permission.CompareInternet(before, after); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
		if got := (permission.Report{}).Channel(before, after); got != test.said {
			t.Errorf("%s: said %q", name, got)
		}
	}
}
