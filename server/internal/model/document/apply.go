package document

import "clave/server/internal/base/clock"

// Apply applies a write to a document at a commit's version. old is nil when the document does not exist, and the
// result is nil when it does not exist afterwards. A write that changes nothing returns old itself. It returns the
// errors of Precondition.Check, and InvalidArgument for a document that would become too large.
func Apply(old *Document, w Write, at clock.Version) (*Document, Result, error) {
	if err := w.Precondition.Check(w.Name, old); err != nil {
		return nil, Result{}, err
	}
	draft := NewDraft(w.Name, old)
	r := draft.Apply(w, at)
	after, err := draft.Document(at)
	if err != nil {
		return nil, Result{}, err
	}
	if w.Op == Update {
		r.UpdateTime = after.UpdateTime
	}
	return after, r, nil
}
