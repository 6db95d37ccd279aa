package zulip

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
)

// params are the parameters of a call, by name. A [text] is a plain parameter, any other value a JSON one. A nil pointer is
// not sent. A nil list is sent, as null, which the server refuses: to subscribe no users must not subscribe the account.
type params map[string]any

// text is the value of a plain parameter.
type text string

// when returns a value to send if a condition holds, and otherwise nil, which is not sent.
func when[T any](isSent bool, value T) *T {
	if !isSent {
		return nil
	}
	return &value
}

func (p params) form() *Form {
	form := &Form{}
	for name, value := range p {
		if pointer := reflect.ValueOf(value); pointer.Kind() == reflect.Pointer {
			if pointer.IsNil() {
				continue
			}
			value = pointer.Elem().Interface()
		}
		if plain, ok := value.(text); ok {
			form.Text(name, string(plain))
		} else {
			form.JSON(name, value)
		}
	}
	return form
}

// do sends a call whose answer holds no data.
func (c *Client) do(ctx context.Context, method, path string, form *Form, policy retryPolicy) error {
	_, err := c.send(ctx, method, path, form, policy, nil)
	return err
}

// sendFor sends a call and returns one field of the answer; the zero value if the answer does not have it.
func sendFor[T any](ctx context.Context, c *Client, method, path string, form *Form, policy retryPolicy, name string) (value T, err error) {
	_, err = c.send(ctx, method, path, form, policy, &field{name, &value})
	return value, err
}

// field decodes one field of an answer and skips the others.
type field struct {
	name string
	into any
}

// UnmarshalJSON reads the answer.
func (f *field) UnmarshalJSON(data []byte) error {
	var all map[string]json.RawMessage
	err := json.Unmarshal(data, &all)
	if raw := all[f.name]; err == nil && raw != nil {
		err = json.Unmarshal(raw, f.into)
	}
	return err
}

// list reads the objects in a field of the answer.
func list[T any](ctx context.Context, c *Client, path string, form *Form, name string) ([]*T, error) {
	all, err := sendFor[[]*T](ctx, c, http.MethodGet, path, form, safeToRetry, name)
	return withoutNull(all), err
}

// one reads the object in a field of the answer.
func one[T any](ctx context.Context, c *Client, path string, form *Form, name string) (*T, error) {
	object, err := sendFor[*T](ctx, c, http.MethodGet, path, form, safeToRetry, name)
	if err == nil && object == nil {
		err = fmt.Errorf("GET %s: the answer holds no %s", path, name)
	}
	return object, err
}

// create creates an object and returns its ID, which is in a field of the answer.
func (c *Client) create(ctx context.Context, path string, form *Form, policy retryPolicy, name string) (int64, error) {
	return sendFor[int64](ctx, c, http.MethodPost, path, form, policy, name)
}

// remove deletes an object. It is not an error if the object no longer exists.
func (c *Client) remove(ctx context.Context, path string, isGone func(error) bool) error {
	return unless(isGone, c.do(ctx, http.MethodDelete, path, nil, safeToRetry))
}

// unless returns an error that is not of one kind: the kind that means there was nothing to do.
func unless(isDone func(error) bool, err error) error {
	if isDone(err) {
		return nil
	}
	return err
}

// says returns whether an error is a refusal with one of these messages.
func says(messages ...string) func(error) bool {
	return func(err error) bool { return IsMessage(err, messages...) }
}

// itemPath is the path of one of several objects.
func itemPath(path string, id int64) string { return path + "/" + strconv.FormatInt(id, 10) }
