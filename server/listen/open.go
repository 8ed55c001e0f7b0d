package listen

import (
	"context"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/engine"
	"clave/server/fault"
	"clave/server/query"
)

// add opens a target: it answers Added, what the target shows or what has changed since the client saw it, Current and a
// snapshot. A target that can't be opened is removed with the reason.
func (s *Stream) add(ctx context.Context, t *target) error {
	since, resuming := t.want.ReadTime, t.want.ReadTime > 0
	if len(t.want.Resume) > 0 {
		v, err := parseToken(t.want.Resume)
		if err != nil {
			return s.send(&Event{Kind: Removed, Target: t.want.ID, Cause: err})
		}
		since, resuming = v, true
	}
	t.open, t.since = true, maxVersion
	s.targets[t.want.ID] = t
	if err := s.send(&Event{Kind: Added, Target: t.want.ID}); err != nil {
		return err
	}
	if err := s.ask(ctx, t); err != nil || !t.open {
		return err
	}
	s.follower.attach(t)
	var err error
	if resuming {
		err = s.resume(ctx, t, since)
	} else {
		err = s.fill(ctx, t)
	}
	return s.opened(ctx, t, err)
}

// opened ends the opening of a target: with its removal if it failed by the target's own fault.
func (s *Stream) opened(ctx context.Context, t *target, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil && t.want.Once:
		return s.remove(t.want.ID, nil)
	case err == nil:
		return nil
	case isSend(err):
		return err
	case fault.CodeOf(err) == fault.Internal:
		s.hub.o.Log.Error("open a target", "database", s.follower.name.String(), "err", err)
	}
	return s.remove(t.want.ID, fault.Of(err))
}

// sendError is an error of the stream's send, which ends the stream.
type sendError struct{ error }

// Unwrap returns send's own error.
func (e sendError) Unwrap() error { return e.error }

// isSend reports whether the error is one of the stream's send.
func isSend(err error) bool {
	_, ok := err.(sendError) //nolint:errorlint // Only emit makes it, and nobody wraps it.
	return ok
}

// emit sends an event from within a read, and marks its error as one of sending.
func (s *Stream) emit(e *Event) error {
	if err := s.send(e); err != nil {
		return sendError{err}
	}
	return nil
}

// fill sends all that a target shows, as of a version that all targets of the stream have reached.
func (s *Stream) fill(ctx context.Context, t *target) error {
	if t.want.Query != nil && t.windowed() {
		return s.fillWindow(ctx, t)
	}
	reading, err := s.follower.engine().Read(ctx, s.follower.name, engine.At{})
	if err != nil {
		return err
	}
	defer reading.Close()
	v := reading.Version()
	if err := s.join(ctx, t, v); err != nil {
		return err
	}
	if t.want.Query == nil {
		err = s.fillDocuments(ctx, t, reading, 0)
	} else {
		_, err = reading.Query(ctx, whole(t.want.Query), func(d *document.Document) error {
			return s.emit(s.changed(t, d))
		})
	}
	if err != nil {
		return err
	}
	return s.current(t, v)
}

// whole returns the query without its projection, which is done for all listeners at once.
func whole(q *query.Query) *query.Query {
	w := *q
	w.HasSelect, w.Select = false, nil
	return &w
}

// windowed reports whether the target's view needs a window.
func (t *target) windowed() bool {
	t.stream.follower.mu.Lock()
	defer t.stream.follower.mu.Unlock()
	return t.view.windowed()
}

// join brings the other targets of the stream to the version at which a target is being opened.
func (s *Stream) join(ctx context.Context, t *target, v clock.Version) error {
	if len(s.targets) > 1 {
		if err := s.catchUp(ctx, v); err != nil {
			return sendError{err}
		}
	}
	t.since = v
	return nil
}

// changed returns the event that shows a document.
func (s *Stream) changed(t *target, d *document.Document) *Event {
	if t.want.Query != nil {
		d = t.want.Query.Project(d)
	}
	return &Event{Kind: Changed, Target: t.want.ID, Doc: &Shown{Document: d}, Name: d.Name}
}

// fillDocuments sends the documents of a target that have changed after a version.
func (s *Stream) fillDocuments(ctx context.Context, t *target, r *engine.Reading, after clock.Version) error {
	for _, name := range t.want.Documents {
		d, err := r.Get(ctx, name)
		switch {
		case err != nil:
			return err
		case d == nil:
			err = s.emit(&Event{Kind: Deleted, Target: t.want.ID, Name: name, ReadTime: r.Version()})
		case d.UpdateTime > after:
			err = s.emit(s.changed(t, d))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// current says that a target is complete at a version, and with it the stream.
func (s *Stream) current(t *target, v clock.Version) error {
	v = max(v, s.version)
	t.since = v
	if err := s.emit(&Event{Kind: Current, Target: t.want.ID, ReadTime: v, Token: newToken(v)}); err != nil {
		return err
	}
	if err := s.snapshot(v); err != nil {
		return sendError{err}
	}
	return nil
}

// fillWindow sends what a query with a limit shows.
func (s *Stream) fillWindow(ctx context.Context, t *target) error {
	docs, v, err := s.window(ctx, t)
	if err != nil {
		return err
	}
	for _, d := range docs {
		if err := s.emit(s.changed(t, d)); err != nil {
			return err
		}
	}
	return s.current(t, v)
}

// window returns what a query with a limit shows, at a version that all targets of the stream have reached.
func (s *Stream) window(ctx context.Context, t *target) ([]*document.Document, clock.Version, error) {
	f := s.follower
	for {
		if err := f.load(ctx, t); err != nil {
			return nil, 0, err
		}
		f.mu.Lock()
		win := t.view.win
		if win == nil { // Lost again meanwhile.
			f.mu.Unlock()
			continue
		}
		v := max(win.from, f.mu.version)
		docs := append([]*document.Document(nil), win.visible()...)
		f.mu.Unlock()
		if err := s.join(ctx, t, v); err != nil {
			return nil, 0, err
		}
		return docs, v, nil
	}
}

// lost resets all targets after changes were lost. None is complete before it has been filled again, which refill does; a
// target that is being opened just now is told anew after that.
func (s *Stream) lost() error {
	s.pending = nil
	for _, t := range s.byID() {
		if t.since != maxVersion {
			if err := s.reset(t); err != nil {
				return err
			}
		}
		s.again = append(s.again, t)
	}
	return nil
}

// reset tells the client to forget a target's documents. Until it is filled again no commit concerns it.
func (s *Stream) reset(t *target) error {
	t.since = maxVersion
	return s.send(&Event{Kind: Reset, Target: t.want.ID})
}

// refill tells the targets anew that have to be.
func (s *Stream) refill(ctx context.Context) error {
	for len(s.again) > 0 {
		t := s.again[0]
		s.again = s.again[1:]
		if !t.open {
			continue
		}
		if t.since != maxVersion {
			if err := s.reset(t); err != nil {
				return err
			}
		}
		if err := s.opened(ctx, t, s.fill(ctx, t)); err != nil {
			return err
		}
	}
	return nil
}
