package events

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"clave/server/triggers"
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

// lane is the queue of one document's events, in the order of commits. The first event may be in delivery.
type lane struct {
	path  string
	queue []*event
	busy  bool
	// due is the time at which the first event is to be delivered, and index the lane's index in the heap, -1 if it is
	// not in the heap.
	due   time.Time
	index int
}

// insert adds an event in the order of versions, but never before one that is in delivery.
func (l *lane) insert(e *event) {
	i, _ := slices.BinarySearchFunc(l.queue, e, func(a, b *event) int { return cmp.Compare(a.version, b.version) })
	if i == 0 && l.busy {
		i = 1
	}
	l.queue = slices.Insert(l.queue, i, e)
}

// late reports whether an event of the lane is in the store: then later ones must be too.
func (l *lane) late() bool {
	return slices.ContainsFunc(l.queue, func(e *event) bool { return e.late })
}

// lanes are the lanes of a trigger, with a heap of the idle ones, ordered by the time at which they are due.
type lanes struct {
	byPath map[string]*lane
	idle   laneHeap
}

// schedule puts a lane into the heap, or removes it once it is empty.
func (s *lanes) schedule(l *lane) {
	switch {
	case l.busy:
	case len(l.queue) == 0:
		delete(s.byPath, l.path)
		if l.index >= 0 {
			heap.Remove(&s.idle, l.index)
		}
	default:
		l.due = l.queue[0].meta.Due
		if l.index >= 0 {
			heap.Fix(&s.idle, l.index)
		} else {
			heap.Push(&s.idle, l)
		}
	}
}

// add adds an event to its document's lane.
func (s *lanes) add(e *event) {
	l := s.byPath[e.path]
	if l == nil {
		l = &lane{path: e.path, index: -1}
		s.byPath[e.path] = l
	}
	l.insert(e)
	s.schedule(l)
}

// take returns the lane that has been due longest, and marks it as busy. If none is due, it returns nil and the time
// until one is; a negative time means that there is none.
func (s *lanes) take(now time.Time) (l *lane, wait time.Duration) {
	if len(s.idle) == 0 {
		return nil, -1
	}
	first := s.idle[0]
	if wait := first.due.Sub(now); wait > 0 {
		return nil, wait
	}
	heap.Pop(&s.idle)
	first.busy = true
	return first, 0
}

// laneHeap implements heap.Interface.
type laneHeap []*lane

// Len implements heap.Interface.
func (h laneHeap) Len() int { return len(h) }

// Less implements heap.Interface.
func (h laneHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }

// Swap implements heap.Interface.
func (h laneHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *laneHeap) Push(x any) {
	l := x.(*lane)
	l.index = len(*h)
	*h = append(*h, l)
}

// Pop implements heap.Interface.
func (h *laneHeap) Pop() any {
	old := *h
	l := old[len(old)-1]
	old[len(old)-1] = nil
	l.index = -1
	*h = old[:len(old)-1]
	return l
}
