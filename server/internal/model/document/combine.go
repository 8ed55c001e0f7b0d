package document

import (
	"fmt"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// Combine checks the valid writes of one commit against each other and returns the writes to apply, in their order.
// Several writes of one document become one mutation with the first write's precondition. A later precondition that
// follows from it is dropped, and one that contradicts it is an error regardless of the stored document. It returns
// InvalidArgument with Firestore's texts.
func Combine(writes []Write) ([]Write, error) {
	if len(writes) < 2 {
		return writes, nil
	}
	out := make([]Write, len(writes))
	merged := make(map[string]mutation, len(writes))
	for i, w := range writes {
		next := mutation{op: w.Op, first: w.Precondition, transforms: len(w.Transforms)}
		if before, again := merged[w.Name.Path]; again {
			var err error
			if next, err = before.add(w); err != nil {
				return nil, err
			}
			w.Precondition = Precondition{}
		}
		merged[w.Name.Path] = next
		out[i] = w
	}
	return out, nil
}

// mutation is the combined effect of the writes so far on one document.
type mutation struct {
	// op is the operation of the last write.
	op Op
	// first is the precondition of the first write.
	first Precondition
	// transforms is the number of transforms of all writes.
	transforms int
}

// add adds a write of the same document.
func (m mutation) add(w Write) (mutation, error) {
	p := w.Precondition
	refuse := func(format string, args ...any) (mutation, error) {
		return m, fault.E(fault.InvalidArgument, format, args...)
	}
	switch {
	case m.op == Verify && w.Op == Verify:
		return refuse("the same document cannot be verified more than once in a single request")
	case m.op == Verify:
		return refuse("the same document cannot be verified and then written in a single request")
	case w.Op == Verify:
		return refuse("the same document cannot be written and then verified in a single request")
	case m.op == Delete && w.Op == Update && p.mustExist():
		return refuse("Cannot delete then update an entity in the same request.")
	case m.op == Delete && p.Exists != nil && *p.Exists:
		return refuse("Cannot delete then delete an entity in the same request.")
	case m.op != Delete && p.Exists != nil && !*p.Exists:
		return refuse("Cannot %s then %s an entity in the same request.", kind(m.op, m.first), kind(w.Op, p))
	case p.UpdateTime != nil && (m.first.UpdateTime == nil || *p.UpdateTime != *m.first.UpdateTime):
		return refuse("Cannot collapse mutations with different version preconditions (%s and %s)",
			shown(m.first.UpdateTime), shown(p.UpdateTime))
	}
	m.op = w.Op
	m.transforms += len(w.Transforms)
	if m.transforms > maxTransforms {
		return m, tooManyTransforms()
	}
	return m, nil
}

// mustExist reports whether the precondition requires the document to exist.
func (p Precondition) mustExist() bool { return p.UpdateTime != nil || (p.Exists != nil && *p.Exists) }

// kind returns the name of a write with its precondition for error texts.
func kind(op Op, p Precondition) string {
	switch {
	case op == Delete:
		return "delete"
	case p.mustExist():
		return "update"
	case p.Exists != nil:
		return "insert"
	default:
		return "upsert"
	}
}

// shown returns a required update time for error texts.
func shown(v *clock.Version) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprintf("VersionPrecondition{exactBaseVersion=%d, maxBaseVersion=null}", *v)
}
