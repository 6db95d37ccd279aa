package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// The accounts of the organization that is compared with.
const (
	expectedOwner = "owner"
	expectedSelf  = "self"
)

// expected reads what a server of a feature level is expected to answer to an account of a role: it asks the sandbox, whose
// answers follow the table of feature levels, in an organization that has one of everything.
func expected(ctx context.Context, level int, role zulip.Role, isBot bool) (*reader, error) {
	server, err := sandbox.New(sandbox.Config{FeatureLevel: level, Accounts: map[string]sandbox.Account{
		expectedOwner: {Email: "owner@example.com", FullName: "Owner", Role: int(zulip.RoleOwner)},
		expectedSelf:  {Email: "self@example.com", FullName: "Self", Role: int(role), IsBot: isBot, Owner: ownerOf(isBot)},
		"former":      {Email: "former@example.com", FullName: "Former", Role: int(zulip.RoleMember), IsDeleted: true},
	}})
	if err != nil {
		return nil, err
	}
	defer server.Close() //nolint:errcheck // it listens nowhere
	connect := func(account string) (zulip.Config, error) {
		credentials, ok := server.Credentials(account)
		if !ok {
			return zulip.Config{}, fmt.Errorf("the sandbox has no account %s", account)
		}
		return zulip.Config{
			Site: "http://sandbox.invalid", Email: credentials.Email, APIKey: credentials.APIKey, MaxRetries: -1,
			Transport: inProcess{server.Handler()},
		}, nil
	}
	owner, err := connect(expectedOwner)
	if err != nil {
		return nil, err
	}
	if err := furnish(ctx, owner, level); err != nil && level >= featurelevel.Oldest {
		return nil, fmt.Errorf("preparing what is compared with: %w", err)
	}
	self, err := connect(expectedSelf)
	if err != nil {
		return nil, err
	}
	found, err := newReader(self)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(found.readServer(ctx), found.readAll(ctx, level)); err != nil {
		return nil, fmt.Errorf("reading what is compared with: %w", err)
	}
	return found, nil
}

func ownerOf(isBot bool) string {
	if isBot {
		return expectedOwner
	}
	return ""
}

// furnish creates one of everything that the level has.
func furnish(ctx context.Context, config zulip.Config, level int) error {
	client, err := zulip.New(config)
	if err != nil {
		return err
	}
	me, err := client.Me(ctx)
	if err != nil {
		return err
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		return err
	}
	description, hint, text, minutes := "About it", "Hint", "Away", int64(60)
	group := func() error {
		_, _, err := client.CreateUserGroup(ctx, zulip.UserGroupCreate{Name: "group", Members: []int64{me.ID}})
		return err
	}
	channel := func() error {
		made := zulip.ChannelCreate{Name: "channel", Settings: zulip.ChannelUpdate{Description: &description}, Subscribers: []int64{me.ID}}
		if level < featurelevel.CreateChannel {
			_, err := client.CreateChannelBySubscribing(ctx, made)
			return err
		}
		_, _, err := client.CreateChannel(ctx, made)
		return err
	}
	bot := func() error {
		_, err := client.CreateBot(ctx, zulip.NewBot{FullName: "Bot", ShortName: "outgoing", Type: zulip.BotOutgoingWebhook, PayloadURL: "https://example.com/", Interface: 1})
		// Beside the deleted account there is one that is just deactivated.
		former, problem := client.CreateBot(ctx, zulip.NewBot{FullName: "Former bot", ShortName: "former", Type: zulip.BotGeneric})
		return errors.Join(err, problem, client.DeactivateBot(ctx, former))
	}
	steps := []func() error{
		channel, group, bot,
		func() error { return client.CreateDefaultChannelGroup(ctx, "default", "Default", []string{"channel"}) },
		func() error {
			_, err := client.CreateLinkifier(ctx, zulip.LinkifierChange{Pattern: "#(?P<id>[0-9]+)", URLTemplate: "https://example.com/{id}"})
			return err
		},
		func() error {
			// Of fields that are not in the summary, the server leaves out that they are not.
			name, other, inSummary := "Field", "Other field", true
			_, err := client.CreateProfileField(ctx, zulip.ProfileFieldChange{Type: 1, Name: &name, Hint: &hint})
			_, problem := client.CreateProfileField(ctx, zulip.ProfileFieldChange{Type: 1, Name: &other, DisplayInProfileSummary: &inSummary})
			return errors.Join(err, problem)
		},
		func() error {
			_, err := client.AddPlayground(ctx, zulip.Playground{Name: "Playground", Language: "Python", URLTemplate: "https://example.com/{code}"})
			return err
		},
		func() error { return client.AddDomain(ctx, zulip.Domain{Domain: "example.org"}) },
		func() error { return client.UploadCustomEmoji(ctx, "emoji", "emoji.png", "image/png", picture.Bytes()) },
		func() error { return client.SetOwnStatus(ctx, zulip.StatusUpdate{Text: &text}) },
		func() error {
			_, err := client.CreateInviteLink(ctx, zulip.InviteTerms{ExpiresInMinutes: &minutes})
			return err
		},
		func() error {
			return client.Invite(ctx, zulip.NewInvitation{Email: "invited@example.com", InviteTerms: zulip.InviteTerms{ExpiresInMinutes: &minutes}})
		},
	}
	if level >= featurelevel.Since("zulip_channel_folder", "") {
		steps = append(steps, func() error { _, err := client.CreateChannelFolder(ctx, "Folder", ""); return err })
	}
	var problems []error
	for _, step := range steps {
		problems = append(problems, step())
	}
	return errors.Join(problems...)
}

// inProcess is a transport to a handler in this process.
type inProcess struct{ handler http.Handler }

// RoundTrip lets the handler answer.
func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.RequestURI = req.URL.RequestURI()
	req.RemoteAddr = "127.0.0.1:1"
	if req.Body == nil {
		req.Body = http.NoBody
	}
	defer req.Body.Close() //nolint:errcheck // it is in memory
	written := &writtenAnswer{header: http.Header{}, status: http.StatusOK}
	t.handler.ServeHTTP(written, req)
	return &http.Response{
		StatusCode: written.status, Status: http.StatusText(written.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: written.header, Body: io.NopCloser(&written.body), ContentLength: int64(written.body.Len()), Request: req,
	}, nil
}

// writtenAnswer is an answer in memory.
type writtenAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is that of the answer.
func (w *writtenAnswer) Header() http.Header { return w.header }

// WriteHeader sets the status.
func (w *writtenAnswer) WriteHeader(status int) { w.status = status }

// Write adds to the body.
func (w *writtenAnswer) Write(data []byte) (int, error) { return w.body.Write(data) }
