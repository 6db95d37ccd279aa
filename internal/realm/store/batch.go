package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Callers that ask at about the same time share one request (group commit). A caller that asks while a request is under
// way shares the next request, so that no answer is older than its question. Waiting for others costs a run little,
// because Terraform takes some 5 to 50 ms between one resource and the next.
const (
	// workers is the number of resources that Terraform works on concurrently by default. When so many callers ask, a
	// request starts immediately.
	workers = 10
	// quiet is the pause in questions before a request that other callers are likely to share. brief is the pause if
	// that is unlikely, or if other callers ask within milliseconds.
	quiet = 100 * time.Millisecond
	brief = quiet / 10
	// patience is the maximum time that a request waits for other callers, for writes, and for the previous request.
	patience = time.Second
	// ifScarce is the factor for both pauses near the server's rate limit. With the default limit, one saved request is
	// worth a third of a second.
	ifScarce = 3
)

// batcher combines questions that are asked at the same time into one request.
type batcher[Q, A any] struct {
	// ask answers questions. It calls sent when the request is about to leave.
	ask func(ctx context.Context, questions []Q, sent func()) (A, error)
	// quiet returns the pause in questions before the request starts. If quiet is nil, the pause is brief.
	quiet func(questions []Q) time.Duration
	// isBusy reports whether active callers are going to ask; nil if that is not known.
	isBusy func() bool
	// isScarce reports whether requests are scarce; nil if they are not.
	isScarce func() bool
	// covers reports whether the request for some questions also answers another. Such a question can join until the
	// request leaves, which the rate limit can delay. nil means that it never does.
	covers func(questions []Q, question Q) bool
	// isUrgent reports whether a question is asked without waiting for others, if it is the first such question for a
	// while and no caller is active. If isUrgent is nil, no question is.
	isUrgent func(Q) bool
	// oneAtATime is true if a request starts immediately because no other caller is going to ask.
	oneAtATime bool

	mu       sync.Mutex
	open     *batch[Q, A]   // the batch that new callers join; nil if the next caller begins one
	leaving  []*batch[Q, A] // batches whose requests have started but not left
	underWay int            // batches whose requests are not answered
	asked    time.Time      // time of the last urgent question
}

// batch is one request, and the callers that wait for it.
type batch[Q, A any] struct {
	questions []Q
	urgent    bool
	joined    chan struct{} // signals each question
	full      chan struct{} // closed when as many callers ask as there are workers
	answer    A
	err       error
	done      chan struct{}
}

// do asks a question, together with others. place is its index in the questions.
func (b *batcher[Q, A]) do(ctx context.Context, question Q) (answer A, place int, err error) {
	mine, place := b.join(ctx, question)
	select {
	case <-ctx.Done():
		return answer, place, context.Cause(ctx)
	case <-mine.done:
		return mine.answer, place, mine.err
	}
}

// join adds a question to the batch that answers it, or begins a new batch.
func (b *batcher[Q, A]) join(ctx context.Context, question Q) (mine *batch[Q, A], place int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	urgent := b.isUrgent != nil && b.isUrgent(question)
	alone := b.open == nil && b.underWay == 0 && time.Since(b.asked) >= patience && (b.isBusy == nil || !b.isBusy())
	if urgent {
		b.asked = time.Now()
	}
	for _, leaving := range b.leaving {
		if b.covers(leaving.questions, question) {
			return leaving, 0
		}
	}
	if b.open == nil {
		b.open = &batch[Q, A]{
			urgent: urgent && alone,
			joined: make(chan struct{}, 1), full: make(chan struct{}), done: make(chan struct{}),
		}
		// The first caller may give up, but the others still need the answer.
		go b.run(context.WithoutCancel(ctx), b.open)
	}
	mine, place = b.open, len(b.open.questions)
	mine.questions = append(mine.questions, question)
	if len(mine.questions) == workers {
		close(mine.full)
	}
	select {
	case mine.joined <- struct{}{}:
	default: // one signal is enough for several questions
	}
	return mine, place
}

// run waits for other callers, and sends the request.
func (b *batcher[Q, A]) run(ctx context.Context, current *batch[Q, A]) {
	if !current.urgent && !b.oneAtATime {
		b.await(current)
	}
	b.mu.Lock()
	b.open = nil
	b.underWay++
	questions := current.questions
	if b.covers != nil {
		b.leaving = append(b.leaving, current)
	}
	b.mu.Unlock()

	sent := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.leaving = slices.DeleteFunc(b.leaving, func(one *batch[Q, A]) bool { return one == current })
	}
	current.answer, current.err = b.ask(ctx, questions, sent)
	sent() // if it never left

	b.mu.Lock()
	b.underWay--
	b.mu.Unlock()
	close(current.done)
}

// await returns after a pause in questions if no active caller is going to ask, when every caller has asked, or at
// the time limit.
func (b *batcher[Q, A]) await(current *batch[Q, A]) {
	longer := time.Duration(1)
	if b.isScarce != nil && b.isScarce() {
		longer = ifScarce
	}
	end := time.After(longer * patience)
	for {
		moment := time.NewTimer(longer * b.quietFor(current))
		select {
		case <-current.joined:
			moment.Stop()
			continue
		case <-moment.C:
			if b.isAwaited() {
				continue
			}
		case <-current.full:
			moment.Stop()
		case <-end:
			moment.Stop()
		}
		return
	}
}

func (b *batcher[Q, A]) quietFor(current *batch[Q, A]) time.Duration {
	if b.quiet == nil {
		return brief
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.quiet(current.questions)
}

// isAwaited reports whether other callers are active, or wait for a request under way.
func (b *batcher[Q, A]) isAwaited() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.underWay > 0 || b.isBusy != nil && b.isBusy()
}

// own has the account's own objects, the invitations that it sees, and the messages that resources ask for. These are
// not in the snapshot. Each kind is read on first use, once for all resources.
type own struct {
	drafts        kept[[]*zulip.Draft]
	scheduled     kept[[]*zulip.ScheduledMessage]
	invitations   kept[[]*zulip.Invitation]
	subscriptions kept[map[int64]*zulip.Subscription]
	messages      batcher[int64, messages]
	newDrafts     batcher[zulip.Draft, []int64]
}

// messages are the messages that were read, by ID, and the errors of others.
type messages struct {
	found  map[int64]*zulip.Message
	failed map[int64]error
}

func (o *own) init(s *Store) {
	o.drafts.read = s.client.Drafts
	o.scheduled.read = s.client.ScheduledMessages
	o.invitations.read = s.client.Invitations
	o.subscriptions.read = s.readSubscriptions
	o.messages.ask = s.readMessages
	o.newDrafts.ask = func(ctx context.Context, drafts []zulip.Draft, _ func()) ([]int64, error) {
		return s.client.CreateDrafts(ctx, drafts)
	}
}

// Drafts returns the account's drafts.
func (s *Store) Drafts(ctx context.Context) ([]*zulip.Draft, error) { return s.own.drafts.get(ctx) }

// CreateDraft stores a draft. Drafts that are stored at the same time share one request. If the server refuses one of
// them, it stores none, and each is then sent separately.
func (s *Store) CreateDraft(ctx context.Context, draft zulip.Draft) (int64, error) {
	defer s.own.drafts.forget()
	var ids []int64
	var place int
	err := zulip.Write(ctx, func(ctx context.Context) (err error) {
		ids, place, err = s.own.newDrafts.do(ctx, draft)
		return err
	})
	if err == nil {
		return ids[place], nil
	}
	if zulip.MayHaveHappened(err) {
		return 0, err
	}
	ids, err = s.client.CreateDrafts(ctx, []zulip.Draft{draft})
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// ScheduledMessages returns the account's scheduled messages that are not yet delivered.
func (s *Store) ScheduledMessages(ctx context.Context) ([]*zulip.ScheduledMessage, error) {
	return s.own.scheduled.get(ctx)
}

// Invitations returns the pending invitations that the account sees.
func (s *Store) Invitations(ctx context.Context) ([]*zulip.Invitation, error) {
	return s.own.invitations.get(ctx)
}

// Subscription returns the account's own settings of a channel; nil if it is not in the channel.
func (s *Store) Subscription(ctx context.Context, channel int64) (*zulip.Subscription, error) {
	all, err := s.own.subscriptions.get(ctx)
	return all[channel], err
}

func (s *Store) readSubscriptions(ctx context.Context) (map[int64]*zulip.Subscription, error) {
	list, err := s.client.Subscriptions(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[int64]*zulip.Subscription, len(list))
	for _, subscription := range list {
		all[subscription.ChannelID] = subscription
	}
	return all, nil
}

// Message reads the current message; nil if it no longer exists, or the account can't read it. Concurrent callers share
// one request.
func (s *Store) Message(ctx context.Context, id int64) (*zulip.Message, error) {
	read, _, err := s.own.messages.do(ctx, id)
	if err == nil {
		err = read.failed[id]
	}
	return read.found[id], err
}

// readMessages reads messages. A message that the one request does not find may be in a channel that the account is
// not subscribed to, and is read separately.
func (s *Store) readMessages(ctx context.Context, ids []int64, _ func()) (messages, error) {
	read := messages{map[int64]*zulip.Message{}, map[int64]error{}}
	if len(ids) > 1 {
		list, err := s.client.Messages(ctx, ids)
		if err != nil {
			return messages{}, fmt.Errorf("reading the messages: %w", err)
		}
		for _, message := range list {
			read.found[message.ID] = message
		}
	}
	for _, id := range ids {
		if _, ok := read.found[id]; ok {
			continue
		}
		message, err := s.client.Message(ctx, id)
		if err != nil && !zulip.IsNoMessage(err) {
			read.failed[id] = err
			continue
		}
		read.found[id] = message
	}
	return read, nil
}

// EmojiNames returns the codes of the standard emoji by name, which are read once; nil if the server does not provide
// them.
func (s *Store) EmojiNames(ctx context.Context) (map[string]string, error) { return s.emoji.get(ctx) }

func (s *Store) readEmojiNames(ctx context.Context) (map[string]string, error) {
	current, err := s.need(ctx, []Part{Organization})
	if err != nil || current.Realm().EmojiDataURL == "" {
		return nil, err
	}
	names, err := s.client.EmojiNames(ctx, current.Realm().EmojiDataURL)
	if err != nil {
		tflog.Info(ctx, "Cannot read the names of the emoji: the server checks them when they are used", map[string]any{"error": err.Error()})
	}
	return names, nil
}
