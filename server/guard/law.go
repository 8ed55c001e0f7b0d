package guard

import (
	"context"
	"time"

	"clave/server/document"
	"clave/server/engine"
	"clave/server/fault"
	"clave/server/query"
	"clave/server/resource"
	"clave/server/rules"
	"clave/server/token"
	"clave/server/value"
)

// documents gives a document of the view that a call reads, nil when absent.
type documents func(context.Context, resource.Document) (*document.Document, error)

// law is what the rules say to the operations of one call. The zero ruleset refuses everything, a nil law nothing, and
// that of a privileged caller only tells the request monitor.
// It is used by one goroutine.
type law struct {
	book    *Rulebook
	ruleset *rules.Ruleset
	// privileged says that the rules don't bind the caller.
	privileged bool
	auth       *rules.Auth
	lookups    *rules.Lookups
	time       value.Timestamp
	before     documents
	after      documents
}

// law returns the law for a call; before gives the documents of its view. It is nil where no rules apply.
func (g *Guard) law(c token.Caller, db resource.Database, before documents) *law {
	if !g.concerned(c, db) {
		return nil
	}
	l := &law{
		book:       g.rules,
		ruleset:    g.rules.of(db),
		lookups:    rules.NewLookups(),
		privileged: c.Privileged,
		time:       value.TimestampOf(g.clock.Now()),
		before:     before,
		after:      before,
	}
	if !c.Anonymous() {
		l.auth = &rules.Auth{UID: c.UID, Claims: c.Claims}
	}
	return l
}

// Lookup implements rules.Reader.
func (l *law) Lookup(ctx context.Context, name resource.Document, after bool) (value.Map, bool, error) {
	read := l.before
	if after {
		read = l.after
	}
	d, err := read(ctx, name)
	if d == nil || err != nil {
		return nil, false, err
	}
	return d.Fields, true, nil
}

// get asks whether a document may be read; d is nil when it is absent.
func (l *law) get(ctx context.Context, name resource.Document, d *document.Document) error {
	if l == nil {
		return nil
	}
	return l.ask(ctx, &rules.Request{Method: rules.Get, Name: name, Before: d, Lookups: l.lookups})
}

// list asks whether a normalized query may be run.
func (l *law) list(ctx context.Context, q *query.Query) error {
	if l == nil {
		return nil
	}
	return l.ask(ctx, &rules.Request{Method: rules.List, Query: q})
}

// commit asks whether a commit may be done: each of its writes in turn. As with the official emulator each is judged by
// its document before the commit and after the whole of it, also when several are to the same document.
func (l *law) commit(ctx context.Context, v *engine.CheckView) error {
	if l == nil {
		return nil
	}
	l.time = value.TimestampOf(v.Time.Time().Truncate(time.Millisecond)) // as server timestamps are
	l.after = v.After
	for i := range v.Steps {
		if w := v.Steps[i].Write; w.Op != document.Verify {
			l.lookups.Writes(w.Name)
		}
	}
	for i := range v.Steps {
		step := &v.Steps[i]
		name := step.Write.Name
		before, err := v.Before(ctx, name)
		if err != nil {
			return err
		}
		request := &rules.Request{Method: methodOf(step, before), Name: name, Before: before, Lookups: l.lookups, Verify: step.Write.Op == document.Verify}
		if step.After != nil {
			if request.After, err = v.After(ctx, name); err != nil {
				return err
			}
		}
		if err := l.ask(ctx, request); err != nil {
			return err
		}
	}
	return nil
}

// methodOf returns what a write is to the rules, for the document as it was before the commit. Who says that the document
// must exist updates it, and who says that it must not creates it, even if it is otherwise: preconditions are judged
// later.
func methodOf(s *engine.Step, before *document.Document) rules.Method {
	must := s.Write.Precondition.Exists
	exists := before != nil
	if must != nil {
		exists = *must
	}
	switch {
	case s.Write.Op == document.Verify:
		return rules.Get
	case s.Write.Op == document.Delete:
		return rules.Delete
	case exists:
		return rules.Update
	}
	return rules.Create
}

// ask asks the ruleset.
func (l *law) ask(ctx context.Context, request *rules.Request) error {
	if l.ruleset == nil {
		return denied()
	}
	if l.privileged {
		l.tell(request)
		return nil
	}
	request.Auth, request.Time, request.Reader = l.auth, l.time, l
	d, err := l.ruleset.Allow(ctx, request)
	if err != nil {
		return err
	}
	if l.book.o.Cover {
		l.book.monitor.add(l.ruleset, request, &d)
	}
	switch {
	case d.Allowed:
		return nil
	case l.book.o.Detail:
		return fault.E(fault.PermissionDenied, "%s", d.Denial())
	}
	return denied()
}

// tell tells the request monitor of an operation to which the rules have nothing to say.
func (l *law) tell(request *rules.Request) {
	request.Time = l.time
	l.book.monitor.add(l.ruleset, request, &rules.Decision{Allowed: true, Privileged: true})
}
