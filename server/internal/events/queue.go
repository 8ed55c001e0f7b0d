package events

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"clave/server/internal/suite/triggers"
)

// event is an event to deliver.
type event struct {
	place
	// meta is its record, which is in the store if late is set. Then message is nil except during an attempt.
	meta    *meta
	late    bool
	message *triggers.Message
	// mark is the event's commit, which is done once its events are delivered or stored; nil for a late event.
	mark *mark
}

// docQueue is the queue of one document's events, in the order of commits.
type docQueue struct {
	path   string
	events []*event
	// sending is the event in delivery, nil if none is. It is the first of events until its result is recorded.
	sending *event
	// due is the time at which the first event is to be delivered, and index the queue's index in the heap, -1 if it is
	// not in the heap.
	due   time.Time
	index int
}

// insert adds an event in the order of versions, but never before one that is in delivery.
func (q *docQueue) insert(e *event) {
	i, _ := slices.BinarySearchFunc(q.events, e, func(a, b *event) int { return cmp.Compare(a.version, b.version) })
	if i == 0 && len(q.events) > 0 && q.events[0] == q.sending {
		i = 1
	}
	q.events = slices.Insert(q.events, i, e)
}

// late reports whether an event of the queue is in the store: then later ones must be too.
func (q *docQueue) late() bool {
	return slices.ContainsFunc(q.events, func(e *event) bool { return e.late })
}

// docQueues are the queues of a trigger, with a heap of the idle ones, ordered by the time at which they are due.
type docQueues struct {
	byPath map[string]*docQueue
	idle   queueHeap
}

// schedule puts a queue into the heap, or removes it once it is empty.
func (s *docQueues) schedule(q *docQueue) {
	switch {
	case q.sending != nil:
	case len(q.events) == 0:
		delete(s.byPath, q.path)
		if q.index >= 0 {
			heap.Remove(&s.idle, q.index)
		}
	default:
		q.due = q.events[0].meta.Due
		if q.index >= 0 {
			heap.Fix(&s.idle, q.index)
		} else {
			heap.Push(&s.idle, q)
		}
	}
}

// add adds an event to its document's queue.
func (s *docQueues) add(e *event) {
	q := s.byPath[e.path]
	if q == nil {
		q = &docQueue{path: e.path, index: -1}
		s.byPath[e.path] = q
	}
	q.insert(e)
	s.schedule(q)
}

// take returns the queue that has been due longest, and its first event as in delivery. If none is due, it returns nil
// and the time until one is; a negative time means that there is none.
func (s *docQueues) take(now time.Time) (q *docQueue, wait time.Duration) {
	if len(s.idle) == 0 {
		return nil, -1
	}
	first := s.idle[0]
	if wait := first.due.Sub(now); wait > 0 {
		return nil, wait
	}
	heap.Pop(&s.idle)
	first.sending = first.events[0]
	return first, 0
}

// queueHeap implements heap.Interface.
type queueHeap []*docQueue

// Len implements heap.Interface.
func (h queueHeap) Len() int { return len(h) }

// Less implements heap.Interface.
func (h queueHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }

// Swap implements heap.Interface.
func (h queueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *queueHeap) Push(x any) {
	q := x.(*docQueue)
	q.index = len(*h)
	*h = append(*h, q)
}

// Pop implements heap.Interface.
func (h *queueHeap) Pop() any {
	old := *h
	q := old[len(old)-1]
	old[len(old)-1] = nil
	q.index = -1
	*h = old[:len(old)-1]
	return q
}
