package authz

import (
	"context"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/database/engine/memory"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// How a pipeline that writes works. The stages before the last one read as in other pipelines, each source authorized
// by the rules, and the last one collects writes. These become one commit, which the rules decide for each document as
// for any other commit, so that all of them are written or none:
//
//   - Without a transaction, the commit requires that the documents which the pipeline has read and writes have not
//     changed since. Other documents that it has read may have.
//   - With a transaction that it begins and commits, the commit requires that nothing it has read has changed.
//   - In a transaction that the client commits, the writes wait for that commit (engine.Defer).
//
// In the first two the pipeline is repeated if something has changed; its client has received nothing yet.

// Written is the outcome of a pipeline that writes.
type Written struct {
	// Modified is the number of documents that were written, or will be with the transaction.
	Modified int64
	// Version is that of the commit, or, if the writes wait for the transaction, that of the read.
	Version clock.Version
	// Transaction is the id of the transaction that was begun and is still open, or nil.
	Transaction []byte
}

// attempts is the maximum number of attempts of a pipeline that writes.
const attempts = 6

// errNotAtomic refuses a pipeline without a transaction, in production's words.
var errNotAtomic = fault.E(fault.InvalidArgument,
	"The non-transactional DML operation was rejected because it was impossible to guarantee document-level atomicity.")

// WritePipeline executes a pipeline whose last stage writes. It returns PermissionDenied, and writes nothing, if the
// rules deny a source or a write.
func (az *Authorizer) WritePipeline(ctx context.Context, c token.Caller, db resource.Database, r PipelineRead) (out Written, stats pipeline.Stats, err error) {
	own := len(r.At.Transaction) == 0 && (r.At.Begin == nil || r.AutoCommit)
	switch {
	case r.At.ReadTime != 0:
		return out, stats, fault.E(fault.InvalidArgument, "A pipeline that writes cannot have a read time.")
	case r.At.Begin != nil && r.At.Begin.ReadOnly:
		return out, stats, fault.E(fault.InvalidArgument, "Cannot modify entities in a read-only transaction.")
	case own && r.At.Begin == nil && r.Pipeline.Kind() == pipeline.Upsert && r.Pipeline.OfLiterals():
		return out, stats, errNotAtomic
	}
	for try := 1; ; try++ {
		out, stats, err = az.writePipeline(ctx, c, db, r)
		if !own || try == attempts || !fault.Is(err, fault.Aborted) {
			return out, stats, err
		}
	}
}

// writePipeline is one attempt of WritePipeline.
func (az *Authorizer) writePipeline(ctx context.Context, c token.Caller, db resource.Database, r PipelineRead) (out Written, stats pipeline.Stats, err error) {
	call := az.meter.Begin()
	defer func() { call.Query(stats.Results, err) }()
	if r.At.Begin != nil && r.AutoCommit {
		begin := *r.At.Begin
		begin.Optimistic = true // The pipeline must not hold locks while its stages work.
		r.At.Begin = &begin
	}
	var got collected
	defer func() {
		got.held.Shrink(0)
		// The client ends a transaction that it has begun, and learns of a new one only if there is no error.
		if err != nil && got.transaction != nil && (r.AutoCommit || r.At.Begin != nil) {
			az.endTransaction(ctx, c, db, got.transaction)
		}
	}()
	if err = az.collect(ctx, c, db, r, &got); err != nil {
		return out, got.stats, err
	}
	out.Modified, out.Version, stats = int64(len(got.writes)), got.version, got.stats
	switch {
	case got.transaction != nil && !r.AutoCommit:
		if r.At.Begin != nil {
			out.Transaction = got.transaction
		}
		return out, stats, az.deferWrites(ctx, c, db, got.transaction, got.writes)
	case got.transaction == nil && len(got.writes) == 0:
		return out, stats, nil
	}
	result, err := az.commitFor(ctx, c, "ExecutePipeline", db, request.Commit{Writes: got.writes, Transaction: got.transaction})
	if got.transaction == nil && fault.Is(err, fault.FailedPrecondition) {
		err = fault.E(fault.Aborted, "Too much contention on these documents. Please try again.")
	}
	out.Version = result.Version
	return out, stats, err
}

// endTransaction ends a transaction after an error.
func (az *Authorizer) endTransaction(ctx context.Context, c token.Caller, db resource.Database, id []byte) {
	if err := az.engine.Rollback(context.WithoutCancel(ctx), db, id, holderOf(c)); err != nil {
		az.log.Debug("the transaction of a pipeline could not be ended", "error", err)
	}
}

// collected is what a pipeline has read and would write.
type collected struct {
	writes []document.Write
	// held is the memory of the writes.
	held memory.Share
	// transaction is that in which the pipeline has read, or nil, and version what it has read.
	transaction []byte
	version     clock.Version
	stats       pipeline.Stats
}

// collect reads for a pipeline that writes.
func (az *Authorizer) collect(ctx context.Context, c token.Caller, db resource.Database, r PipelineRead, out *collected) error {
	ctx = az.within(ctx, c)
	reading, err := az.read(ctx, c, db, "ExecutePipeline", r.At)
	if err != nil {
		return err
	}
	defer reading.Close()
	if out.transaction = r.At.Transaction; r.At.Begin != nil {
		out.transaction = reading.Transaction()
	}
	out.held = reading.Share()
	from := az.sourceOf(ctx, c, db, r, reading, &out.held)
	if err := from.Hold(executionBytes); err != nil {
		return err
	}
	changes, stats, err := r.Pipeline.Collect(ctx, from, clock.NowOf(az.clock, db.Project).Truncate(time.Microsecond))
	if err != nil {
		return err
	}
	out.version, out.stats = reading.Version(), stats
	out.stats.Scans = from.scans
	for i := range changes {
		w, read := &changes[i].Write, changes[i].Read
		if absent := r.Pipeline.SkipsAbsent(out.transaction != nil); absent && read == 0 && !from.judged {
			d, err := reading.Get(ctx, w.Name)
			if err != nil {
				return err
			}
			if d == nil {
				continue
			}
			read = d.UpdateTime
		}
		if out.transaction == nil && read != 0 && r.Pipeline.Kind() != pipeline.Insert {
			w.Precondition = document.Precondition{UpdateTime: &read}
		}
		out.writes = append(out.writes, *w)
	}
	return nil
}

// deferWrites leaves writes to the commit of a transaction.
func (az *Authorizer) deferWrites(ctx context.Context, c token.Caller, db resource.Database, transaction []byte, writes []document.Write) error {
	if err := az.inject(ctx, c, db.Project, faultinject.Writes, "ExecutePipeline"); err != nil {
		return err
	}
	if err := az.limitWrites(c, len(writes)); err != nil {
		return err
	}
	ended, err := change(c, "ExecutePipeline", db, writes)
	if err != nil {
		return err
	}
	err = az.engine.Defer(az.within(ctx, c), db, transaction, holderOf(c), writes)
	az.bill(c, db, "write").wrote(writes, func(int) bool { return err == nil })
	ended(err)
	return err
}
