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

// resume tells a target whose client has what it showed at a version: only what has changed since is sent. When that
// can't be known any more, the target is reset.
func (s *Stream) resume(ctx context.Context, t *target, r *engine.Reading, from clock.Version) error {
	known := from >= s.follower.engine().Birth(s.follower.name) && from <= r.Version()
	if known && from > s.version && len(s.targets) == 1 {
		if err := s.snapshot(from); err != nil {
			return sendError{err}
		}
	}
	var err error
	switch {
	case !known:
		err = fault.E(fault.FailedPrecondition, "The resume token is too old.")
	case t.want.Query == nil:
		return s.fillDocuments(ctx, t, r, from) // What is there is compared by its time, so no past is needed.
	case t.windowed():
		err = s.resumeWindow(ctx, t, r, from)
	default:
		err = s.resumeQuery(ctx, t, r, from)
	}
	if err == nil || isSend(err) || ctx.Err() != nil || !fault.Is(err, fault.FailedPrecondition) && !fault.Is(err, fault.InvalidArgument) {
		return err
	}
	if err := s.emit(&Event{Kind: Reset, Target: t.want.ID}); err != nil {
		return err
	}
	return s.fill(ctx, t, r)
}

// resumeQuery resumes a query without limit from the log of commits.
func (s *Stream) resumeQuery(ctx context.Context, t *target, r *engine.Reading, from clock.Version) error {
	changes, err := s.changesSince(ctx, t, from, r.Version())
	switch {
	case errors.Is(err, errTooMany):
		return s.resumeByTime(ctx, t, r, from)
	case err != nil:
		return err
	}
	return s.resumeWith(ctx, t, r, changes)
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
	if t.want.Expected == nil && len(changes) == 0 {
		return nil
	}
	return s.count(ctx, t, r)
}

// resumeByTime sends the documents of a query that are younger than the token, and their number, by which the client
// finds out what has gone.
func (s *Stream) resumeByTime(ctx context.Context, t *target, r *engine.Reading, since clock.Version) error {
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

// count sends how many documents a query has, and a filter of their names if the client told how many it has.
func (s *Stream) count(ctx context.Context, t *target, r *engine.Reading) error {
	var names []string
	q := unprojected(t.want.Query)
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
func (s *Stream) resumeWindow(ctx context.Context, t *target, r *engine.Reading, from clock.Version) error {
	was, err := s.shown(ctx, t.want.Query, from)
	if err != nil {
		return err
	}
	var names []string
	_, err = r.Query(ctx, unprojected(t.want.Query), func(d *document.Document) error {
		names = append(names, d.Name.String())
		old := was[d.Name]
		delete(was, d.Name)
		if old != nil && old.UpdateTime == d.UpdateTime {
			return nil
		}
		return s.emit(s.changed(t, d))
	})
	if err != nil {
		return err
	}
	if err := s.gone(ctx, t, r, was); err != nil {
		return err
	}
	return s.counted(t, names)
}

// shown returns what a query showed at a version.
func (s *Stream) shown(ctx context.Context, q *query.Query, at clock.Version) (map[resource.Document]*document.Document, error) {
	reading, err := s.follower.engine().Read(ctx, s.follower.name, engine.At{ReadTime: at})
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

// gone sends what became of documents that are no longer in a target.
func (s *Stream) gone(ctx context.Context, t *target, r *engine.Reading, was map[resource.Document]*document.Document) error {
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
		case d == nil:
			err = s.emit(&Event{Kind: Deleted, Target: t.want.ID, Name: name, ReadTime: r.Version()})
		case d.UpdateTime == was[name].UpdateTime:
			err = s.emit(&Event{Kind: Left, Target: t.want.ID, Name: name, ReadTime: r.Version()})
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
