package rules

import "slices"

// subscriptionColors are given to subscriptions in turn.
var subscriptionColors = []string{
	"#76ce90", "#fae589", "#a6c7e5", "#e79ab5", "#bfd56f", "#f4ae55", "#b0a5fd", "#addfe5", "#f5ce6e", "#c2726a", "#94c849", "#bd86e5",
	"#ee7e4a", "#a6dcbf", "#95a5fd", "#53a063", "#9987e1", "#e4523d", "#c2c2c2", "#4f8de4", "#c6a8ad", "#e7cc4d", "#c8bebf", "#a47462",
}

// colorOf is a color of one of a person's subscriptions.
type colorOf struct {
	user  int
	color string
}

// nextColor is the first color that none of a person's subscriptions has and nobody chose for other channels; once all are
// used, a channel's own one.
func (o *Organization) nextColor(user, channel int, chosen []string) string {
	for _, color := range subscriptionColors {
		if o.subscribers.colors[colorOf{user, color}] == 0 && !slices.Contains(chosen, color) {
			return color
		}
	}
	return subscriptionColors[channel%len(subscriptionColors)]
}
