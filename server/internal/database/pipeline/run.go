package pipeline

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Source reads documents for a pipeline. It authorizes what it returns. errors of yield end a reading.
type Source interface {
	// Query calls yield with the results of a query. Rules decide by listed, the query without order and limit.
	Query(ctx context.Context, q, listed *query.Query, yield func(*document.Document) error) error
	// Aggregate returns the figures of an aggregation by their aliases. Rules decide by listed.
	Aggregate(ctx context.Context, a *query.Aggregation, listed *query.Query) (map[string]value.Value, error)
	// Get calls yield with the documents among names that exist.
	Get(ctx context.Context, names []resource.Document, yield func(*document.Document) error) error
	// Judged reports whether rules decide for the caller.
	Judged() bool
	// List returns an error if the rules do not allow a query without order and limit, which is not run.
	List(ctx context.Context, listed *query.Query) error
	// Work counts the cost of evaluations in keys of package fair, and waits for the call's turn.
	Work(ctx context.Context, cost int) error
	// Hold takes memory for rows that a stage holds until the end, and returns ResourceExhausted without any. A negative
	// number returns some.
	Hold(bytes int64) error
}

// Stats are figures of an execution.
type Stats struct {
	// Read is the number of documents that the sources returned.
	Read int64
	// Results is the number of results.
	Results int64
	// Scans are the reads of the queries.
	Scans Scans
}

// Scans are what the queries of an execution have read from the store.
type Scans struct {
	// Documents and Entries are the numbers of documents and of entries of indexes.
	Documents, Entries int64
	// Ranges are the different indexes that were read, or the documents without one, in the order of their first use; at
	// most 50.
	Ranges []request.PlanIndex
}

// Add adds the reads of a query.
func (s *Scans) Add(stats *request.Stats) {
	s.Documents += stats.DocumentsRead
	s.Entries += stats.EntriesRead
	for i := range stats.Plans {
		for _, x := range stats.Plans[i].Indexes {
			if len(s.Ranges) < 50 && !slices.Contains(s.Ranges, x) {
				s.Ranges = append(s.Ranges, x)
			}
		}
	}
}

// Describe returns a text about them.
func (s *Scans) Describe() string {
	out := " documents scanned: " + strconv.FormatInt(s.Documents, 10) + "\n index entries scanned: " + strconv.FormatInt(s.Entries, 10) + "\n"
	for _, x := range s.Ranges {
		out += " scanned: " + x.Scope + " " + x.Properties + "\n"
	}
	return out
}

// errEnough ends a reading whose rows are not needed any more.
var errEnough = errors.New("enough rows")

// Run executes the pipeline at a time. yield is called with each result.
func (p *Pipeline) Run(ctx context.Context, from Source, now time.Time, yield func(request.PipelineRow) error) (stats Stats, err error) {
	if err := p.judge(ctx, from); err != nil {
		return Stats{}, err
	}
	r := &run{ctx: ctx, db: p.db, source: from, now: now, nested: p.nested}
	out := &results{run: r, yield: yield}
	if p.Direct() {
		err := p.source.documentsOf(r, func(d *document.Document) error {
			out.count++
			return yield(request.PipelineRow{Document: d})
		})
		return Stats{Read: out.count, Results: out.count}, err
	}
	defer r.release(&err)
	err = p.into(&frame{run: r, row: &row{}}, out)
	return Stats{Read: r.read, Results: out.count}, err
}

// Direct reports whether the results are the documents of the source as they are, because no stages are left for the
// rows. Their number is not limited by the steps of an execution.
func (p *Pipeline) Direct() bool {
	return len(p.stages) == 0 && p.writes == nil && p.source.sums == nil && (p.source.query != nil && p.source.kind != "database" || p.source.documents != nil)
}

// sentInStep is the number of bytes of results that are sent in one step.
const sentInStep = 1024

// results is the sink of the results.
type results struct {
	run   *run
	yield func(request.PipelineRow) error
	count int64
}

// row implements sink.
func (s *results) row(r *row) error {
	s.count++
	if err := s.run.step(footprint(r.fields) / sentInStep); err != nil {
		return err
	}
	return s.yield(request.PipelineRow{Document: &document.Document{Name: r.doc, Fields: r.fields, CreateTime: r.created, UpdateTime: r.updated}, Named: r.named})
}

// end implements sink.
func (s *results) end() error { return nil }

// into executes the pipeline, whose rows go to last. f is the frame of the row around it.
func (p *Pipeline) into(f *frame, last sink) error {
	to := last
	for i := len(p.stages) - 1; i >= 0; i-- {
		to = p.stages[i](f, to)
	}
	give := func(r *row) error {
		if err := f.run.step(1); err != nil {
			return err
		}
		r.vars = f.vars
		return to.row(r)
	}
	if f.run.nested {
		return p.heldInto(f, to, give)
	}
	if err := p.source.read(f, give); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	return to.end()
}

// heldInto is into for pipelines whose expressions read documents: it holds the rows of the source until all are
// read.
func (p *Pipeline) heldInto(f *frame, to sink, give func(*row) error) error {
	var rows []*row
	held := int64(0)
	err := p.source.read(f, func(r *row) error {
		if err := f.run.step(1); err != nil {
			return err
		}
		rows = append(rows, r)
		held += int64(r.size())
		return f.run.hold(int64(r.size()))
	})
	if err != nil {
		return err
	}
	return f.run.giveAll(rows, held, passing{to, give})
}

// passing is a sink whose rows another function receives.
type passing struct {
	sink
	give func(*row) error
}

// row implements sink.
func (p passing) row(r *row) error { return p.give(r) }

// stepsOfReading are the steps of a query without results, or of reading four documents. A pipeline inside another one
// may read for each row.
const stepsOfReading = 64

// read calls give with the rows of the source.
func (s *source) read(f *frame, give func(*row) error) error {
	documents := func(d *document.Document) error {
		f.run.read++
		return give(&row{fields: d.Fields, identity: identity{d.Name, d.CreateTime, d.UpdateTime}})
	}
	if err := f.run.step(stepsOfReading * (1 + len(s.documents)/4)); err != nil {
		return err
	}
	switch s.kind {
	case "literals":
		for _, literal := range s.literals {
			r := literal(f)
			if err := r.err(); err != nil {
				return err
			}
			m, ok := r.v.(value.Map)
			if !ok {
				return fault.E(fault.InvalidArgument, "The literals stage requires maps.")
			}
			before := f.run.held
			err := f.run.keep(m)
			if err == nil {
				err = give(named(m))
			}
			if f.run.held = before; err != nil {
				return err
			}
		}
		return nil
	case "subcollection":
		name, ok := nameOf(f.row)
		if !ok {
			return fault.E(fault.InvalidArgument, "The subcollection stage requires a document around it.")
		}
		path := name.Path + "/" + s.sub
		if err := resource.CheckPath(path); err != nil {
			return err
		}
		s = s.below(path)
	}
	if s.sums != nil {
		return s.sum(f.run, give)
	}
	return s.documentsOf(f.run, documents)
}

// below returns the source with the parent of a collection as that of its queries.
func (s *source) below(collection string) *source {
	parent, _ := splitCollection(collection)
	in := func(q *query.Query) *query.Query {
		out := *q
		out.Parent = parent
		return &out
	}
	out := *s
	out.query, out.listed = in(s.query), in(s.listed)
	if s.sums != nil {
		sums := *s.sums
		sums.Query = in(sums.Query)
		out.sums = &sums
	}
	return &out
}

// sum calls give with the row of the aggregation.
func (s *source) sum(r *run, give func(*row) error) error {
	figures, err := r.source.Aggregate(r.ctx, s.sums, s.listed)
	if err != nil {
		return err
	}
	edit := value.Map{}.EditSorted()
	for i, path := range s.sumPaths {
		v := figures[s.sums.Fields[i].Alias]
		if v == value.Double(0) { // -0 becomes 0
			v = value.Double(0)
		}
		edit.Set(path, v, nil)
	}
	return give(&row{fields: edit.Map()})
}

// documentsOf calls give with the documents of a source that reads what the pipeline itself names.
func (s *source) documentsOf(r *run, give func(*document.Document) error) error {
	if s.kind == "documents" {
		return r.source.Get(r.ctx, s.documents, give)
	}
	if s.guards && r.source.Judged() {
		yield := give
		give = func(d *document.Document) error {
			if !s.listed.Matches(d) {
				return r.step(1)
			}
			return yield(d)
		}
	}
	return r.source.Query(r.ctx, s.query, s.listed, give)
}

// judge decides about the literals of a pipeline, which rules can't: as in production, they must be together with
// sources that the rules allow. These are asked first, because a pipeline need not run all of them.
func (p *Pipeline) judge(ctx context.Context, from Source) error {
	if !p.literals || !from.Judged() {
		return nil
	}
	judged := 0
	for _, s := range p.sources {
		var err error
		switch {
		case s.query != nil && s.sub == "":
			err = from.List(ctx, s.listed)
		case len(s.documents) > 0:
			err = from.Get(ctx, s.documents, func(*document.Document) error { return nil })
		default:
			continue
		}
		if err != nil {
			return err
		}
		judged++
	}
	if judged == 0 {
		return fault.Denied()
	}
	return nil
}

// named returns a row of a literal, which is a document if its __name__ is a reference.
func named(m value.Map) *row {
	ref, ok := m[nameField].(value.Reference)
	if !ok {
		return &row{fields: m}
	}
	fields := maps.Clone(m)
	delete(fields, nameField)
	return &row{fields: fields, named: string(ref)}
}

// Describe returns a text about the plan: what the query of the source has, and the number of stages after it.
func (p *Pipeline) Describe() string {
	out := "Plan:\n source: " + p.source.kind
	if q := p.source.query; q != nil {
		if q.Where != nil {
			out += ", filtered"
		}
		if len(q.Requested()) > 0 {
			out += ", ordered"
		}
		if q.Limit != query.NoLimit {
			out += ", limited"
		}
		if p.source.sums != nil {
			out += ", aggregated"
		}
	}
	return out + "\n stages on rows: " + strconv.Itoa(len(p.stages)) + "\n"
}
