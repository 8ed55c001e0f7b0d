package authz_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/database/listen"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// BenchmarkPipelines measures the processor time of pipelines beside the classic calls with the same work, where there
// are any: 20 documents by their names; a filter, an order and a limit of 20 in an index over 10,000 documents; a count
// of these; their sums in 100 groups; and 100 documents with a pipeline inside for each.
func BenchmarkPipelines(b *testing.B) {
	const documents = 10_000
	store, err := pebble.OpenMemory()
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.Open(b.Context(), engine.Options{Store: store})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(e.Close(), store.Close()); err != nil {
			b.Error(err)
		}
	})
	hub, err := listen.New(listen.Options{Engine: e})
	if err != nil {
		b.Fatal(err)
	}
	az, err := authz.New(authz.Options{Engine: e, Hub: hub, Rules: authz.NewRulesets(authz.RulesetsOptions{})})
	if err != nil {
		b.Fatal(err)
	}
	defs := index.Definitions{Indexes: []index.Definition{{CollectionGroup: "c", Fields: []index.Field{{Path: "group"}, {Path: "n"}}}}}
	if err := e.SetIndexes(b.Context(), testDB, defs); err != nil {
		b.Fatal(err)
	}
	var writes []document.Write
	for i := range documents {
		writes = append(writes, set(fmt.Sprintf("c/%05d", i), value.Map{"group": value.Int(i % 100), "n": value.Int(i), "text": value.String("some text of a document")}))
	}
	for len(writes) > 0 {
		n := min(len(writes), 500)
		if _, err := az.Commit(b.Context(), server, testDB, request.Commit{Writes: writes[:n]}); err != nil {
			b.Fatal(err)
		}
		writes = writes[n:]
	}
	field := func(name string) request.Expression { return request.FieldReference(name) }
	stage := func(name string, args ...request.Expression) request.Stage {
		return request.Stage{Name: name, Args: args}
	}
	call := func(name string, args ...request.Expression) request.Expression {
		return &request.Call{Name: name, Args: args}
	}
	ascending := request.MapOf{"expression": field("n"), "direction": constant(value.String("ascending"))}
	selected := stage("where", call("and", call("equal", field("group"), constant(value.Int(7))), call("greater_than_or_equal", field("n"), constant(value.Int(0)))))
	limit := stage("limit", constant(value.Int(20)))
	filtered := &query.Query{
		DB: testDB, From: []query.From{{Collection: "c"}}, Limit: 20, OrderBy: []query.Order{{Path: value.FieldPath{"n"}}},
		Where: &query.And{Filters: []query.Filter{
			query.Field{Path: value.FieldPath{"group"}, Op: query.Equal, Value: value.Int(7)}, query.Field{Path: value.FieldPath{"n"}, Op: query.GreaterThanOrEqual, Value: value.Int(0)},
		}},
	}
	whole := &query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit}
	for _, q := range []**query.Query{&filtered, &whole} {
		if *q, err = (*q).Normalize(); err != nil {
			b.Fatal(err)
		}
	}
	names, source := []resource.Document{}, stage("documents")
	for i := range 20 {
		names = append(names, name(fmt.Sprintf("c/%05d", i*7)))
		source.Args = append(source.Args, constant(value.Reference("/"+names[i].Path)))
	}
	opened := func(authz.Snapshot) error { return nil }
	run := func(stages ...request.Stage) func() error {
		return func() error {
			p, err := pipeline.Compile(testDB, stages)
			if err == nil {
				_, err = az.Pipeline(b.Context(), server, testDB, authz.PipelineRead{Pipeline: p}, opened, func(pipeline.Result) error { return nil })
			}
			return err
		}
	}
	inner := request.Subpipeline{from("c"), selected, stage("sort", ascending), limit}
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"get/classic", func() error {
			return az.Get(b.Context(), server, testDB, names, request.At{}, opened, func(resource.Document, *document.Document) error { return nil })
		}},
		{"get/pipeline", run(source)},
		{"filter/classic", func() error {
			_, err := az.Query(b.Context(), server, filtered, request.At{}, opened, func(*document.Document) error { return nil })
			return err
		}},
		{"filter/pipeline", run(from("c"), selected, stage("sort", ascending), limit)},
		{"scan/classic", func() error {
			_, err := az.Query(b.Context(), server, whole, request.At{}, opened, func(*document.Document) error { return nil })
			return err
		}},
		{"scan/pipeline", run(from("c"))},
		{"groups/pipeline", run(from("c"), stage("aggregate", request.MapOf{"sum": call("sum", field("n"))}, request.MapOf{"group": field("group")}))},
		{"inner/pipeline", run(from("c"), stage("limit", constant(value.Int(100))), stage("add_fields", request.MapOf{"inner": call("array", inner)}))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			before := processorTime(b)
			for b.Loop() {
				if err := c.do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// processorTime returns the processor time of the process in nanoseconds.
func processorTime(b *testing.B) int64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
