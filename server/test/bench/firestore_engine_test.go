package bench_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// db is the database of the benchmarks.
var db = resource.Database{Project: "bench", ID: resource.DefaultDatabase}

// openEngine opens an engine over a store on disk.
func openEngine(b *testing.B) *engine.Engine {
	b.Helper()
	s, err := pebble.Open(b.TempDir(), pebble.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	e, err := engine.Open(b.Context(), engine.Options{Store: s})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = e.Close() })
	return e
}

// name returns the name of a document in the benchmarks' collection.
func name(i int) resource.Document {
	return resource.Document{DB: db, Path: fmt.Sprintf("events/e%08d", i)}
}

// fields returns the fields of an event, which has nine index entries.
func fields(i int) value.Map {
	return value.Map{
		"title": value.String(fmt.Sprintf("Concert number %d", i)), "city": value.String(fmt.Sprintf("city%d", i%50)),
		"kind": value.String([]string{"concert", "class", "talk", "party"}[i%4]), "price": value.Int(i % 1000),
		"rating": value.Double(float64(i%50) / 10), "open": value.Bool(i%3 == 0),
		"at": value.Timestamp{Seconds: 1_700_000_000 + int64(i)}, "tags": value.Array{value.String("music")},
	}
}

// commit commits writes and fails the benchmark on an error.
func commit(b *testing.B, e *engine.Engine, writes ...document.Write) {
	if _, err := e.Commit(b.Context(), db, request.Commit{Writes: writes}, engine.Unrestricted()); err != nil {
		b.Error(err)
	}
}

// fill creates n events.
func fill(b *testing.B, e *engine.Engine, n int) {
	b.Helper()
	for i := 0; i < n; {
		var writes []document.Write
		for ; i < n && len(writes) < 500; i++ {
			writes = append(writes, document.Write{Name: name(i), Fields: fields(i)})
		}
		commit(b, e, writes...)
	}
}

func BenchmarkEngineCreate(b *testing.B) {
	for _, c := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("clients=%d", c), func(b *testing.B) {
			e := openEngine(b)
			var n atomic.Int64
			parallel(b, c, func() {
				i := int(n.Add(1))
				commit(b, e, document.Write{Name: name(i), Fields: fields(i)})
			})
		})
	}
}

// parallel runs do in c goroutines, b.N times in all.
func parallel(b *testing.B, c int, do func()) {
	b.Helper()
	b.ReportAllocs()
	b.SetParallelism(max(1, c/2)) // for two processors
	if c == 1 {
		for b.Loop() {
			do()
		}
		return
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			do()
		}
	})
}

func BenchmarkEngineBatch500(b *testing.B) {
	e := openEngine(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		writes := make([]document.Write, 500)
		for i := range writes {
			n++
			writes[i] = document.Write{Name: name(n), Fields: fields(n)}
		}
		commit(b, e, writes...)
	}
}

func BenchmarkEngineGet(b *testing.B) {
	e := openEngine(b)
	fill(b, e, 10_000)
	for _, c := range []int{1, 16} {
		b.Run(fmt.Sprintf("clients=%d", c), func(b *testing.B) {
			var n atomic.Int64
			parallel(b, c, func() {
				r, err := e.Read(b.Context(), db, request.At{})
				if err != nil {
					b.Error(err)
					return
				}
				defer r.Close()
				if d, err := r.Get(b.Context(), name(int(n.Add(1)*7919)%10_000)); d == nil || err != nil {
					b.Error("no document", err)
				}
			})
		})
	}
}

// sizes returns the numbers of documents for the measurement of queries.
func sizes() []int {
	if os.Getenv("CLAVE_BENCH_LARGE") != "" {
		return []int{10_000, 100_000, 1_000_000}
	}
	return []int{10_000, 100_000}
}

// cheapIn returns the query for the twenty cheapest events of a kind in a city: two equalities, an order and a limit.
func cheapIn(b *testing.B) *query.Query {
	b.Helper()
	where := func(field string, v value.Value) query.Filter {
		return query.Field{Path: value.FieldPath{field}, Op: query.Equal, Value: v}
	}
	q := &query.Query{DB: db, From: []query.From{{Collection: "events"}}, Limit: 20,
		Where:   &query.And{Filters: []query.Filter{where("city", value.String("city8")), where("kind", value.String("concert"))}},
		OrderBy: []query.Order{{Path: value.FieldPath{"price"}}}}
	norm, err := q.Normalize()
	if err != nil {
		b.Fatal(err)
	}
	return norm
}

// definitions is the index that cheapIn needs.
var definitions = index.Definitions{Indexes: []index.Definition{{CollectionGroup: "events", Fields: []index.Field{
	{Path: "city"}, {Path: "kind"}, {Path: "price"}}}}}

func BenchmarkEngineQuery(b *testing.B) {
	for _, size := range sizes() {
		e := openEngine(b)
		if err := e.SetIndexes(b.Context(), resource.Database{}, definitions); err != nil {
			b.Fatal(err)
		}
		fill(b, e, size)
		q := cheapIn(b)
		b.Run(fmt.Sprintf("docs=%d", size), func(b *testing.B) {
			parallel(b, 16, func() {
				r, err := e.Read(b.Context(), db, request.At{})
				if err != nil {
					b.Error(err)
					return
				}
				defer r.Close()
				stats, err := r.Query(b.Context(), q, func(*document.Document) error { return nil })
				if err != nil || stats.Results != 20 || stats.DocumentsRead != 20 {
					b.Errorf("%+v, %v", stats, err)
				}
			})
		})
		b.Run(fmt.Sprintf("count/docs=%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				count(b, e, size)
			}
		})
	}
}

// count counts the events of one kind over an index.
func count(b *testing.B, e *engine.Engine, size int) {
	q, err := (&query.Query{DB: db, From: []query.From{{Collection: "events"}}, Limit: query.NoLimit,
		Where: query.Field{Path: value.FieldPath{"kind"}, Op: query.Equal, Value: value.String("talk")}}).Normalize()
	if err != nil {
		b.Fatal(err)
	}
	r, err := e.Read(b.Context(), db, request.At{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	figures, stats, err := r.Aggregate(b.Context(), &query.Aggregation{Query: q, Fields: []query.Aggregate{{Alias: "n", Op: query.Count}}})
	if err != nil || figures["n"] != value.Int(size/4) || stats.DocumentsRead != 0 {
		b.Fatalf("count = %v, %+v, %v", figures, stats, err)
	}
}

// BenchmarkEngineCounter increments one counter in transactions with sixteen clients.
func BenchmarkEngineCounter(b *testing.B) {
	e := openEngine(b)
	counter := resource.Document{DB: db, Path: "counters/one"}
	commit(b, e, document.Write{Name: counter, Fields: value.Map{"n": value.Int(0)}})
	var aborted atomic.Int64
	parallel(b, 16, func() {
		var o request.TransactionOptions
		for !increment(b, e, counter, &o) {
			aborted.Add(1)
		}
	})
	b.ReportMetric(float64(aborted.Load())/float64(b.N), "aborts/op")
	r, err := e.Read(b.Context(), db, request.At{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	if d, err := r.Get(b.Context(), counter); err != nil || d.Fields["n"] != value.Int(b.N) {
		b.Errorf("counter after %d increments = %v, %v", b.N, d.Fields, err)
	}
}

// increment increments the counter in one transaction. It returns false if the transaction was aborted.
func increment(b *testing.B, e *engine.Engine, counter resource.Document, o *request.TransactionOptions) bool {
	id, err := e.Begin(b.Context(), db, *o)
	if err != nil {
		b.Error(err)
		return true
	}
	o.Retry = id
	r, err := e.Read(b.Context(), db, request.At{Transaction: id})
	if err != nil {
		b.Error(err)
		return true
	}
	defer r.Close()
	d, err := r.Get(b.Context(), counter)
	if err == nil {
		n := d.Fields["n"].(value.Int)
		_, err = e.Commit(b.Context(), db, request.Commit{Transaction: id,
			Writes: []document.Write{{Name: counter, Fields: value.Map{"n": n + 1}}}}, engine.Unrestricted())
	}
	if err != nil && !fault.Is(err, fault.Aborted) {
		b.Error(err)
		return true
	}
	return err == nil
}
