package zulip

import (
	"net/http"
	"reflect"
	"testing"
)

func TestSnapshotOfEmojiAndDefaults(t *testing.T) {
	// As a server of feature level 442 answers, shortened; the second group as one below 330 does.
	w := newWire(t, json200(`{"result":"success","msg":"","queue_id":"q","zulip_feature_level":442,
		"realm_emoji":{"8":{"id":"8","name":"party","source_url":"/user_avatars/2/emoji/images/8.png","deactivated":false,"author_id":9,"still_url":null},
			"3":{"id":"3","name":"party","source_url":"/user_avatars/2/emoji/images/3.png","deactivated":true,"author_id":null,"still_url":null}, "4":null},
		"realm_default_stream_groups":[{"name":"dev","id":1,"description":"Developers","streams":[7,5]},
			{"name":"ops","id":2,"description":"","streams":[{"stream_id":6,"name":"x"}]},null],
		"realm_user_settings_defaults":{"color_scheme":1,"emojiset":"google"}}`))
	snapshot, err := w.client.Register(w.ctx, []string{FetchCustomEmoji, FetchDefaultGroups, FetchUserDefaults})
	if err != nil {
		t.Fatal(err)
	}
	author := int64(9)
	if want := []*CustomEmoji{
		{ID: 3, Name: "party", SourceURL: "/user_avatars/2/emoji/images/3.png", Deactivated: true},
		{ID: 8, Name: "party", SourceURL: "/user_avatars/2/emoji/images/8.png", AuthorID: &author},
	}; !reflect.DeepEqual(snapshot.CustomEmoji, want) {
		t.Errorf("emoji: %+v", snapshot.CustomEmoji)
	}
	if want := []*DefaultChannelGroup{
		{ID: 1, Name: "dev", Description: "Developers", ChannelIDs: []int64{7, 5}}, {ID: 2, Name: "ops", ChannelIDs: []int64{6}},
	}; !reflect.DeepEqual(snapshot.DefaultGroups, want) {
		t.Errorf("groups: %+v", snapshot.DefaultGroups)
	}
	if len(snapshot.UserDefaults) != 2 || string(snapshot.UserDefaults["color_scheme"]) != "1" {
		t.Errorf("defaults: %v", snapshot.UserDefaults)
	}
}

func TestWhatIsGoneAlreadyIsNoError(t *testing.T) {
	w := newWire(t, func(n int, rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader([]int{404, 400}[n-1])
		_, _ = rw.Write([]byte([]string{
			`{"result":"error","msg":"Emoji 'party' does not exist","code":"BAD_REQUEST"}`,
			`{"result":"error","msg":"Default channel group with id '12' does not exist.","code":"BAD_REQUEST"}`,
		}[n-1]))
	})
	if err := w.client.DeactivateCustomEmoji(w.ctx, "party"); err != nil {
		t.Error(err)
	}
	if err := w.client.DeleteDefaultChannelGroup(w.ctx, 12); err != nil {
		t.Error(err)
	}
}
