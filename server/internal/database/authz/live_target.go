package authz

import (
	"context"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/rules"
)

// liveTarget authorizes one target of a stream. Its pointer is the authorization's key. Only the stream's goroutine
// calls check, checkPast and mayGet.
type liveTarget struct {
	authorizer *Authorizer
	caller     token.Caller
	db         resource.Database
	target     *target.Target
	expires    time.Time
	// last is the last decision that allowed the target, if it is a query.
	last *queryDecision
	// bill receives the lookups of decisions; nil receives nothing.
	bill *targetBill
}

// queryDecision is a decision that allowed a query: what it depends on besides the caller and the query.
type queryDecision struct {
	ruleset *rules.Ruleset
	// looked are the documents that the rules looked up, and updated when each was last written, 0 for an absent one.
	looked  []resource.Document
	updated []clock.Version
}

// holds reports whether the decision would be the same with a ruleset in the state that read reads.
func (d *queryDecision) holds(ctx context.Context, ruleset *rules.Ruleset, read listen.Read) (bool, error) {
	if d.ruleset != ruleset {
		return false, nil
	}
	for i, name := range d.looked {
		now, err := read(ctx, name)
		if err != nil || updateTime(now) != d.updated[i] {
			return false, err
		}
	}
	return true, nil
}

// updateTime returns when a document was last written, or 0 if it is absent.
func updateTime(d *document.Document) clock.Version {
	if d == nil {
		return 0
	}
	return d.UpdateTime
}

// expired reports whether the caller's token has ended.
func (p *liveTarget) expired(now time.Time) bool {
	return !p.expires.IsZero() && !now.Before(p.expires)
}

// now returns the present time of the target's project.
func (p *liveTarget) now() time.Time { return clock.NowOf(p.authorizer.clock, p.db.Project) }

// check decides whether the target may be shown in the state that read reads, and returns the documents that the rules
// looked up. An expired token ends the stream, as recorded in production.
func (p *liveTarget) check(ctx context.Context, read listen.Read) ([]resource.Document, error) {
	if p.expired(p.now()) {
		return nil, &listen.StreamError{Err: fault.E(fault.Internal, "The caller's credentials have expired.")}
	}
	made := &queryDecision{}
	access := p.authorizer.access(p.caller, p.db, func(ctx context.Context, name resource.Document) (*document.Document, error) {
		d, err := read(ctx, name)
		if err == nil {
			made.looked, made.updated = append(made.looked, name), append(made.updated, updateTime(d))
		}
		return d, err
	})
	made.ruleset = access.ruleset
	if p.last != nil {
		if holds, err := p.last.holds(ctx, made.ruleset, read); err != nil || holds {
			return p.last.looked, err
		}
		p.last = nil
	}
	if p.bill != nil {
		lookups := &bill{usage: p.authorizer.usage, detailed: !p.authorizer.usage.Coarse()}
		access.billed(lookups)
		defer func() { p.bill.decided(lookups) }()
	}
	if p.target.Query == nil {
		err := p.checkDocuments(ctx, access, read)
		return made.looked, err
	}
	if err := access.list(ctx, p.target.Query); err != nil {
		return nil, err
	}
	p.last = made
	return made.looked, nil
}

// checkPast decides whether the query of the target could be shown in a state of the past, by the present rules, and
// returns the documents that they looked up. Like mayGet it is not shown in the request monitor.
func (p *liveTarget) checkPast(ctx context.Context, read listen.Read) (looked []resource.Document, err error) {
	access := p.authorizer.access(p.caller, p.db, func(ctx context.Context, name resource.Document) (*document.Document, error) {
		looked = append(looked, name)
		return read(ctx, name)
	})
	if !access.unrestricted {
		access.unrequested = true
	}
	return looked, access.list(ctx, p.target.Query)
}

// checkDocuments decides about a target of documents.
func (p *liveTarget) checkDocuments(ctx context.Context, access *access, read listen.Read) error {
	for _, name := range p.target.Documents {
		d, err := read(ctx, name)
		if err != nil {
			return err
		}
		if err := access.get(ctx, name, d); err != nil {
			return err
		}
	}
	return nil
}

// mayGet reports whether the caller may get a document that has left the target. The decision is no request of the
// caller and is not shown in the request monitor.
func (p *liveTarget) mayGet(ctx context.Context, read listen.Read, name resource.Document, d *document.Document) bool {
	access := p.authorizer.access(p.caller, p.db, documents(read))
	if !access.unrestricted {
		access.unrequested = true
	}
	return access.get(ctx, name, d) == nil
}
