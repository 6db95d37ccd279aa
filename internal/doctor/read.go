package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// answer is what a server answered to one request, without the values.
type answer struct {
	path  string
	shape *shape
	body  map[string]json.RawMessage // of a success; the fields are taken from it as they are needed
	// refused says why there is none: the code of the server's refusal.
	refused string
}

// envelope are the fields that every answer has.
var envelope = []string{"result", "msg", "ignored_parameters_unsupported"}

// answers are those of one server, by path.
type answers struct {
	order  []string
	byPath map[string]*answer
}

// capture keeps the last successful answer to each request.
type capture struct {
	mu     sync.Mutex
	bodies map[string][]byte
}

// observe is a [zulip.Observer].
func (c *capture) observe(_, path string, status int, body []byte) {
	if status != http.StatusOK {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bodies == nil {
		c.bodies = map[string][]byte{}
	}
	c.bodies[path] = body
}

// take returns the answer to a request, and forgets it.
func (c *capture) take(path string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	body := c.bodies[path]
	delete(c.bodies, path)
	return body
}

// The paths that more than one part of this package names.
const (
	serverSettingsPath = "/server_settings"
	ownAccountPath     = "/users/me"
	registerPath       = "/register"
)

// reader reads a server with the client's own calls, and looks at the answers before they are decoded.
type reader struct {
	client  *zulip.Client
	capture *capture
	answers answers
}

func newReader(config zulip.Config) (*reader, error) {
	captured := &capture{}
	config.Observe = captured.observe
	client, err := zulip.New(config)
	if err != nil {
		return nil, err
	}
	return &reader{client, captured, answers{byPath: map[string]*answer{}}}, nil
}

// read makes a call. What the client cannot decode is not an error here: it is found when the answer is compared.
func (r *reader) read(path string, call func() error) error {
	err := call()
	read := &answer{path: path, shape: newShape(nil)}
	var refusal *zulip.Error
	var notThere *zulip.NotZulipError
	body := r.capture.take(path)
	switch {
	case body != nil:
		if problem := json.Unmarshal(body, &read.body); problem != nil {
			return fmt.Errorf("%s: the answer is not JSON: %w", path, errors.Join(err, problem))
		}
		for _, name := range envelope {
			delete(read.body, name)
		}
		read.shape.types[typeObject]++
		for name, value := range read.body {
			field := newShape(zulip.AnswerType(path, name))
			if problem := field.add(value); problem != nil {
				return fmt.Errorf("%s: %w", path, problem)
			}
			read.shape.fields[name] = field
		}
	case errors.As(err, &notThere) && notThere.Status == http.StatusNotFound && path != serverSettingsPath && path != ownAccountPath && path != registerPath:
		read.refused = "not there (404)"
	case errors.As(err, &refusal) && refusal.Status < http.StatusInternalServerError && path != serverSettingsPath && path != ownAccountPath && path != registerPath:
		read.refused = fmt.Sprintf("refused with status %d", refusal.Status)
	default:
		return err
	}
	r.answers.order = append(r.answers.order, path)
	r.answers.byPath[path] = read
	return nil
}

// readServer reads what the server says of itself and of the account.
func (r *reader) readServer(ctx context.Context) error {
	if err := r.read(serverSettingsPath, func() error { _, err := r.client.ServerSettings(ctx); return err }); err != nil {
		return err
	}
	return r.read(ownAccountPath, func() error { _, err := r.client.Me(ctx); return err })
}

// readAll reads what the provider reads of an organization.
func (r *reader) readAll(ctx context.Context, level int) error {
	err := r.read(registerPath, func() error { _, err := r.client.Register(ctx, zulip.FetchAll); return err })
	if err != nil {
		return err
	}
	if queue, ok := field[string](r.answers.byPath[registerPath], "queue_id"); ok {
		_ = r.client.DeleteQueue(ctx, queue) // the server drops it by itself
	}
	c := r.client
	for _, one := range []struct {
		path string
		call func() error
	}{
		{"/users", func() error { _, err := c.Users(ctx, true); return err }},
		{"/streams", func() error { _, err := c.Channels(ctx, level); return err }},
		{"/user_groups", func() error { _, err := c.UserGroups(ctx, level); return err }},
		{"/channel_folders", func() error { _, err := c.ChannelFolders(ctx); return err }},
		{"/invites", func() error { _, err := c.Invitations(ctx); return err }},
		{"/bots", func() error { _, err := c.OwnBots(ctx); return err }},
		{"/realm/linkifiers", func() error { _, err := c.Linkifiers(ctx); return err }},
		{"/realm/profile_fields", func() error { _, err := c.ProfileFields(ctx); return err }},
		{"/users/me/subscriptions", func() error { _, err := c.Subscriptions(ctx); return err }},
	} {
		if err := r.read(one.path, one.call); err != nil {
			return err
		}
	}
	return nil
}

// field decodes a field of an answer; ok is false if it is not there, or of another type.
func field[T any](from *answer, name string) (value T, ok bool) {
	raw, ok := from.body[name]
	return value, ok && json.Unmarshal(raw, &value) == nil
}

// objects decodes the objects of a list in an answer. One that cannot be decoded is left out: it has another type, which is
// found where types are compared.
func objects[T any](from *answer, list string) (all []T) {
	rows, _ := field[[]json.RawMessage](from, list)
	for _, row := range rows {
		var object T
		if json.Unmarshal(row, &object) == nil {
			all = append(all, object)
		}
	}
	return all
}
