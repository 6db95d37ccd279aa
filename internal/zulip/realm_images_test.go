package zulip

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRealmImage(t *testing.T) {
	realm := &Realm{Settings: map[string]json.RawMessage{
		"icon_url": []byte(`"/user_avatars/2/realm/icon.png?version=4"`), "icon_source": []byte(`"U"`),
		"night_logo_url": []byte(`"/static/logo.svg?version=0"`), "night_logo_source": []byte(`"D"`),
	}}
	for kind, want := range map[string]RealmImage{
		IconImage: {"/user_avatars/2/realm/icon.png?version=4", true}, NightLogoImage: {"/static/logo.svg?version=0", false}, LogoImage: {},
	} {
		if got := realm.Image(kind); got != want {
			t.Errorf("%s: %+v, want %+v", kind, got, want)
		}
	}
}

// Which logo is meant is always said; the icon has no such parameter.
func TestUploadRealmImage(t *testing.T) {
	for kind, c := range map[string]struct{ path, night string }{IconImage: {"/api/v1/realm/icon", ""}, LogoImage: {"/api/v1/realm/logo", "false"}, NightLogoImage: {"/api/v1/realm/logo", "true"}} {
		w := newWire(t, json200(ok))
		if err := w.client.UploadRealmImage(w.ctx, kind, "a.png", "image/png", []byte("picture")); err != nil {
			t.Fatal(err)
		}
		if err := w.client.RemoveRealmImage(w.ctx, kind); err != nil {
			t.Fatal(err)
		}
		for _, sent := range w.requests() {
			if sent.path != c.path || strings.Contains(sent.body, "night") != (c.night != "") || !strings.Contains(sent.body, c.night) {
				t.Errorf("%s: sent %+v", kind, sent)
			}
		}
		w.expectSent(t, 2)
	}
}
