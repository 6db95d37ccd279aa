package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// queueLife is the life of an event queue without requests.
const queueLife = 10 * time.Minute

// heartbeatInterval is the maximum time that a client waits for an event.
const heartbeatInterval = 45 * time.Second

// eventQueues are the queues allocated by register. Like on a real server they do not survive a restart. They hold only
// messages and heartbeats.
type eventQueues map[string]*eventQueue

type eventQueue struct {
	user     int
	used     time.Time // last use by its client
	messages bool      // the client asked for messages
	filtered bool      // the client asked for other messages than those that it receives
	view     messageView
	seen     int      // the newest message at the last look
	events   []fields // events that the client has not confirmed
	next     int      // ID of the next event
	pruned   int      // ID of the newest event that the client has confirmed; -1: none
	turn     int      // counts the requests; a later one ends an earlier one
}

func (q eventQueues) open(queue eventQueue) (id string) {
	for id, old := range q {
		if queue.used.Sub(old.used) >= queueLife {
			delete(q, id)
		}
	}
	id = newUUID()
	queue.pruned = -1
	q[id] = &queue
	return id
}

// ownQueue finds a queue of the caller.
func (r *request) ownQueue(id string) (*eventQueue, error) {
	queue, ok := r.server.queues[id]
	if !ok || queue.user != r.me.ID {
		return nil, &rules.Error{
			Code:  "BAD_EVENT_QUEUE_ID",
			Msg:   fmt.Sprintf("Bad event queue ID: %s", id),
			Extra: fields{"queue_id": id},
		}
	}
	queue.used = r.server.clock()
	return queue, nil
}

// deleteEvents is DELETE /events: it removes one of the caller's queues.
func deleteEvents(r *request) (fields, error) {
	id := required(r, "queue_id", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	if _, err := r.ownQueue(id); err != nil {
		return nil, err
	}
	delete(r.server.queues, id)
	return nil, nil
}

// errNoEvents lets a request wait, until a change handles it again.
var errNoEvents = errors.New("there are no events")

// polling is a request that waits for events.
type polling struct {
	turn     int
	timedOut bool
}

func getEvents(r *request) (fields, error) {
	id := optional(r, "queue_id", text())
	last := optional(r, "last_event_id", integer)
	dontBlock := withDefault(r, "dont_block", boolean, false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	switch {
	case id == nil:
		return nil, rules.Refuse("Missing 'queue_id' argument")
	case last == nil:
		return nil, rules.Refuse("Missing 'last_event_id' argument")
	}
	queue, err := r.ownQueue(*id)
	if err != nil {
		return nil, err
	}
	if queue.filtered {
		return nil, notSupportedError("GET /events for a queue with a narrow or with all public channels")
	}
	waited := r.polling != nil
	if !waited {
		if err := queue.prune(*last); err != nil {
			return nil, err
		}
		queue.turn++
	} else if r.polling.turn != queue.turn {
		return fields{"events": []fields{}, "queue_id": *id}, nil
	}
	r.collectMessages(queue)
	if waited && r.polling.timedOut && len(queue.events) == 0 {
		queue.add(fields{"type": "heartbeat"})
	}
	if len(queue.events) == 0 && !dontBlock {
		r.polling = &polling{turn: queue.turn}
		return nil, errNoEvents
	}
	answer := fields{"events": append([]fields{}, queue.events...)}
	if waited {
		answer["queue_id"] = *id
	}
	return answer, nil
}

// prune removes the confirmed events.
func (q *eventQueue) prune(last int) error {
	if last < q.pruned {
		return rules.Refuse("An event newer than %d has already been pruned!", last)
	}
	for first := q.next - len(q.events); first < q.next && first <= last; first++ { // their IDs have no gaps
		q.pruned = first
		q.events = q.events[1:]
	}
	if q.pruned >= 0 && q.pruned != last {
		return rules.Refuse("Event %d was not in this queue", last)
	}
	return nil
}

func (q *eventQueue) add(event fields) {
	event["id"] = q.next
	q.next++
	q.events = append(q.events, event)
}

// collectMessages adds the messages that the client's person has received since the last call.
func (r *request) collectMessages(queue *eventQueue) {
	var fresh []rules.Message
	for id, m := range r.org.Messages.Backward() {
		if id <= queue.seen {
			break
		}
		if _, received := m.Copies[queue.user]; received {
			fresh = append(fresh, m)
		}
	}
	queue.seen = max(queue.seen, r.newestMessage())
	if !queue.messages {
		return
	}
	for _, m := range slices.Backward(fresh) {
		message := r.messageObject(m, queue.view)
		flags := message["flags"]
		delete(message, "flags")
		queue.add(fields{"type": "message", "message": message, "flags": flags})
	}
}

// newestMessage is the ID of the newest message of all; 0: none exists.
func (r *request) newestMessage() int {
	for id := range r.org.Messages.Backward() {
		return id
	}
	return 0
}

// handleWhenReady handles a request. A request that waits for events is handled again after every change, until an event
// exists. nil: the client has gone.
func (s *Server) handleWhenReady(ctx context.Context, c *call) *answer {
	timeout := time.NewTimer(s.heartbeat)
	defer timeout.Stop()
	for {
		a := s.handleWithLag(c)
		if a != nil {
			return a
		}
		select {
		case <-c.changed:
		case <-timeout.C:
			c.polling.timedOut = true
		case <-s.closed:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}
