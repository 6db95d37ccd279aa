package review_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
)

// A review takes what grows with the channels of the plan and with the people of the organization, and not with the square of
// either, with the reading of the organization and the Markdown.
func TestProtocolReviewGrowsWithThePlan(t *testing.T) {
	for name, sizes := range map[string]func(number int) (people, channels int){
		"channels": func(number int) (people, channels int) { return 300, number },
		"people":   func(number int) (people, channels int) { return number, 50 },
	} {
		t.Run(name, func(t *testing.T) {
			acctest.ExpectLinear(t, 60, func(number int) func() {
				people, channels := sizes(number)
				_, dir, plan := many(t, people, channels)
				return func() {
					dir.Invalidate(store.Channels, store.Users, store.UserGroups, store.Organization, store.Subscribers)
					markdownOf(t, reviewWith(t, dir, plan))
				}
			})
		})
	}
}
