package zulip

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// interrupted makes calls in a change that is interrupted while the server has the first of them, which it answers after so
// long, or never.
func interrupted(t *testing.T, answers time.Duration, calls func(context.Context, *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		server := roundTripper(func(req *http.Request) (*http.Response, error) {
			sent++
			if sent > 1 || answers == 0 {
				return answerOf(http.StatusOK, http.Header{}, ok), nil
			}
			select {
			case <-time.After(answers):
				return answerOf(http.StatusOK, http.Header{}, ok), nil
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		})
		client, err := New(Config{Site: "https://chat.example.com", Email: testEmail, APIKey: testKey, Transport: server})
		if err != nil {
			t.Fatal(err)
		}
		client.limiter = newRequestLimiter(0)
		ctx, change := NewChange(t.Context())
		defer change.End()
		time.AfterFunc(time.Second, change.Interrupt)
		calls(ctx, client)
	})
}

func ask(ctx context.Context, c *Client, method string) error {
	_, err := c.send(ctx, method, "/thing", nil, neverRetry, nil)
	return err
}

func TestInterruptedChangeFinishesWhatItSent(t *testing.T) {
	interrupted(t, 5*time.Second, func(ctx context.Context, c *Client) {
		for _, method := range []string{http.MethodPost, http.MethodPatch, http.MethodGet} {
			if err := ask(ctx, c, method); err != nil {
				t.Error(err)
			}
		}
		pass(timeToWrite)
		if err := ask(ctx, c, http.MethodPatch); !errors.Is(err, ErrInterrupted) || MayHaveHappened(err) {
			t.Errorf("a write after the time for writes: %v", err)
		}
		if err := ask(ctx, c, http.MethodGet); err != nil {
			t.Error(err)
		}
		pass(timeToRead)
		if err := ask(ctx, c, http.MethodGet); !errors.Is(err, ErrInterrupted) {
			t.Errorf("a read after the time for reads: %v", err)
		}
	})
}

func TestInterruptedChangeLooksAfterALostAnswer(t *testing.T) {
	interrupted(t, time.Minute, func(ctx context.Context, c *Client) {
		began := time.Now()
		if err := ask(ctx, c, http.MethodPost); !errors.Is(err, ErrInterrupted) || !MayHaveHappened(err) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != time.Second+timeToWrite {
			t.Errorf("waited %v for the answer", took)
		}
		if err := Sleep(ctx, FirstPause); err != nil {
			t.Error(err)
		}
		if err := ask(ctx, c, http.MethodGet); err != nil {
			t.Errorf("to look after it: %v", err)
		}
		if !IsInterrupted(ctx) {
			t.Error("it was interrupted")
		}
	})
}

func TestInterruptedChangeBeginsNothing(t *testing.T) {
	interrupted(t, 0, func(ctx context.Context, c *Client) {
		if err := ask(ctx, c, http.MethodGet); err != nil {
			t.Error(err)
		}
		pass(2 * time.Second)
		if err := ask(ctx, c, http.MethodPost); !errors.Is(err, ErrInterrupted) || MayHaveHappened(err) {
			t.Errorf("got %v", err)
		}
	})
}

// What waits for the rate limit has changed nothing: it does not go on waiting.
func TestInterruptedChangeDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &limitedServer{rules: []rule{{1, time.Hour}}}
		server.use(1, time.Now())
		ctx, change := NewChange(t.Context())
		defer change.End()
		time.AfterFunc(time.Minute, change.Interrupt)
		c := server.process(t)
		c.hasWritten.Store(true)
		began := time.Now()
		if err := ask(ctx, c, http.MethodPost); !errors.Is(err, ErrInterrupted) || MayHaveHappened(err) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("waited %v", took)
		}
	})
}

// Several changes can be written by one request: each of them waits for it.
func TestInterruptedChangesShareAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, change := NewChange(t.Context())
		defer change.End()
		time.AfterFunc(time.Second, change.Interrupt)
		err := Write(ctx, func(ctx context.Context) error { return Sleep(ctx, 5*time.Second) })
		if err != nil || ctx.Err() != nil {
			t.Errorf("got %v, %v", err, ctx.Err())
		}
		refusal := &Error{Status: http.StatusBadRequest}
		if err = Write(ctx, func(context.Context) error { return refusal }); !errors.Is(err, refusal) || ctx.Err() != nil {
			t.Errorf("what was written first is still to be read: %v, %v", err, ctx.Err())
		}
	})
}
