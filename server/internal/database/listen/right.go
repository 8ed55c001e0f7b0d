package listen

import (
	"context"
	"slices"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
)

// maxPastChecks is the maximum number of versions for which a decision about the past is made. If there are more, the
// target is sent completely.
const maxPastChecks = 16

// errNoRight means that a client had no right to a query at a version from which on it resumes it. Its target is sent
// completely then, and so without the names of documents that left the query.
var errNoRight = fault.E(fault.FailedPrecondition, "The client had no right to the query at the version from which it resumes.")

// hadRight returns errNoRight unless the client could have the target's query at each version from since up to that of
// the reading, for which it was authorized. Every client can make the token of any version, and what is sent at
// resuming has the names of documents that were in the query and are not any more. looked reports whether documents on
// which the decision depends have changed meanwhile. If not, the decision was the same all the time.
func (s *Stream) hadRight(ctx context.Context, t *activeTarget, r *engine.Reading, since clock.Version, looked bool) error {
	a := &t.want.Authorization
	if a.unrestricted || len(t.looked) == 0 || !looked && t.decided <= r.Version() {
		return nil
	}
	// The decision is repeated after each commit that changes a document on which the previous one depends.
	depends, err := s.decidePast(ctx, t, since)
	if err != nil {
		return err
	}
	checks := 1
	return s.feed.engine().Changes(ctx, s.feed.name, since, r.Version(), func(c document.Commit) error {
		if !changesAny(c, depends) {
			return nil
		}
		if checks++; checks > maxPastChecks {
			return errNoRight
		}
		depends, err = s.decidePast(ctx, t, c.Version)
		return err
	})
}

// hadRightAt returns errNoRight unless the client could have the target's query at a version.
func (s *Stream) hadRightAt(ctx context.Context, t *activeTarget, at clock.Version) error {
	if t.want.Authorization.unrestricted || len(t.looked) == 0 {
		return nil
	}
	_, err := s.decidePast(ctx, t, at)
	return err
}

// decidePast returns the documents on which the decision about a target at a version depends, or errNoRight if it is
// denied.
func (s *Stream) decidePast(ctx context.Context, t *activeTarget, at clock.Version) ([]resource.Document, error) {
	check := t.want.Authorization.CheckPast
	if check == nil {
		return nil, errNoRight
	}
	st := s.stateAt(at)
	defer st.close()
	looked, err := check(ctx, st.read)
	switch {
	case err == nil:
		return looked, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case fault.Is(err, fault.PermissionDenied):
		return nil, errNoRight
	}
	return nil, err
}

// changesAny reports whether a commit changes one of the documents.
func changesAny(c document.Commit, names []resource.Document) bool {
	return slices.ContainsFunc(c.Changes, func(change document.Change) bool { return slices.Contains(names, change.Name) })
}
