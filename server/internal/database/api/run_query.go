package api

import (
	"context"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// RunQuery sends a query's documents. If it begins a transaction, it sends the transaction's id in a separate response
// before them, and likewise the number of documents that an offset skipped. A query without results gets a response
// with only the read time.
func (s *Server) RunQuery(ctx context.Context, c token.Caller, db resource.Database, r request.Query, send func(*wire.Result) error) error {
	if err := s.mayExplain(c, db, r.Explain); err != nil {
		return err
	}
	q := r.Query
	run := &queryRun{clock: s.o.Clock, began: s.o.Clock.Now(), q: q, explain: r.Explain, send: send}
	if r.Explain.PlanOnly() {
		q.Limit, q.Nearest = 0, nil
	}
	stats, err := s.o.Authorizer.Query(ctx, c, q, r.At, run.open, run.document)
	if err != nil {
		return err
	}
	return run.end(stats)
}

// mayExplain returns an error if a caller may not have a query explained that has such options.
func (s *Server) mayExplain(c token.Caller, db resource.Database, e *request.Explain) error {
	if e == nil {
		return nil
	}
	return s.o.Authorizer.MayExplain(c, db)
}

// queryRun sends the responses of one query.
type queryRun struct {
	clock    clock.Clock
	began    time.Time
	q        *query.Query
	explain  *request.Explain
	send     func(*wire.Result) error
	readTime clock.Version
	sent     int
	// last, if statistics are requested, is the response with the latest document. The statistics are sent with the last
	// one.
	last *wire.Result
}

// open is called before the first document.
func (r *queryRun) open(snapshot authz.Snapshot) error {
	r.readTime = snapshot.Version
	if len(snapshot.Transaction) == 0 {
		return nil
	}
	return r.send(&wire.Result{Transaction: snapshot.Transaction})
}

// document sends a result.
func (r *queryRun) document(d *document.Document) error {
	if r.sent == 0 && r.q.Offset > 0 {
		if err := r.skipped(int64(r.q.Offset)); err != nil {
			return err
		}
	}
	r.sent++
	response := &wire.Result{Document: d, ReadTime: r.readTime}
	if r.explain == nil {
		return r.send(response)
	}
	before := r.last
	r.last = response
	if before == nil {
		return nil
	}
	return r.send(before)
}

// skipped sends the number of documents that the offset skipped.
func (r *queryRun) skipped(n int64) error {
	return r.send(&wire.Result{ReadTime: r.readTime, Skipped: int32(n)})
}

// end sends the final responses. With explain it sends the last result and the statistics in one response.
func (r *queryRun) end(stats request.Stats) error {
	if r.explain != nil {
		out := r.last
		if out == nil {
			out = &wire.Result{}
		}
		if !r.explain.PlanOnly() {
			out.ReadTime = r.readTime // A plan has no read time, from which SDKs infer that there are no results.
		}
		entries, reads := stats.BilledEntries(r.q)
		out.Metrics = &wire.Metrics{Stats: stats, Documents: stats.Results + stats.Skipped, Entries: entries, EntryReads: reads, Took: r.clock.Now().Sub(r.began), Analyzed: r.explain.Analyze}
		return r.send(out)
	}
	switch {
	case r.sent > 0:
		return nil
	case stats.Skipped > 0:
		return r.skipped(stats.Skipped)
	default:
		return r.send(&wire.Result{ReadTime: r.readTime})
	}
}
