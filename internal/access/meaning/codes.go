package meaning

// codes are the words of attributes for which the server has numbers.
var codes = map[string]map[float64]string{
	"digest_weekday":           {0: "monday", 1: "tuesday", 2: "wednesday", 3: "thursday", 4: "friday", 5: "saturday", 6: "sunday"},
	"email_address_visibility": {1: "everyone", 2: "members", 3: "administrators", 4: "nobody", 5: "moderators"},
	"giphy_rating":             {0: "disabled", 1: "g", 2: "pg", 3: "pg-13", 4: "r"},
	"org_type": {
		0: "unspecified", 10: "business", 20: "opensource", 30: "education_nonprofit", 35: "education", 40: "research", 50: "event", 60: "nonprofit",
		70: "government", 80: "political_group", 90: "community", 100: "personal", 1000: "other",
	},
	"video_chat_provider": {
		0: "disabled", 1: "jitsi_meet", 3: "zoom", 4: "big_blue_button", 5: "zoom_server_to_server", 6: "constructor_groups", 7: "nextcloud_talk", 8: "webex",
	},
}

// Word returns the word of an attribute for a number of the server; ok is false for one that this version does not know.
func Word(attribute string, number float64) (word string, ok bool) {
	word, ok = codes[attribute][number]
	return word, ok
}
