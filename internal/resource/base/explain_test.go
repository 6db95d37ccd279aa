package base_test

import (
	"errors"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"nobody is there": "Nobody is there.",
		"is it there?":    "Is it there?",
		"http://127.0.0.1:9: nobody listens there":                "http://127.0.0.1:9: nobody listens there.",
		"lena@example.com is deactivated":                         "lena@example.com is deactivated.",
		"party.png is not an image":                               "party.png is not an image.",
		"url_template is empty":                                   "url_template is empty.",
		"no person with the address lena@example.com is visible.": "No person with the address lena@example.com is visible.",
	} {
		if got := base.Sentence(errors.New(text)); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
