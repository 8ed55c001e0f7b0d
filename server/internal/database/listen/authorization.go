package listen

import (
	"context"
	"errors"
	"slices"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// Read returns a document of the state for which a decision is made, or nil if it is absent.
type Read func(ctx context.Context, name resource.Document) (*document.Document, error)

// Authorization decides whether a target may be shown to its client. The zero value denies everything; Unrestricted
// returns one that allows everything.
//
// A decision is valid for one state of the database. Check is called for the version at which a target is sent
// completely or resumed. It is called again, for the version of a commit and before anything of that commit is sent, if
// the commit changes one of the documents that the last decision depends on, if Hub.Reauthorize was called for all
// targets meanwhile, and with PerVersion for each commit that changes the target. It is also called for the latest
// state after a Reauthorize that chose the key, and before a window is loaded. Only the stream's goroutine calls Check
// and MayGet.
type Authorization struct {
	unrestricted bool
	// Key is the key by which Hub.Reauthorize chooses targets. It must be comparable.
	Key any
	// Check returns nil when the target may be shown in the state that read reads, and otherwise the error that its
	// client receives; a StreamError ends the whole stream. looked are the documents on which the decision depends
	// besides those of a target of documents.
	Check func(ctx context.Context, read Read) (looked []resource.Document, err error)
	// MayGet reports whether the client may get a document in the state that read reads; d is the document in it, or
	// nil if it is absent. It is called for documents that have left a query, about which Check decides nothing.
	// Without it their content is never sent.
	MayGet func(ctx context.Context, read Read, name resource.Document, d *document.Document) bool
	// CheckPast is Check for a state of the past: whether the client could have the target's query then, by the rules that
	// are in force now. Without it the client is taken for one that had no right.
	CheckPast func(ctx context.Context, read Read) (looked []resource.Document, err error)
	// PerVersion reports that the decision depends on the target's own documents.
	PerVersion bool
	// Done, if not nil, is called once when a target for which Check may have been called has ended.
	Done func()
}

// Unrestricted returns the Authorization of a caller to whom no rules apply.
func Unrestricted() Authorization { return Authorization{unrestricted: true} }

// StreamError is an error of Authorization.Check that ends the stream and not only the target.
type StreamError struct{ Err error }

// Error implements error.
func (e *StreamError) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *StreamError) Unwrap() error { return e.Err }

// check calls Check. An Authorization without Check denies unless it is unrestricted.
func (a *Authorization) check(ctx context.Context, read Read) ([]resource.Document, error) {
	switch {
	case a.unrestricted:
		return nil, nil
	case a.Check == nil:
		return nil, fault.Denied()
	}
	return a.Check(ctx, read)
}

// mayGet reports whether the client may get a document that is not in its target; d is nil if it is absent.
func (a *Authorization) mayGet(ctx context.Context, read Read, name resource.Document, d *document.Document) bool {
	return a.unrestricted || a.MayGet != nil && a.MayGet(ctx, read, name, d)
}

// state is a state of the database for a decision: a version, or the latest state for 0. Its reading is opened when the
// first document is read, because most decisions read none.
type state struct {
	feed    *feedReader
	at      clock.Version
	reading *engine.Reading
	// known are documents of the version that need not be read, by path; nil means absent.
	known map[string]*document.Document
	// lent is set if the reading is not the state's own.
	lent bool
}

// stateAt returns the state at a version, or the latest one for 0.
func (s *Stream) stateAt(at clock.Version) *state { return &state{feed: s.feed, at: at} }

// stateOf returns the state of a reading, which remains open.
func stateOf(r *engine.Reading) *state { return &state{at: r.Version(), reading: r, lent: true} }

// read is the state's Read.
func (st *state) read(ctx context.Context, name resource.Document) (*document.Document, error) {
	if d, ok := st.known[name.Path]; ok && name.DB == st.feed.name {
		return d, nil
	}
	if st.reading == nil {
		r, err := st.feed.engine().Read(ctx, st.feed.name, request.At{ReadTime: st.at})
		if err != nil {
			return nil, err
		}
		st.reading, st.at = r, r.Version()
	}
	return st.reading.Get(ctx, name)
}

// close releases the state.
func (st *state) close() {
	if st.reading != nil && !st.lent {
		st.reading.Close()
	}
	st.reading = nil
}

// authorize removes a target that may not be shown in a state, which it closes.
//
// The feed reader reports later commits that change a document on which the decision depends (depend). Commits before
// the registration are not reported. So those that still wait are authorized one by one (target.blind), as is each
// snapshot until then (authorizeBlind), and if the state is older than the registration, the decision is repeated for
// the version up to which commits were applied at it. Commits that wait are also authorized one by one if the last
// decision was made before a Reauthorize of all targets.
func (s *Stream) authorize(ctx context.Context, t *activeTarget, st *state) error {
	if t.want.Authorization.unrestricted {
		return nil
	}
	for {
		epoch := s.hub.epoch.Load()
		looked, err := t.want.Authorization.check(ctx, st.read)
		st.close()
		var ends *StreamError
		switch {
		case err == nil:
		case errors.As(err, &ends):
			return ends.Err
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			return s.reject(t, err)
		}
		applied := s.feed.depend(t, looked)
		if t.blind = max(t.blind, applied); t.epoch != epoch {
			t.blind = max(t.blind, st.at)
		}
		t.decided, t.epoch = st.at, epoch
		s.blind = max(s.blind, t.blind)
		if applied <= st.at {
			return nil
		}
		st = s.stateAt(applied)
	}
}

// authorizeCommit authorizes the targets of a commit's entries for its version, as far as the last decisions may not
// hold for it.
func (s *Stream) authorizeCommit(ctx context.Context, version clock.Version, entries []entry) error {
	for _, e := range entries {
		t := e.target
		if !t.open || version <= t.since || t.want.Authorization.unrestricted {
			continue
		}
		renewed := t.epoch != s.hub.epoch.Load()
		if t.decided == version && !renewed {
			continue
		}
		if e.delta.looked == nil && !t.want.Authorization.PerVersion && version > t.blind && !renewed {
			continue
		}
		st := s.stateAt(version)
		st.known = e.delta.looked
		if err := s.authorize(ctx, t, st); err != nil {
			return err
		}
	}
	return nil
}

// authorizeBlind authorizes the targets that a snapshot of a version completes, if their last decisions may not hold
// for it. A target that no commit has changed meanwhile has no entry that authorizeCommit would see.
func (s *Stream) authorizeBlind(ctx context.Context, version clock.Version) error {
	if version > s.blind {
		return nil
	}
	for _, t := range s.byID() {
		if !t.open || version <= t.since || version > t.blind || t.decided == version || t.want.Authorization.unrestricted {
			continue
		}
		if err := s.authorize(ctx, t, s.stateAt(version)); err != nil {
			return err
		}
	}
	return nil
}

// reauthorize re-authorizes the targets whose keys are chosen for the latest state.
func (s *Stream) reauthorize(ctx context.Context, choices []func(key any) bool) error {
	if len(choices) == 0 {
		return nil
	}
	for _, t := range s.byID() {
		if !slices.ContainsFunc(choices, func(choose func(any) bool) bool { return choose(t.want.Authorization.Key) }) {
			continue
		}
		if err := s.authorize(ctx, t, s.stateAt(0)); err != nil {
			return err
		}
	}
	return nil
}

// reject removes a target with an error as the cause. An Unavailable error, which is of the moment, is returned instead
// and ends the stream: clients open a stream again, but take the removal of a target for final.
func (s *Stream) reject(t *activeTarget, err error) error {
	if fault.CodeOf(err) == fault.Unavailable {
		return err
	}
	return s.remove(t.want.ID, err)
}

// depend registers the documents on which the decision about a target depends. A later commit that changes one of them
// has an entry for the target before it is sent. The result is the version up to which commits were applied before the
// registration, or 0 if the documents were registered already.
func (f *feedReader) depend(t *activeTarget, looked []resource.Document) clock.Version {
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Equal(t.looked, looked) {
		return 0
	}
	f.dropDependencesLocked(t)
	for _, name := range looked {
		if f.mu.dependents[name.Path] == nil {
			f.mu.dependents[name.Path] = make(map[*activeTarget]struct{})
		}
		f.mu.dependents[name.Path][t] = struct{}{}
	}
	t.looked = slices.Clone(looked)
	if len(looked) == 0 {
		return 0
	}
	return f.mu.version
}

// dropDependencesLocked removes the dependences of a target; f.mu is held.
func (f *feedReader) dropDependencesLocked(t *activeTarget) {
	for _, name := range t.looked {
		delete(f.mu.dependents[name.Path], t)
		if len(f.mu.dependents[name.Path]) == 0 {
			delete(f.mu.dependents, name.Path)
		}
	}
	t.looked = nil
}

// stageDependents records a commit for the streams of targets whose decisions depend on documents that it changes. f.mu
// is held.
func (f *feedReader) stageDependents(c document.Commit) {
	if len(f.mu.dependents) == 0 {
		return
	}
	d := &delta{version: c.Version}
	for _, change := range c.Changes {
		dependents := f.mu.dependents[change.Name.Path]
		if len(dependents) == 0 {
			continue
		}
		if d.looked == nil {
			d.looked = make(map[string]*document.Document)
		}
		d.looked[change.Name.Path] = change.After
		if change.After != nil {
			d.size += change.After.Size()
		}
		for t := range dependents {
			if t.concerned != c.Version {
				t.concerned = c.Version
				f.stage(t, d)
			}
		}
	}
}
