package api

import (
	"context"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// RunQuery sends a query's documents. If it begins a transaction, it sends the transaction's id in a separate response
// before them, and likewise the number of documents that an offset skipped. A query without results gets a response
// with only the read time.
func (s *Server) RunQuery(ctx context.Context, c token.Caller, r *pb.RunQueryRequest, send func(*wire.Result) error) error {
	if r.GetStructuredQuery() == nil {
		return fault.E(fault.InvalidArgument, "only structured queries are supported")
	}
	q, err := wire.ParseQuery(r.GetParent(), r.GetStructuredQuery())
	if err != nil {
		return err
	}
	if err := s.mayExplain(c, q, r.GetExplainOptions()); err != nil {
		return err
	}
	at, err := parseAt(r.GetTransaction(), r.GetReadTime(), r.GetNewTransaction())
	if err != nil {
		return err
	}
	run := &queryRun{clock: s.o.Clock, began: s.o.Clock.Now(), q: q, explain: r.GetExplainOptions(), send: send}
	if run.planOnly() {
		q.Limit, q.Nearest = 0, nil
	}
	stats, err := s.o.Authorizer.Query(ctx, c, q, at, run.open, run.document)
	if err != nil {
		return err
	}
	return run.end(stats)
}

// queryRun sends the responses of one query.
type queryRun struct {
	clock    clock.Clock
	began    time.Time
	q        *query.Query
	explain  *pb.ExplainOptions
	send     func(*wire.Result) error
	readTime clock.Version
	sent     int
	// last, if statistics are requested, is the response with the latest document. The statistics are sent with the last
	// one.
	last *wire.Result
}

// planOnly reports whether only the plan was requested.
func (r *queryRun) planOnly() bool { return r.explain != nil && !r.explain.GetAnalyze() }

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
		if !r.planOnly() {
			out.ReadTime = r.readTime // A plan has no read time, from which SDKs infer that there are no results.
		}
		out.Metrics = explained(r.explain, stats, stats.Results, r.clock.Now().Sub(r.began))
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
