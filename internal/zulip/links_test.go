package zulip

import "testing"

func TestLinks(t *testing.T) {
	channel := ChannelURL("https://chat.example.com/", 12, "on call (EU)")
	for _, test := range []struct{ got, want string }{
		{channel, "https://chat.example.com/#narrow/channel/12-on-call-.28EU.29"},
		{ChannelURL("https://chat.example.com", 13, "cafe\u0301"), "https://chat.example.com/#narrow/channel/13-caf.C3.A9"},
		{TopicURL(channel, "a/b. 50%?"), channel + "/topic/a.2Fb.2E.2050.25.3F"},
		{TopicURL(channel, "Größe ✔"), channel + "/topic/Gr.C3.B6.C3.9Fe.20.E2.9C.94"},
		{TopicURL(channel, "it's ~50! *now* #1+1 _x-y_"), channel + "/topic/it's.20~50!.20*now*.20.231.2B1.20_x-y_"},
		{TopicURL(channel, ""), channel + "/topic/"},
		{MessageURL(TopicURL(channel, ""), 345), channel + "/topic//near/345"},
		{MessageURL(TopicURL(channel, "v1"), 345), channel + "/topic/v1/near/345"},
	} {
		if test.got != test.want {
			t.Errorf("got %s\nwant %s", test.got, test.want)
		}
	}
}

func TestLinksAreTold(t *testing.T) {
	const site = "https://chat.example.com/#narrow/channel/"
	for text, want := range map[string]struct{ channel, topic bool }{
		site + "12-releases":                   {true, false},
		site + "12-":                           {true, false},
		site + "12-releases/topic/v1":          {false, true},
		site + "12-releases/topic/":            {false, true},
		site + "12-releases/topic/v1/near/3":   {false, false},
		site + "releases":                      {false, false},
		site + "0-releases":                    {false, false},
		"/#narrow/channel/12-releases":         {false, false},
		"chat.example.com/#narrow/channel/1-a": {false, false},
		"https://chat.example.com":             {false, false},
		"":                                     {false, false},
	} {
		if IsChannelURL(text) != want.channel || IsTopicURL(text) != want.topic {
			t.Errorf("%q: channel %v, topic %v", text, IsChannelURL(text), IsTopicURL(text))
		}
	}
}
