package listen_test

import (
	"fmt"
	"strconv"
	"testing"

	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// BenchmarkManyFilters measures a commit of a large document until all streams have its changes, beside many different
// queries of its collection group that do not match it and whose filters are expensive for it.
func BenchmarkManyFilters(b *testing.B) {
	tags := make(value.Array, 6_000)
	members := make(value.Map, 3_000)
	for i := range tags {
		tags[i] = value.Int(i)
	}
	for i := range 3_000 {
		members["member"+strconv.Itoa(i)] = value.Int(i)
	}
	fields := value.Map{"tags": tags, "map": members, "n": value.Int(1)}
	list := func(n, items int, item func(i int) value.Value) value.Array {
		out := make(value.Array, items)
		for i := range out {
			out[i] = item(n*items + i + 1)
		}
		return out
	}
	negative := func(i int) value.Value { return value.Int(-i) }
	one := func(i int) value.Value { return value.Map{"member0": value.Int(-i)} }
	for _, f := range []struct {
		name   string
		filter func(n int) query.Filter
	}{
		{"range", func(n int) query.Filter {
			return query.Field{Path: value.FieldPath{"n"}, Op: query.GreaterThan, Value: value.Int(n + 1)}
		}},
		{"array-contains", func(n int) query.Filter {
			return query.Field{Path: value.FieldPath{"tags"}, Op: query.ArrayContains, Value: value.Int(-n - 1)}
		}},
		{"array-contains-any", func(n int) query.Filter {
			return query.Field{Path: value.FieldPath{"tags"}, Op: query.ArrayContainsAny, Value: list(n, 30, negative)}
		}},
		{"equal map", func(n int) query.Filter {
			return query.Field{Path: value.FieldPath{"map"}, Op: query.Equal, Value: one(n)}
		}},
		{"in maps", func(n int) query.Filter {
			return query.Field{Path: value.FieldPath{"map"}, Op: query.In, Value: list(n, 30, one)}
		}},
	} {
		for _, queries := range []int{100, 1000} {
			b.Run(fmt.Sprintf("filter=%s/queries=%d", f.name, queries), func(b *testing.B) {
				h := newFixture(b, listen.Options{})
				c := h.open()
				for i := range queries {
					q := collection(b, "c", func(q *query.Query) { q.From[0].AllDescendants, q.Where = true, f.filter(i) })
					c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: int32(i + 1), Query: q}})
				}
				for current := 0; current < queries; {
					switch e := <-c.events; e.Kind {
					case target.Current:
						current++
					case target.Removed:
						b.Fatal(e.Cause)
					}
				}
				large := set("c/large", 1)
				large.Op, large.Fields = document.Update, fields
				for b.Loop() {
					h.commit(large)
					if err := h.hub.Settle(b.Context(), ""); err != nil {
						b.Fatal(err)
					}
				}
				c.close()
			})
		}
	}
}
