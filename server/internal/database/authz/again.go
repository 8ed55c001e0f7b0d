package authz

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/rules"
)

// PastReader returns documents to rules that decide a recorded request again: as they were when it was decided, or
// their current state if that version is no longer kept. Its reads are neither billed nor disturbed by faults. It
// implements rules.Reader and is for one goroutine.
type PastReader struct {
	authorizer *Authorizer
	caller     token.Caller
	at         clock.Version
	// own is the document that the request writes, in its state after the write.
	own  *document.Document
	seen map[string]*document.Document
}

// PastReader returns a reader for a recorded request. The caller reads the documents and must be privileged.
func (az *Authorizer) PastReader(c token.Caller, q *rules.Request) *PastReader {
	return &PastReader{authorizer: az, caller: c, at: clock.VersionOf(q.Time.Time()) - 1, own: q.After, seen: make(map[string]*document.Document)}
}

// Seen returns the documents that were read, by path; nil for those that did not exist.
func (r *PastReader) Seen() map[string]*document.Document { return r.seen }

// Lookup implements rules.Reader.
func (r *PastReader) Lookup(ctx context.Context, name resource.Document, after bool) (*document.Document, error) {
	if after && r.own != nil && r.own.Name == name {
		return r.own, nil
	}
	if err := privileged(r.caller); err != nil {
		return nil, err
	}
	at := r.at
	if clock.IsOwn(r.authorizer.clock, name.DB.Project) {
		at = 0 // the time of the request is no version then
	}
	found, err := r.authorizer.ReadWritten(ctx, name.DB, name, at)
	if fault.Is(err, fault.FailedPrecondition) || fault.Is(err, fault.InvalidArgument) {
		found, err = r.authorizer.ReadWritten(ctx, name.DB, name, 0)
	}
	r.seen[name.Path] = found
	return found, err
}
