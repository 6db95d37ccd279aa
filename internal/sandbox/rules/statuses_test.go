package rules

import "testing"

func TestStatusParts(t *testing.T) {
	o, people := founded(t)
	member := people[RoleMember]
	set := func(c StatusChange) string { return said(o.SetStatus(member.ID, c)) }
	if got := set(StatusChange{Text: ptr("x"), EmojiCode: ptr("1f697")}); got != "Client must pass emoji_name if they pass either emoji_code or reaction_type." {
		t.Errorf("a code without a name: %q", got)
	}
	if got := set(StatusChange{EmojiName: ptr("rocket"), Away: ptr(true)}); got != "" {
		t.Fatal(got)
	}
	if got := set(StatusChange{Text: ptr("away")}); got != "" {
		t.Fatal(got)
	}
	want := Status{Text: "away", Emoji: Emoji{"rocket", "1f680", StandardEmoji}, Away: true}
	if got, _ := o.Statuses.Get(member.ID); got != want {
		t.Errorf("status %+v, want %+v", got, want)
	}
	if got := set(StatusChange{Text: ptr(""), EmojiName: ptr(""), EmojiCode: ptr("x"), Away: ptr(false)}); got != "" {
		t.Fatal(got)
	}
	if all := o.ListStatuses(member); len(all) != 0 {
		t.Errorf("statuses left: %v", all)
	}
}

func TestEmojiOfAName(t *testing.T) {
	o, people := founded(t)
	admin := people[RoleAdministrator]
	png := Upload{"rocket.png", "image/png", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\n\x00\x00\x00\n\x08\x02\x00\x00\x00\x02PX\xea")}
	if err := o.AddCustomEmoji(admin, "rocket", []Upload{png}); err != nil {
		t.Fatal(err)
	}
	custom, err := o.EmojiByName("rocket")
	if err != nil || custom.Type != CustomEmoji {
		t.Fatalf("a custom emoji comes first: %+v, %v", custom, err)
	}
	standard := Emoji{"rocket", "1f680", StandardEmoji}
	if got, err := o.ResolveEmoji("rocket", &standard.Code, &standard.Type); err != nil || got != standard {
		t.Errorf("the standard one by its code: %+v, %v", got, err)
	}
	if err := o.DeactivateCustomEmoji(admin, "rocket"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		emoji Emoji
		want  string
	}{
		{custom, "This custom emoji has been deactivated."},
		{Emoji{"other", custom.Code, CustomEmoji}, "Invalid custom emoji name."},
		{Emoji{"rocket", "999999", CustomEmoji}, "Invalid custom emoji."},
		{Emoji{"rocket", "ffff", StandardEmoji}, "Invalid emoji code."},
		{Emoji{"zulip", "zulip", StandardEmoji}, "Invalid emoji code."},
		{Emoji{"car", "zulip", ExtraEmoji}, "Invalid emoji name."},
		{Emoji{"heart", "2764", StandardEmoji}, ""},
		{Emoji{"one", "0031-20e3", StandardEmoji}, ""},
		{Emoji{"working_on_it", "1f6e0", StandardEmoji}, ""},
	} {
		if got := said(o.checkEmoji(test.emoji)); got != test.want {
			t.Errorf("%+v: %q, want %q", test.emoji, got, test.want)
		}
	}
}
