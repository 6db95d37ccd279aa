package audit_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
)

// The change that takes guests out of a private channel lists who stays, or, where those are too many to read, the guests.
func TestChangesOfChannelsWithGuests(t *testing.T) {
	facts := large(300, 8) // channels 0 and 4 are private, with 40 and 44 people; one in ten is a guest
	for i := range int64(100) {
		facts.Subscribers[5] = append(facts.Subscribers[5], 150+i)
	}
	a, err := audit.Of(facts, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		channel       string
		has, hasNot   string
		guest, member string
	}{
		{"room 0", "users   = [", "# Leave", "person10@example.com", "person11@example.com"},
		{"room 4", "# Leave these guests out of users:\n", "users   =", "person160@example.com", "person161@example.com"},
	} {
		for _, finding := range found(a, audit.OpenPrivate, `channel "`+test.channel+`"`) {
			listed, other := test.member, test.guest
			if test.channel == "room 4" {
				listed, other = other, listed
			}
			if !strings.Contains(finding.Change, test.has) || strings.Contains(finding.Change, test.hasNot) ||
				!strings.Contains(finding.Change, listed) || strings.Contains(finding.Change, other) {
				t.Errorf("%s: %s", test.channel, finding.Change)
			}
		}
		if len(found(a, audit.OpenPrivate, `channel "`+test.channel+`"`)) == 0 {
			t.Errorf("%s: no finding", test.channel)
		}
	}
}
