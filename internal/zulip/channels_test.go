package zulip

import "testing"

func TestRetention(t *testing.T) {
	number := func(days int64) *int64 { return &days }
	for _, test := range []struct {
		days *int64
		text string
		sent string
	}{{nil, "realm_default", `"realm_default"`}, {number(-1), "unlimited", `"unlimited"`}, {number(30), "30", "30"}} {
		channel := Channel{MessageRetentionDays: test.days}
		retention := channel.Retention()
		if sent, err := retention.MarshalJSON(); retention.String() != test.text || string(sent) != test.sent || err != nil {
			t.Errorf("%q is sent as %s, %v", retention, sent, err)
		}
	}
}
