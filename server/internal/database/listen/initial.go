package listen

import (
	"context"
	"slices"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/target"
)

// add opens a target; sendInitial authorizes it and sends its documents. add refuses a target with an invalid token.
func (s *Stream) add(t *activeTarget) error {
	t.from = t.want.ReadTime
	if len(t.want.Resume) > 0 {
		v, err := parseToken(t.want.Resume)
		if err != nil {
			return s.send(&target.Event{Kind: target.Removed, Target: t.want.ID, Cause: err})
		}
		t.from = v
	}
	t.open, t.fresh, t.since = true, true, maxVersion
	s.targets[t.want.ID] = t
	s.hub.targets.Add(1)
	s.feed.attach(t)
	s.unsent = append(s.unsent, t)
	return nil
}

// sendInitial sends new and reset targets completely, up to their first snapshot.
//
//  1. The windows that their views need are loaded, for clients that may see them at the moment (loadWindows).
//  2. A reading of the engine is opened. All these targets are sent at its version.
//  3. The stream's other targets catch up to the same version (catchUp). If that resets one of them, it has to be sent
//     completely too, and the work restarts.
//  4. Each target is authorized for that version and sent (sendTarget): resumed from the version that its client has,
//     or with all of its documents, and CURRENT.
//  5. One snapshot completes them all.
//
// Between a target's first event and its last there is no snapshot, because clients take a snapshot's token for the
// token of every target that they have.
func (s *Stream) sendInitial(ctx context.Context) error {
	for len(s.unsent) > 0 {
		if err := s.loadWindows(ctx); err != nil {
			return err
		}
		reading, err := s.feed.engine().Read(ctx, s.feed.name, request.At{})
		if err != nil {
			return err
		}
		err = s.sendInitialAt(ctx, reading)
		reading.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// sendInitialAt does sendInitial's work at a reading, unless changes are lost meanwhile.
func (s *Stream) sendInitialAt(ctx context.Context, r *engine.Reading) error {
	// A target that was removed meanwhile is not sent.
	s.unsent = slices.DeleteFunc(s.unsent, func(t *activeTarget) bool { return !t.open })
	count := len(s.unsent)
	if len(s.targets) > count {
		if err := s.catchUp(ctx, r.Version()); err != nil {
			return err
		}
		if len(s.unsent) > count {
			return nil // catchUp has reset further targets.
		}
	}
	list := s.unsent
	s.unsent = nil
	sent := false
	for _, t := range list {
		if !t.open {
			continue
		}
		if err := s.sendTarget(ctx, t, r); err != nil {
			return err
		}
		sent = sent || t.open
	}
	if !sent {
		return nil
	}
	if err := s.complete(ctx, r.Version()); err != nil {
		return err
	}
	for _, t := range list {
		if t.open && t.want.Once {
			if err := s.remove(t.want.ID, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadWindows makes sure that the targets to send have their windows, if their views need them, at a version that the
// next reading has reached.
func (s *Stream) loadWindows(ctx context.Context) error {
	for _, t := range s.unsent {
		if !t.open || !t.windowed() {
			continue
		}
		if t.fresh { // No query is run for a denied client.
			if err := s.authorize(ctx, t, s.stateAt(0)); err != nil {
				return err
			}
			if !t.open {
				continue
			}
		}
		err := s.feed.load(ctx, t)
		if err == nil {
			err = s.checkWindows()
		}
		if err != nil {
			if err := s.failed(ctx, t, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// windowed reports whether the target's view requires a window.
func (t *activeTarget) windowed() bool {
	q := t.want.Query
	return q != nil && (q.Limit != query.NoLimit || q.Offset > 0)
}

// sendTarget sends a target at a reading, completely or only the changes since the version that its client has, up to
// Current.
func (s *Stream) sendTarget(ctx context.Context, t *activeTarget, r *engine.Reading) error {
	if err := s.authorize(ctx, t, stateOf(r)); err != nil || !t.open {
		return err
	}
	if t.fresh {
		t.fresh = false
		if err := s.send(&target.Event{Kind: target.Added, Target: t.want.ID}); err != nil {
			return err
		}
	}
	var err error
	if from := t.from; from > 0 {
		t.from = 0
		err = s.resume(ctx, t, r, from)
	} else {
		err = s.fill(ctx, t, r)
	}
	if err != nil {
		return s.failed(ctx, t, err)
	}
	t.since = r.Version()
	at := r.Version().After()
	return s.send(&target.Event{Kind: target.Current, Target: t.want.ID, ReadTime: at, Token: newToken(at)})
}

// failed removes a target that can't be sent, unless the failure is the stream's or of the moment.
func (s *Stream) failed(ctx context.Context, t *activeTarget, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case isSend(err):
		return err
	case fault.CodeOf(err) == fault.Internal:
		s.hub.o.Log.Error("a target could not be sent", "database", s.feed.name.String(), "error", err)
	}
	return s.reject(t, fault.FromError(err))
}

// sendError is an error of the stream's send, which ends the stream.
type sendError struct{ error }

// Unwrap returns send's own error.
func (e sendError) Unwrap() error { return e.error }

// isSend reports whether the error is one of the stream's send.
func isSend(err error) bool {
	_, ok := err.(sendError) //nolint:errorlint // Only emit makes it, and it is never wrapped.
	return ok
}

// emit sends an event from within a read, and marks its error as one of sending.
func (s *Stream) emit(e *target.Event) error {
	if err := s.send(e); err != nil {
		return sendError{err}
	}
	return nil
}

// fill sends all documents of a target.
func (s *Stream) fill(ctx context.Context, t *activeTarget, r *engine.Reading) error {
	if t.want.Query == nil {
		return s.fillDocuments(ctx, t, r, 0)
	}
	return s.fillQuery(ctx, t, r)
}

// unprojected returns the query without its projection, which is done where documents are shown.
func unprojected(q *query.Query) *query.Query {
	w := *q
	w.HasSelect, w.Select = false, nil
	return &w
}

// changed returns the event that shows a document.
func (s *Stream) changed(t *activeTarget, d *document.Document) *target.Event {
	if t.want.Query != nil {
		d = t.want.Query.Project(d)
	}
	return &target.Event{Kind: target.Changed, Target: t.want.ID, Doc: &target.Shown{Document: d}, Name: d.Name}
}

// fillDocuments sends the documents of a target that have changed after a version.
func (s *Stream) fillDocuments(ctx context.Context, t *activeTarget, r *engine.Reading, after clock.Version) error {
	for _, name := range t.want.Documents {
		d, err := r.Get(ctx, name)
		switch {
		case err != nil:
			return err
		case d == nil:
			err = s.emit(&target.Event{Kind: target.Deleted, Target: t.want.ID, Name: name, ReadTime: r.Version()})
		case d.UpdateTime > after:
			err = s.emit(s.changed(t, d))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resetAll resets all targets after changes were lost; sendInitial sends them again.
func (s *Stream) resetAll() error {
	s.dropPending()
	for _, t := range s.byID() {
		if err := s.reset(t); err != nil {
			return err
		}
	}
	return nil
}

// reset sends a Reset of a target and schedules the target to be sent completely. Until then commits are not sent to
// it.
func (s *Stream) reset(t *activeTarget) error {
	if t.since == maxVersion {
		return nil // It is already scheduled.
	}
	t.since = maxVersion
	s.unsent = append(s.unsent, t)
	return s.send(&target.Event{Kind: target.Reset, Target: t.want.ID})
}
