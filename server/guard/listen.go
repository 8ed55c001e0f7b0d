package guard

import (
	"clave/server/listen"
	"clave/server/resource"
	"clave/server/rules"
	"clave/server/token"
)

// The targets and events of live queries, for packages that may not import listen.
type (
	// Target is what a client wants to listen to.
	Target = listen.Target
	// Event is one message to a client.
	Event = listen.Event
	// Filter describes which documents a target has.
	Filter = listen.Filter
	// Bloom finds documents' names.
	Bloom = listen.Bloom
	// Shown is a document on its way to many clients.
	Shown = listen.Shown
	// EventKind is the kind of an event.
	EventKind = listen.Kind
)

// The kinds of events; package listen documents them.
const (
	EventAdded    = listen.Added
	EventRemoved  = listen.Removed
	EventCurrent  = listen.Current
	EventReset    = listen.Reset
	EventSnapshot = listen.Snapshot
	EventChanged  = listen.Changed
	EventDeleted  = listen.Deleted
	EventLeft     = listen.Left
	EventCounted  = listen.Counted
)

// Stream is one client's targets, each authorized by the rules. Run is for one goroutine; the other methods may be called by any.
type Stream struct {
	*listen.Stream
	guard  *Guard
	caller token.Caller
}

// Listen returns a stream of live queries for one client of one database. Its caller closes it.
func (g *Guard) Listen(c token.Caller, db resource.Database) *Stream {
	return &Stream{Stream: g.hub.Open(db), guard: g, caller: c}
}

// Add opens a target. The rules may deny it when it opens and at any later time.
func (s *Stream) Add(t Target) {
	if s.caller.Privileged {
		s.report(t)
		t.Authorization = listen.Unrestricted()
	} else {
		requested := t
		p := &liveTarget{guard: s.guard, caller: s.caller, db: s.Database(), target: &requested, expires: s.caller.Expires}
		t.Authorization = listen.Authorization{Key: p, Check: p.check, PerVersion: t.Query == nil, Done: func() { s.guard.watch.drop(p) }}
	}
	s.Stream.Add(t)
}

// report shows a privileged caller's target in the request monitor.
func (s *Stream) report(t Target) {
	access := s.guard.access(s.caller, s.Database(), nil)
	if !access.reported {
		return
	}
	requests := make([]*rules.Request, 0, len(t.Documents)+1)
	for _, name := range t.Documents {
		requests = append(requests, &rules.Request{Method: rules.Get, Name: name})
	}
	if t.Query != nil {
		requests = append(requests, &rules.Request{Method: rules.List, Query: t.Query})
	}
	for _, r := range requests {
		access.report(r)
	}
}
