package listen

import (
	"context"
	"errors"
	"slices"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/engine"
	"clave/server/fault"
	"clave/server/query"
	"clave/server/resource"
)

// maxReplay is how many changes are looked through to resume a target; when there are more, the query is asked instead.
const maxReplay = 10000

// errTooMany ends a look through more changes than maxReplay.
var errTooMany = errors.New("listen: too many changes to replay")

// resume opens a target whose client has what it showed at a version: only what has changed since is sent. When that
// can't be known any more, the target is reset.
func (s *Stream) resume(ctx context.Context, t *target, since clock.Version) error {
	e := s.follower.engine()
	known := since >= e.Birth(s.follower.name) && since <= e.Latest(s.follower.name)
	if known && since > s.version && len(s.targets) == 1 {
		if err := s.snapshot(since); err != nil {
			return sendError{err}
		}
	}
	var err error
	switch {
	case !known:
		err = tooOld()
	case t.want.Query == nil:
		err = s.resumeDocuments(ctx, t, since)
	case t.windowed():
		err = s.resumeWindow(ctx, t, since)
	default:
		err = s.resumeQuery(ctx, t, since)
	}
	if err == nil || isSend(err) || ctx.Err() != nil || !fault.Is(err, fault.FailedPrecondition) && !fault.Is(err, fault.InvalidArgument) {
		return err
	}
	if err := s.emit(&Event{Kind: Reset, Target: t.want.ID}); err != nil {
		return err
	}
	return s.fill(ctx, t)
}

// tooOld is the reason to reset a target whose token is from a time that isn't known.
func tooOld() error { return fault.E(fault.FailedPrecondition, "The resume token is too old.") }

// resumeDocuments resumes a target of documents; what is there is compared by its update time, so no past is needed.
func (s *Stream) resumeDocuments(ctx context.Context, t *target, since clock.Version) error {
	reading, err := s.follower.engine().Read(ctx, s.follower.name, engine.At{})
	if err != nil {
		return err
	}
	defer reading.Close()
	if err := s.join(ctx, t, reading.Version()); err != nil {
		return err
	}
	if err := s.fillDocuments(ctx, t, reading, since); err != nil {
		return err
	}
	return s.current(t, reading.Version())
}

// resumeQuery resumes a query without limit from the log of commits.
func (s *Stream) resumeQuery(ctx context.Context, t *target, since clock.Version) error {
	e := s.follower.engine()
	reading, err := e.Read(ctx, s.follower.name, engine.At{})
	if err != nil {
		return err
	}
	defer reading.Close()
	v := reading.Version()
	changes, err := s.changesSince(ctx, t, since, v)
	switch {
	case errors.Is(err, errTooMany):
		if err := s.join(ctx, t, v); err != nil {
			return err
		}
		return s.resumeByTime(ctx, t, reading, since)
	case err != nil:
		return err
	}
	if err := s.join(ctx, t, v); err != nil {
		return err
	}
	return s.resumeWith(ctx, t, reading, changes)
}

// changesSince returns the documents that changed after since and up to upto and are or were in the target, each as it
// was and as it is.
func (s *Stream) changesSince(ctx context.Context, t *target, since, upto clock.Version) ([]engine.Change, error) {
	place := make(map[resource.Document]int)
	var changes []engine.Change
	looked := 0
	err := s.follower.engine().Changes(ctx, s.follower.name, since, upto, func(c engine.Commit) error {
		if looked += len(c.Changes); looked > maxReplay {
			return errTooMany
		}
		for _, change := range c.Changes {
			if i, ok := place[change.Name]; ok {
				changes[i].After = change.After
				continue
			}
			if t.view.shows(change.Before) || t.view.shows(change.After) {
				place[change.Name] = len(changes)
				changes = append(changes, change)
			}
		}
		return nil
	})
	return changes, err
}

// resumeWith sends what became of changed documents, then how many there are if the client asked.
func (s *Stream) resumeWith(ctx context.Context, t *target, r *engine.Reading, changes []engine.Change) error {
	v := r.Version()
	for _, c := range changes {
		var err error
		switch {
		case !t.view.shows(c.Before) && !t.view.shows(c.After): // It came and went.
			continue
		case t.view.shows(c.After):
			err = s.emit(s.changed(t, c.After))
		case c.After == nil:
			err = s.emit(&Event{Kind: Deleted, Target: t.want.ID, Name: c.Name, ReadTime: v})
		default:
			ev := s.changed(t, c.After)
			ev.Leaves = true
			err = s.emit(ev)
		}
		if err != nil {
			return err
		}
	}
	if t.want.Expected != nil || len(changes) > 0 {
		if err := s.count(ctx, t, r); err != nil {
			return err
		}
	}
	return s.current(t, v)
}

// resumeByTime sends the documents of a query that are younger than the token, and their number, by which the client
// finds out what has gone.
func (s *Stream) resumeByTime(ctx context.Context, t *target, r *engine.Reading, since clock.Version) error {
	_, err := r.Query(ctx, whole(t.want.Query), func(d *document.Document) error {
		if d.UpdateTime <= since {
			return nil
		}
		return s.emit(s.changed(t, d))
	})
	if err != nil {
		return err
	}
	if err := s.count(ctx, t, r); err != nil {
		return err
	}
	return s.current(t, r.Version())
}

// count sends how many documents a query has, and a filter of their names if the client told how many it has.
func (s *Stream) count(ctx context.Context, t *target, r *engine.Reading) error {
	var names []string
	q := whole(t.want.Query)
	q.HasSelect, q.Select = true, nil
	_, err := r.Query(ctx, q, func(d *document.Document) error {
		names = append(names, d.Name.String())
		return nil
	})
	if err != nil {
		return err
	}
	return s.counted(t, names)
}

// counted sends how many documents a query has, given their names.
func (s *Stream) counted(t *target, names []string) error {
	f := &Filter{Count: len(names)}
	if t.want.Expected != nil && len(names) > 0 {
		f.Names = newBloom(len(names))
		for _, name := range names {
			f.Names.add(name)
		}
	}
	return s.emit(&Event{Kind: Counted, Target: t.want.ID, Filter: f})
}

// resumeWindow resumes a query with a limit by comparing what it showed with what it shows.
func (s *Stream) resumeWindow(ctx context.Context, t *target, since clock.Version) error {
	was, err := s.shown(ctx, t.want.Query, since)
	if err != nil {
		return err
	}
	docs, v, err := s.window(ctx, t)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(docs))
	for _, d := range docs {
		names = append(names, d.Name.String())
		if old := was[d.Name]; old == nil || old.UpdateTime != d.UpdateTime {
			if err := s.emit(s.changed(t, d)); err != nil {
				return err
			}
		}
		delete(was, d.Name)
	}
	if err := s.gone(ctx, t, was, v); err != nil {
		return err
	}
	if err := s.counted(t, names); err != nil {
		return err
	}
	return s.current(t, v)
}

// shown returns what a query showed at a version.
func (s *Stream) shown(ctx context.Context, q *query.Query, at clock.Version) (map[resource.Document]*document.Document, error) {
	reading, err := s.follower.engine().Read(ctx, s.follower.name, engine.At{ReadTime: at})
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	was := make(map[resource.Document]*document.Document)
	_, err = reading.Query(ctx, whole(q), func(d *document.Document) error {
		was[d.Name] = d
		return nil
	})
	return was, err
}

// gone sends what became of documents that are no longer in a target at a version.
func (s *Stream) gone(ctx context.Context, t *target, was map[resource.Document]*document.Document, v clock.Version) error {
	reading, err := s.follower.engine().Read(ctx, s.follower.name, engine.At{ReadTime: v})
	if err != nil {
		return err
	}
	defer reading.Close()
	names := make([]resource.Document, 0, len(was))
	for name := range was {
		names = append(names, name)
	}
	slices.SortFunc(names, resource.CompareDocuments)
	for _, name := range names {
		d, err := reading.Get(ctx, name)
		switch {
		case err != nil:
			return err
		case d == nil:
			err = s.emit(&Event{Kind: Deleted, Target: t.want.ID, Name: name, ReadTime: v})
		case d.UpdateTime == was[name].UpdateTime:
			err = s.emit(&Event{Kind: Left, Target: t.want.ID, Name: name, ReadTime: v})
		default:
			ev := s.changed(t, d)
			ev.Leaves = true
			err = s.emit(ev)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
