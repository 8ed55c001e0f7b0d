package authz

import (
	"cmp"
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/database/engine"
	"clave/server/internal/limit/fair"
	"clave/server/internal/limit/rate"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// Begin begins a transaction and returns its id.
func (az *Authorizer) Begin(ctx context.Context, c token.Caller, db resource.Database, o request.TransactionOptions) ([]byte, error) {
	if err := mayBegin(c, o); err != nil {
		return nil, err
	}
	if err := az.inject(ctx, c, db.Project, faultinject.Reads, "BeginTransaction"); err != nil {
		return nil, err
	}
	return az.engine.Begin(ctx, db, optionsFor(c, o))
}

// mayBegin refuses read-write transactions of read-only callers: their locks would block writers.
func mayBegin(c token.Caller, o request.TransactionOptions) error {
	if o.ReadOnly || !c.ReadOnly {
		return nil
	}
	_, err := c.Change(nil)
	return err
}

// maxTargets is the maximum number of a commit's documents that a caller's journal lists.
const maxTargets = 100

// change records writes in the journal of a caller that has one.
func change(c token.Caller, method string, db resource.Database, writes []document.Write) (ended func(error), err error) {
	if len(writes) == 0 { // the end of a transaction
		return func(error) {}, nil
	}
	return c.Change(func() token.Change {
		about := token.Change{Method: method, Database: db.String(), Count: len(writes)}
		for i := range writes[:min(len(writes), maxTargets)] {
			about.Targets = append(about.Targets, opNames[writes[i].Op]+" "+writes[i].Name.Path)
		}
		return about
	})
}

// opNames are the names of operations in journals.
var opNames = map[document.Op]string{document.Update: "update", document.Delete: "delete", document.Verify: "verify"}

// optionsFor returns the options of a caller's transaction. If rules apply to the caller, the transaction is
// optimistic: with locks any client could block writers, even of documents that the rules hide. Its reads are compared
// at the commit, as the web SDKs do by themselves. Such transactions count for their caller.
func optionsFor(c token.Caller, o request.TransactionOptions) request.TransactionOptions {
	o.Holder = holderOf(c)
	o.Optimistic = o.Optimistic || !c.Privileged
	switch {
	case c.Privileged:
	case c.Unidentified():
		o.Client = "address " + rate.Network(c.Address).String()
	default:
		o.Client = userOf(c)
	}
	return o
}

// holderOf returns the holder of a caller's transactions. It is the same for all tokens of a user, so that a token may
// be refreshed during a transaction, and for all administrators. Those that may not write must not use the transactions
// of others, whose reads take locks. Clients without a user have nothing that identifies them: their address may
// change.
func holderOf(c token.Caller) string {
	switch {
	case c.Privileged && c.ReadOnly:
		return "reader"
	case c.Privileged:
		return "owner"
	case c.Anonymous():
		return "anonymous"
	}
	return userOf(c)
}

// userOf returns a text that identifies a signed-in user among those of all projects and tenants.
func userOf(c token.Caller) string { return "user " + c.Project + "\x00" + c.Tenant + "\x00" + c.UID }

// Rollback ends a transaction of the caller.
func (az *Authorizer) Rollback(ctx context.Context, c token.Caller, db resource.Database, id []byte) error {
	return az.engine.Rollback(ctx, db, id, holderOf(c))
}

// Commit applies writes atomically. The rules are evaluated inside the commit, before preconditions are checked, so
// that a denied caller learns nothing about the documents.
func (az *Authorizer) Commit(ctx context.Context, c token.Caller, db resource.Database, r request.Commit) (request.CommitResult, error) {
	return az.commitFor(ctx, c, "Commit", db, r)
}

// commitFor is Commit for a method of Firestore.
func (az *Authorizer) commitFor(ctx context.Context, c token.Caller, method string, db resource.Database, r request.Commit) (request.CommitResult, error) {
	if err := az.inject(ctx, c, db.Project, faultinject.Writes, method); err != nil {
		return request.CommitResult{}, err
	}
	if err := az.limitWrites(c, len(r.Writes)); err != nil {
		return request.CommitResult{}, err
	}
	ended, err := change(c, method, db, r.Writes)
	if err != nil {
		return request.CommitResult{}, err
	}
	r.Holder = holderOf(c)
	call, bill := az.meter.Begin(), az.bill(c, db, "write")
	result, err := az.engine.Commit(ctx, db, r, az.check(c, db, bill))
	call.Commit(len(r.Writes), err)
	bill.wrote(r.Writes, func(int) bool { return err == nil })
	ended(err)
	if err := az.lose(ctx, c, db.Project, method, err); err != nil {
		return request.CommitResult{}, err
	}
	return result, nil
}

// limitWrites counts the writes of a caller that only the address identifies, and refuses those above the limit.
func (az *Authorizer) limitWrites(c token.Caller, n int) error {
	if az.anonymousWrites == nil || !c.Unidentified() {
		return nil
	}
	for range n {
		if wait := az.anonymousWrites.Take(c.Address); wait > 0 {
			az.meter.Limited("anonymous-writes")
			return fault.E(fault.ResourceExhausted, "Too many writes without a signed-in user. Try again in %d seconds.", int(wait.Seconds())+1)
		}
	}
	return nil
}

// BatchWrite applies each write independently. It is for privileged callers.
func (az *Authorizer) BatchWrite(ctx context.Context, c token.Caller, db resource.Database, writes []document.Write) ([]request.WriteStatus, error) {
	if err := privileged(c); err != nil {
		return nil, err
	}
	if err := az.inject(ctx, c, db.Project, faultinject.Writes, "BatchWrite"); err != nil {
		return nil, err
	}
	ended, err := change(c, "BatchWrite", db, writes)
	if err != nil {
		return nil, err
	}
	call, bill := az.meter.Begin(), az.bill(c, db, "write")
	statuses, err := az.engine.BatchWrite(ctx, db, writes, az.check(c, db, bill))
	call.Commit(len(writes), err)
	bill.wrote(writes, func(i int) bool { return err == nil && statuses[i].Err == nil })
	ended(cmp.Or(err, firstFailure(statuses)))
	if err := az.lose(ctx, c, db.Project, "BatchWrite", err); err != nil {
		return nil, err
	}
	return statuses, nil
}

// firstFailure returns the error of the first write of a batch that failed, or nil.
func firstFailure(statuses []request.WriteStatus) error {
	for _, s := range statuses {
		if s.Err != nil {
			return s.Err
		}
	}
	return nil
}

// check returns the check that the engine calls inside a commit. It counts its lookups in a bill.
func (az *Authorizer) check(c token.Caller, db resource.Database, b *bill) engine.Check {
	if !az.concerned(c, db) {
		return engine.Unrestricted()
	}
	return engine.CheckBy(func(ctx context.Context, v *engine.CheckView) error {
		a := az.access(c, db, v.Before).billed(b)
		if v.Locked {
			a.underLocks()
			return a.commit(ctx, v)
		}
		ctx = az.within(ctx, c)
		defer fair.Of(ctx).Rest()
		return a.commit(ctx, v)
	})
}
