package bench_test

import (
	"context"
	"sync"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// BenchmarkEngineHot queries the first twenty of 64 documents by an index while eight clients change them constantly.
// The cost must not grow with the number of deleted entries.
func BenchmarkEngineHot(b *testing.B) {
	e := openEngine(b)
	q, err := (&query.Query{DB: db, From: []query.From{{Collection: "events"}}, Limit: 20, OrderBy: []query.Order{{Path: value.FieldPath{"n"}}}}).Normalize()
	if err != nil {
		b.Fatal(err)
	}
	const documents, clients, before = 64, 8, 50_000
	set := func(i, n int) {
		commit(b, e, document.Write{Name: name(i % documents), Fields: value.Map{"n": value.Int(n)}})
	}
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for n := c; n < before; n += clients {
				set(n, n)
			}
		})
	}
	all.Wait()
	ctx, stop := context.WithCancel(b.Context())
	for c := range clients {
		all.Go(func() {
			for n := before + c; ctx.Err() == nil; n += clients {
				set(n, n)
			}
		})
	}
	for b.Loop() {
		r, err := e.Read(b.Context(), db, request.At{})
		if err != nil {
			b.Fatal(err)
		}
		if stats, err := r.Query(b.Context(), q, func(*document.Document) error { return nil }); err != nil || stats.Results != 20 {
			b.Fatalf("%+v, %v", stats, err)
		}
		r.Close()
	}
	stop()
	all.Wait()
}
