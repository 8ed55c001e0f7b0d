package listen

import (
	"context"
	"errors"
	"slices"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// maxReplay is the maximum number of changes that are read to resume a target. If there are more, the query is run
// instead.
const maxReplay = 10000

// errTooMany ends the reading of more changes than maxReplay.
var errTooMany = errors.New("listen: too many changes to replay")

// resume sends a target whose client has its documents at a version, from: only the changes since.
//
//   - Documents are compared by their update times; no past is needed.
//   - A query without limit is resumed from the log of commits (resumeQuery): every document that changed and was or is
//     in the query. When the log has more changes than maxReplay, the query is run and its younger documents are sent
//     (resumeByTime).
//   - A query with a limit is run at both versions, and the two results are compared (resumeWindow).
//
// Documents that the client must remove are sent one by one, and as an existence filter where the recordings of
// production have one. If from is before the database's creation or the retained log, or in the future, or the client
// had no right to the query at some version since (hadRight), the target is reset and sent completely.
func (s *Stream) resume(ctx context.Context, t *activeTarget, r *engine.Reading, from clock.Version) error {
	known := from >= s.feed.engine().CreatedAt(s.feed.name) && from <= r.Version().After()
	if known && from > s.version && len(s.targets) == 1 {
		if err := s.snapshot(from); err != nil {
			return sendError{err}
		}
	}
	since := min(from, r.Version()) // A snapshot's time is later than the version at which it was read.
	var err error
	switch {
	case !known:
		err = fault.E(fault.FailedPrecondition, "The resume token is too old.")
	case t.want.Query == nil:
		return s.fillDocuments(ctx, t, r, since) // Documents are compared by their update times, so no past state is needed.
	case t.windowed():
		err = s.resumeWindow(ctx, t, r, since)
	default:
		err = s.resumeQuery(ctx, t, r, since)
	}
	if err == nil || isSend(err) || ctx.Err() != nil || !fault.Is(err, fault.FailedPrecondition) && !fault.Is(err, fault.InvalidArgument) {
		return err
	}
	if err := s.emit(&target.Event{Kind: target.Reset, Target: t.want.ID}); err != nil {
		return err
	}
	return s.fill(ctx, t, r)
}

// resumeQuery resumes a query without limit from the log of commits.
func (s *Stream) resumeQuery(ctx context.Context, t *activeTarget, r *engine.Reading, from clock.Version) error {
	h, err := s.historySince(ctx, t, from, r.Version())
	switch {
	case errors.Is(err, errTooMany):
		return s.resumeByTime(ctx, t, r, from)
	case err != nil:
		return err
	}
	if err := s.hadRight(ctx, t, r, from, h.looked); err != nil {
		return err
	}
	return s.resumeWith(ctx, t, r, h)
}

// history holds the changes of a target's documents after a version.
type history struct {
	// changes are the documents that changed and are or were in the target, each as it was and as it is.
	changes []pastChange
	// commits is the number of commits with such changes, and last the last one.
	commits int
	last    clock.Version
	// looked is set if commits changed documents on which the decision about the target depends.
	looked bool
}

// pastChange is what has happened to a document since the version that a client has.
type pastChange struct {
	document.Change
	// shown is set if the document was in the target until its last change, or still is.
	shown bool
}

// historySince returns the changes of a target after since and up to upto.
func (s *Stream) historySince(ctx context.Context, t *activeTarget, since, upto clock.Version) (h history, err error) {
	place := make(map[resource.Document]int)
	looked := 0
	err = s.feed.engine().Changes(ctx, s.feed.name, since, upto, func(c document.Commit) error {
		if looked += len(c.Changes); looked > maxReplay {
			return errTooMany
		}
		h.looked = h.looked || changesAny(c, t.looked)
		for _, change := range c.Changes {
			// Of several changes of a document the first has the state that the client has, and the last the present state.
			i, known := place[change.Name]
			shown := t.view.shows(change.Before) || t.view.shows(change.After)
			switch {
			case known:
				h.changes[i].After, h.changes[i].shown = change.After, shown
			case shown:
				place[change.Name] = len(h.changes)
				h.changes = append(h.changes, pastChange{change, true})
			default:
				continue
			}
			if h.last < c.Version {
				h.last = c.Version
				h.commits++
			}
		}
		return nil
	})
	return h, err
}

// resumeWith sends the changed documents, and a filter with which the client checks whether it has all documents. As
// recorded in production, a single commit is replayed with its own snapshot and no filter. Several commits are followed
// by a filter, which has names if the client sent the number of its documents. Unlike production, resumeWith always
// sends the documents that left, so that the client need not query everything again. It includes documents that were
// added and left meanwhile, because a client that wrote such a document itself shows it until it receives the deletion.
func (s *Stream) resumeWith(ctx context.Context, t *activeTarget, r *engine.Reading, h history) error {
	came, went := 0, 0
	for _, c := range h.changes {
		var err error
		before, after := t.view.shows(c.Before), t.view.shows(c.After)
		if after {
			came++
			err = s.emit(s.changed(t, c.After))
		} else {
			err = s.sendGone(ctx, t, r, c)
		}
		if err != nil {
			return err
		}
		if before {
			went++ // Added documents are counted in their present state.
		}
	}
	switch {
	case t.want.Expected != nil && came > 0:
		return s.count(ctx, t, r)
	case t.want.Expected != nil:
		n, err := countQuery(ctx, t.want.Query, r)
		if err != nil || int(*t.want.Expected) == n+went {
			return err // The client had all documents, and has received all changes.
		}
		return s.count(ctx, t, r)
	case h.commits == 1:
		return s.replayed(t, h.last)
	case h.commits == 0 && t.want.Resume == nil:
		return nil
	default:
		return s.count(ctx, t, r)
	}
}

// sendGone sends that a document has left a target. A client that may not get it learns nothing of what it has become
// since, neither its content nor that it was deleted.
func (s *Stream) sendGone(ctx context.Context, t *activeTarget, r *engine.Reading, c pastChange) error {
	deleted := c.After == nil && c.shown
	if !deleted && !t.want.Authorization.mayGet(ctx, r.Get, c.Name, c.After) {
		return s.emit(&target.Event{Kind: target.Left, Target: t.want.ID, Name: c.Name, ReadTime: r.Version()})
	}
	if c.After == nil {
		return s.emit(&target.Event{Kind: target.Deleted, Target: t.want.ID, Name: c.Name, ReadTime: r.Version()})
	}
	ev := s.changed(t, c.After)
	ev.Leaves = true
	return s.emit(ev)
}

// replayed ends the changes of a single commit with its snapshot.
func (s *Stream) replayed(t *activeTarget, at clock.Version) error {
	if t.want.Resume == nil || len(s.targets) > 1 || at.After() <= s.version {
		return nil
	}
	if err := s.snapshot(at.After()); err != nil {
		return sendError{err}
	}
	return nil
}

// resumeByTime sends the documents of a query that changed after the token, and the number of all. A client with a
// different number queries again.
func (s *Stream) resumeByTime(ctx context.Context, t *activeTarget, r *engine.Reading, since clock.Version) error {
	_, err := r.Query(ctx, unprojected(t.want.Query), func(d *document.Document) error {
		if d.UpdateTime <= since {
			return nil
		}
		return s.emit(s.changed(t, d))
	})
	if err != nil {
		return err
	}
	return s.count(ctx, t, r)
}

// count sends the number of a query's documents, and a filter of their names if the client sent the number of its
// documents.
func (s *Stream) count(ctx context.Context, t *activeTarget, r *engine.Reading) error {
	if t.want.Expected == nil {
		n, err := countQuery(ctx, t.want.Query, r)
		if err != nil {
			return err
		}
		return s.emit(&target.Event{Kind: target.Counted, Target: t.want.ID, Filter: &target.Filter{Count: n}})
	}
	names, err := s.names(ctx, t, r)
	if err != nil {
		return err
	}
	return s.counted(t, names)
}

// countQuery returns the number of a query's documents, from its index if possible.
func countQuery(ctx context.Context, q *query.Query, r *engine.Reading) (int, error) {
	const alias = "n"
	figures, _, err := r.Aggregate(ctx, &query.Aggregation{
		Query: unprojected(q), Fields: []query.Aggregate{{Alias: alias, Op: query.Count}},
	})
	if err != nil {
		return 0, err
	}
	n, _ := figures[alias].(value.Int)
	return int(n), nil
}

// names returns the full names of a query's documents.
func (s *Stream) names(ctx context.Context, t *activeTarget, r *engine.Reading) ([]string, error) {
	var names []string
	err := r.Names(ctx, unprojected(t.want.Query), func(name resource.Document) error {
		names = append(names, name.String())
		return nil
	})
	return names, err
}

// counted sends the number of a query's documents, given their names.
func (s *Stream) counted(t *activeTarget, names []string) error {
	f := &target.Filter{Count: len(names)}
	if t.want.Expected != nil && len(names) > 0 {
		f.Names = target.NewBloom(len(names))
		for _, name := range names {
			f.Names.Add(name)
		}
	}
	return s.emit(&target.Event{Kind: target.Counted, Target: t.want.ID, Filter: f})
}

// resumeWindow resumes a query with a limit by comparing its past result with the present one, unless no document of
// the query without its limit has changed.
func (s *Stream) resumeWindow(ctx context.Context, t *activeTarget, r *engine.Reading, from clock.Version) error {
	h, err := s.historySince(ctx, t, from, r.Version())
	switch {
	case err == nil && h.commits == 0:
		return s.resumeWith(ctx, t, r, h)
	case errors.Is(err, errTooMany):
		// The documents that were read may have changed since. Only the names of the past result are sent.
		h = history{}
		err = s.hadRightAt(ctx, t, from)
	case err == nil:
		err = s.hadRight(ctx, t, r, from, h.looked)
	}
	if err != nil {
		return err
	}
	was, err := s.shown(ctx, t.want.Query, from)
	if err != nil {
		return err
	}
	were, came := len(was), 0
	var names []string
	_, err = r.Query(ctx, unprojected(t.want.Query), func(d *document.Document) error {
		names = append(names, d.Name.String())
		old := was[d.Name]
		delete(was, d.Name)
		if old != nil && old.UpdateTime == d.UpdateTime {
			return nil
		}
		came++
		return s.emit(s.changed(t, d))
	})
	if err != nil {
		return err
	}
	quiet := came == 0 && len(was) == 0
	for _, c := range h.changes { // documents that were added and left meanwhile
		if was[c.Name] == nil && !t.view.shows(c.After) {
			if err := s.sendGone(ctx, t, r, c); err != nil {
				return err
			}
		}
	}
	if err := s.sendAllGone(ctx, t, r, was, h); err != nil {
		return err
	}
	if t.want.Expected != nil && came == 0 && int(*t.want.Expected) == were || quiet && t.want.Expected == nil && t.want.Resume == nil {
		return nil
	}
	return s.counted(t, names)
}

// shown returns the documents of a query at a version.
func (s *Stream) shown(ctx context.Context, q *query.Query, at clock.Version) (map[resource.Document]*document.Document, error) {
	reading, err := s.feed.engine().Read(ctx, s.feed.name, request.At{ReadTime: at})
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	was := make(map[resource.Document]*document.Document)
	_, err = reading.Query(ctx, unprojected(q), func(d *document.Document) error {
		was[d.Name] = d
		return nil
	})
	return was, err
}

// sendAllGone sends that documents have left a target. h may lack their changes.
func (s *Stream) sendAllGone(ctx context.Context, t *activeTarget, r *engine.Reading, was map[resource.Document]*document.Document, h history) error {
	shown := make(map[resource.Document]bool, len(h.changes))
	for _, c := range h.changes {
		shown[c.Name] = c.shown
	}
	names := make([]resource.Document, 0, len(was))
	for name := range was {
		names = append(names, name)
	}
	slices.SortFunc(names, resource.CompareDocuments)
	for _, name := range names {
		d, err := r.Get(ctx, name)
		switch {
		case err != nil:
			return err
		case d != nil && d.UpdateTime == was[name].UpdateTime:
			err = s.emit(&target.Event{Kind: target.Left, Target: t.want.ID, Name: name, ReadTime: r.Version()})
		default:
			err = s.sendGone(ctx, t, r, pastChange{document.Change{Name: name, After: d}, shown[name]})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
