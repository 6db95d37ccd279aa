package user_test

import (
	"net/http"
	"testing"
)

// A profile field that nobody has heard of is an error that names those there are.
func TestProtocolUsersByAnUnknownProfileField(t *testing.T) {
	o, run := managed(t)
	o.Call(t, http.MethodPost, "/realm/profile_fields", map[string]string{"name": "Mentors", "field_type": "1"})
	for name, want := range map[string]string{"Mentor": `did you mean "Mentors"?`, "Shoe size": "the custom profile fields are: "} {
		_, diags := run.Process().ReadData("zulip_users", values{"profile_field": values{"name": name, "value": "x"}})
		diags.ExpectError(t, "profile_field", "No such profile field", want)
	}
}
