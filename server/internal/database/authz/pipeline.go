package authz

import (
	"context"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/memory"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/limit/fair"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/observe/usage"
)

// executionBytes is the memory of an execution without rows.
const executionBytes = 4096

// PipelineRead is a pipeline to execute.
type PipelineRead struct {
	// Pipeline is the compiled pipeline.
	Pipeline *pipeline.Pipeline
	// At is the state that is read.
	At request.At
	// AutoCommit commits the transaction of At.
	AutoCommit bool
	// Most, if it is not 0, is the memory in bytes that the stages may hold.
	Most int64
}

// Pipeline executes a pipeline. open and yield are as for Get. Each source is authorized as what it reads: documents as
// gets, and queries as lists of the query without order and limit, which rules do not see.
func (az *Authorizer) Pipeline(ctx context.Context, c token.Caller, db resource.Database, r PipelineRead,
	open func(Snapshot) error, yield func(request.PipelineRow) error,
) (stats pipeline.Stats, err error) {
	call, bill := az.meter.Begin(), az.bill(c, db, "pipeline")
	defer func() {
		call.Query(stats.Results, err)
		bill.piped(err)
	}()
	ctx = az.within(ctx, c)
	reading, err := az.read(ctx, c, db, "ExecutePipeline", r.At)
	if err != nil {
		return stats, err
	}
	defer reading.Close()
	held := reading.Share()
	defer held.Shrink(0)
	from := az.sourceOf(ctx, c, db, r, reading, &held).billed(bill)
	defer func() { stats.Scans = from.scans }()
	if err := from.Hold(executionBytes); err != nil {
		return stats, err
	}
	snapshot := snapshotOf(reading)
	if r.AutoCommit {
		id := r.At.Transaction
		if r.At.Begin != nil {
			id, snapshot.Transaction = snapshot.Transaction, nil
		}
		defer func() {
			if err == nil {
				_, err = az.Commit(ctx, c, db, request.Commit{Transaction: id})
				return
			}
			az.endTransaction(ctx, c, db, id)
		}()
	}
	if err := open(snapshot); err != nil {
		return stats, err
	}
	if from.direct = r.Pipeline.Direct(); from.direct {
		return r.Pipeline.Run(ctx, from, time.Time{}, yield)
	}
	turn := fair.Of(ctx)
	return r.Pipeline.Run(ctx, from, clock.NowOf(az.clock, db.Project).Truncate(time.Microsecond), func(x request.PipelineRow) error {
		turn.Lend()
		defer turn.Return()
		return yield(x)
	})
}

// sourceOf returns the source of a pipeline, which holds memory in a share.
func (az *Authorizer) sourceOf(ctx context.Context, c token.Caller, db resource.Database, r PipelineRead, reading *engine.Reading, held *memory.Share) *pipelineSource {
	reading.WithoutIndexes()
	return &pipelineSource{
		access: az.access(c, db, az.present(db, reading, r.At)), reading: reading, turn: fair.Of(ctx), judged: az.applies(c, db),
		hold: func(n int64) error {
			if n < 0 {
				held.Shrink(max(held.Held()+n, 0))
				return nil
			}
			if r.Most > 0 && held.Held()+n > r.Most || held.Take(n) != nil {
				return fault.E(fault.ResourceExhausted, "The stages of the pipeline must hold too many rows. Use a filter or a limit before them.")
			}
			return nil
		},
	}
}

// pipelineSource is what a pipeline reads from.
type pipelineSource struct {
	bill    *bill
	access  *access
	reading *engine.Reading
	turn    *fair.Turn
	judged  bool
	// direct is set if the documents go to the client without stages between, as those of the classic calls.
	direct bool
	hold   func(n int64) error
	// scans are what its queries have read.
	scans pipeline.Scans
}

// billed makes the source count what it reads in a bill, and returns it.
func (s *pipelineSource) billed(b *bill) *pipelineSource {
	s.bill = b
	s.access.billed(b)
	return s
}

// Query implements pipeline.Source.
func (s *pipelineSource) Query(ctx context.Context, q, listed *query.Query, yield func(*document.Document) error) error {
	if err := s.access.list(ctx, listed); err != nil {
		return err
	}
	read := s.bill.source(func(m *usage.Meter) string { return patternOf(m, q) })
	if s.direct {
		stats, err := s.reading.Query(ctx, q, yield)
		read.Documents += stats.Results
		s.scans.Add(&stats)
		return err
	}
	stats, err := s.reading.Query(ctx, q, func(d *document.Document) error {
		read.Documents++
		s.turn.Return() // the stages are no wait for the client
		defer s.turn.Lend()
		return yield(d)
	})
	s.scans.Add(&stats)
	return err
}

// Aggregate implements pipeline.Source.
func (s *pipelineSource) Aggregate(ctx context.Context, a *query.Aggregation, listed *query.Query) (map[string]value.Value, error) {
	if err := s.access.list(ctx, listed); err != nil {
		return nil, err
	}
	figures, stats, err := s.reading.Aggregate(ctx, a)
	s.scans.Add(&stats)
	_, reads := stats.AggregatedEntries()
	s.bill.source(func(m *usage.Meter) string { return patternOf(m, a.Query) }).Entries += reads
	return figures, err
}

// Get implements pipeline.Source.
func (s *pipelineSource) Get(ctx context.Context, names []resource.Document, yield func(*document.Document) error) error {
	if len(names) == 0 {
		return nil
	}
	return s.reading.GetAll(ctx, names, func(name resource.Document, d *document.Document) error {
		s.turn.Return()
		err := s.access.get(ctx, name, d)
		read := s.bill.source(func(m *usage.Meter) string { return m.Pattern(parentOf(names[0])) })
		switch {
		case err != nil:
			s.turn.Lend()
			return err
		case d == nil:
			read.Missing++
			s.turn.Lend()
			return nil
		}
		read.Documents++
		if s.direct {
			s.turn.Lend()
			return yield(d)
		}
		defer s.turn.Lend()
		return yield(d)
	})
}

// Judged implements pipeline.Source.
func (s *pipelineSource) Judged() bool { return s.judged }

// List implements pipeline.Source.
func (s *pipelineSource) List(ctx context.Context, listed *query.Query) error {
	return s.access.list(ctx, listed)
}

// Work implements pipeline.Source.
func (s *pipelineSource) Work(ctx context.Context, cost int) error { return s.turn.Step(ctx, cost) }

// Hold implements pipeline.Source.
func (s *pipelineSource) Hold(bytes int64) error { return s.hold(bytes) }
