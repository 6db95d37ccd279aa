package acctest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Call sends a request that the client has no method for, and returns the fields of the answer. A refusal fails the test.
func (o *Organization) Call(t *testing.T, method, path string, params map[string]string) map[string]any {
	t.Helper()
	answer, isAccepted := o.Ask(t, method, path, params)
	if !isAccepted {
		t.Fatalf("%s %s: %v", method, path, answer)
	}
	return answer
}

// Ask is [Organization.Call] for a request that the server may refuse.
func (o *Organization) Ask(t *testing.T, method, path string, params map[string]string) (answer map[string]any, isAccepted bool) {
	t.Helper()
	form := url.Values{}
	for name, value := range params {
		form.Set(name, value)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, o.credentials.site+"/api/v1"+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(o.credentials.email, o.credentials.key)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatalf("%s %s: %d %v", method, path, resp.StatusCode, err)
	}
	return answer, resp.StatusCode == http.StatusOK
}

// Change changes a channel outside Terraform.
func (o *Organization) Change(t *testing.T, name string, update zulip.ChannelUpdate) {
	t.Helper()
	if _, err := o.Client.UpdateChannel(context.Background(), o.MustChannel(t, name).ID, update); err != nil {
		t.Fatal(err)
	}
}

// Archive archives a channel outside Terraform.
func (o *Organization) Archive(t *testing.T, name string) {
	t.Helper()
	if err := o.Client.ArchiveChannel(context.Background(), o.MustChannel(t, name).ID); err != nil {
		t.Fatal(err)
	}
}

// MustChannel reads a channel and fails the test if none exists.
func (o *Organization) MustChannel(t *testing.T, name string) *zulip.Channel {
	t.Helper()
	channel := o.Channel(t, name)
	if channel == nil {
		t.Fatalf("there is no channel %q", name)
	}
	return channel
}

// Subscribers returns the IDs of a channel's subscribers, ascending.
func (o *Organization) Subscribers(t *testing.T, name string) []int64 {
	t.Helper()
	var ids []int64
	list, _ := o.Call(t, http.MethodGet, fmt.Sprintf("/streams/%d/members", o.MustChannel(t, name).ID), nil)["subscribers"].([]any)
	for _, id := range list {
		number, _ := id.(float64)
		ids = append(ids, int64(number))
	}
	slices.Sort(ids)
	return ids
}

// Folder creates a channel folder, which is emptied and archived after the test, and returns its ID.
func (o *Organization) Folder(t *testing.T, name string) int64 {
	t.Helper()
	answer := o.Call(t, http.MethodPost, "/channel_folders/create", map[string]string{"name": o.Prefix + name, "description": ""})
	number, _ := answer["channel_folder_id"].(float64)
	id := int64(number)
	t.Cleanup(func() {
		// Archived channels keep their folder, and a folder with any channel in it cannot be archived
		// (server-behavior §F7).
		var none *int64
		for _, channel := range o.channels(t) {
			if channel.FolderID != nil && *channel.FolderID == id {
				o.Change(t, channel.Name, zulip.ChannelUpdate{FolderID: &none})
			}
		}
		o.Call(t, http.MethodPatch, fmt.Sprintf("/channel_folders/%d", id), map[string]string{"is_archived": "true"})
	})
	return id
}

// MoveEmail gives the email of an account of the sandbox to another account, and "old." with the email to the first.
func (o *Organization) MoveEmail(t *testing.T, from, to, email string) {
	t.Helper()
	for _, change := range []struct{ account, email string }{{from, "old." + email}, {to, email}} {
		credentials, ok := o.Sandbox.Credentials(change.account)
		if !ok {
			t.Fatalf("there is no account %q", change.account)
		}
		o.Call(t, http.MethodPatch, fmt.Sprint("/users/", credentials.ID), map[string]string{"new_email": change.email})
	}
}

// Group creates a user group, which is deactivated after the test, and returns its ID. Its name has the prefix.
func (o *Organization) Group(t *testing.T, name string) int64 {
	t.Helper()
	id, _ := o.Call(t, http.MethodPost, "/user_groups/create", map[string]string{
		"name": o.Prefix + name, "description": "", "members": fmt.Sprintf("[%d]", o.Self.ID),
	})["group_id"].(float64)
	t.Cleanup(func() { o.Call(t, http.MethodPost, fmt.Sprintf("/user_groups/%d/deactivate", int64(id)), nil) })
	return int64(id)
}

// Emoji adds an emoji to the organization, which is deactivated after the test, and returns its ID.
func (o *Organization) Emoji(t *testing.T, name string) int64 {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := o.Client.UploadCustomEmoji(ctx, name, "picture.png", "image/png", picture.Bytes()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Client.DeactivateCustomEmoji(ctx, name); err != nil {
			t.Error(err)
		}
	})
	for _, emoji := range o.Snapshot(t, zulip.FetchCustomEmoji).CustomEmoji {
		if emoji.Name == name && !emoji.Deactivated {
			return emoji.ID
		}
	}
	t.Fatalf("the emoji %q was added and is not there", name)
	return 0
}

// readAgain returns the encoded parameters of a request, from the query or the body, and restores the body. It ignores
// parameters of an upload, because the provider sends none.
func readAgain(req *http.Request) (string, error) {
	if req.Method == http.MethodGet {
		return req.URL.RawQuery, nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return "", err
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	if strings.HasPrefix(req.Header.Get("Content-Type"), "multipart/") {
		return "", nil
	}
	return string(body), nil
}

// Diagnostic is an error or a warning that the provider reports.
type Diagnostic struct {
	IsError         bool
	Attribute       string // the outermost attribute of the path; "" for none
	Summary, Detail string
}

// Announces reports whether a warning of the plan says that the apply will report an error, about the same resource.
func (d Diagnostic) Announces(failure Diagnostic) bool {
	stops := d.Attribute == failure.Attribute && strings.Contains(d.Detail, "apply stops here")
	return !d.IsError && (d.Summary == failure.Summary || d.Summary == failure.Summary+", so the apply will fail" || stops)
}

// String returns the diagnostic as a person would see it.
func (d Diagnostic) String() string {
	kind := "warning"
	if d.IsError {
		kind = "error"
	}
	return fmt.Sprintf("%s (%s): %s\n%s", kind, d.Attribute, d.Summary, d.Detail)
}

// says reports whether the diagnostic is about the attribute, and its text contains all the words.
func (d Diagnostic) says(attribute string, words []string) bool {
	text := d.Summary + "\n" + d.Detail
	return d.Attribute == attribute && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// Diagnostics are the reports of one or more calls.
type Diagnostics []Diagnostic

// Errors returns the errors, which stop the CLI.
func (d Diagnostics) Errors() Diagnostics { return d.filter(true) }

// Warnings returns the warnings.
func (d Diagnostics) Warnings() Diagnostics { return d.filter(false) }

func (d Diagnostics) filter(errors bool) Diagnostics {
	return slices.DeleteFunc(slices.Clone(d), func(one Diagnostic) bool { return one.IsError != errors })
}

// String returns all of them.
func (d Diagnostics) String() string {
	texts := make([]string, len(d))
	for i, one := range d {
		texts[i] = one.String()
	}
	return strings.Join(texts, "\n\n")
}

// ExpectNoError fails the test if there is an error.
func (d Diagnostics) ExpectNoError(t testing.TB) {
	t.Helper()
	if errors := d.Errors(); len(errors) > 0 {
		t.Fatalf("reported:\n%v", errors)
	}
}

// ExpectError fails the test unless exactly one error exists. It must be at the attribute ("" is none), and its summary and
// detail must contain all the words.
func (d Diagnostics) ExpectError(t testing.TB, attribute string, words ...string) {
	t.Helper()
	if errors := d.Errors(); len(errors) != 1 || !errors[0].says(attribute, words) {
		t.Errorf("want one error at %q with %q; reported:\n%v", attribute, words, d)
	}
}

// ExpectWarning fails the test unless a warning at the attribute contains all the words in its summary and detail.
func (d Diagnostics) ExpectWarning(t testing.TB, attribute string, words ...string) {
	t.Helper()
	if !slices.ContainsFunc(d.Warnings(), func(one Diagnostic) bool { return one.says(attribute, words) }) {
		t.Errorf("want a warning at %q with %q; reported:\n%v", attribute, words, d)
	}
}

// ExpectOnlyWarning fails the test unless no error exists, and exactly one warning, with this summary and detail. An empty
// detail means no warning.
func (d Diagnostics) ExpectOnlyWarning(t testing.TB, summary, detail string) {
	t.Helper()
	d.ExpectNoError(t)
	switch warnings := d.Warnings(); {
	case detail == "" && len(warnings) > 0:
		t.Errorf("warns of\n%v\nwanted nothing", warnings)
	case detail != "" && (len(warnings) != 1 || warnings[0].Summary != summary || warnings[0].Detail != detail):
		t.Errorf("warns of\n%v\nwanted\n%s\n%s", warnings, summary, detail)
	}
}

// ExpectOnlyAccessWarning fails the test unless no error exists, and exactly one warning, which is about access and has this
// summary. An empty summary means no warning.
func (d Diagnostics) ExpectOnlyAccessWarning(t testing.TB, summary string) {
	t.Helper()
	d.ExpectNoError(t)
	switch warnings := d.Warnings(); {
	case summary == "" && len(warnings) == 0:
	case len(warnings) != 1 || warnings[0].Summary != summary || !strings.HasSuffix(warnings[0].Detail, AccessAdvice):
		t.Errorf("warns of\n%v\nwanted only %q", warnings, summary)
	}
}

// The summary of a warning about access that names no object, and the end of each.
const (
	GeneralAccess = "This plan can change who can do what"
	AccessAdvice  = "Run \"terraform-provider-zulip review\" to see who gains and who loses what with the whole plan."
)

func diagnosticsOf(reported []*tfprotov6.Diagnostic) Diagnostics {
	all := Diagnostics{}
	for _, one := range reported {
		all = append(all, Diagnostic{
			IsError:   one.Severity == tfprotov6.DiagnosticSeverityError,
			Attribute: rootOf(one.Attribute), Summary: one.Summary, Detail: one.Detail,
		})
	}
	return all
}

// rootOf returns the outermost attribute of a path.
func rootOf(path *tftypes.AttributePath) string {
	if path == nil || len(path.Steps()) == 0 {
		return ""
	}
	name, _ := path.Steps()[0].(tftypes.AttributeName)
	return string(name)
}
