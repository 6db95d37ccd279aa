package rules

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// What zxcvbn, which the server asks, counts fewer than 10,000 guesses for, and what it does not.
func TestWeakPasswords(t *testing.T) {
	const weak = "temp abcdef password 12345678 qwerty123 abc123 example s3cRet aaaaaa testtest drowssap PASSWORD Password P@ssw0rd p4ssword " +
		"letmein iloveyou sunshine Summer elizabeth abcabcabc 97531 acegik zyxwvu fghjkl poiuyt x é tZ9#k"
	const strong = "tZ9#kw xkcd-correct-horse-9 Summer2024! passwordpassw0rd PaSsWoRdElizabeth hunter2letmein jKhqTe terraform-zulip 7bqx0d пароль-мой"
	for _, password := range strings.Fields(weak) {
		if err := checkPassword(password, "weak"); said(err) != "weak" {
			t.Errorf("%s: %v", password, err)
		}
	}
	for _, password := range strings.Fields(strong) {
		if err := checkPassword(password, "weak"); err != nil {
			t.Errorf("%s: %v", password, err)
		}
	}
	if err := checkPassword(strings.Repeat("tZ9#kw", 17), "weak"); !errors.Is(err, errPasswordTooLong) {
		t.Errorf("more than 100 characters: %v", err)
	}
}

func TestPasswordsAreKeptAsHashes(t *testing.T) {
	o, people := founded(t)
	member, other := people[RoleMember].ID, people[RoleGuest].ID
	for _, id := range []int{member, other} {
		if err := o.SetPassword(id, "correct horse"); err != nil {
			t.Fatal(err)
		}
	}
	one, _ := o.Users.Get(member)
	two, _ := o.Users.Get(other)
	if !one.hasPassword("correct horse") || one.hasPassword("Correct horse") || one.hasPassword("") || (User{}).hasPassword("") {
		t.Error("the wrong password is taken, or the right one is not")
	}
	if bytes.Equal(one.PasswordHash, two.PasswordHash) || strings.Contains(string(one.PasswordHash), "horse") {
		t.Errorf("kept as %x and %x", one.PasswordHash, two.PasswordHash)
	}
}
