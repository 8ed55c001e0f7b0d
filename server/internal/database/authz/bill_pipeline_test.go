package authz_test

import (
	"testing"

	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
	"clave/server/internal/observe/usage"
)

// TestBillOfPipelines counts what the sources of pipelines read, by their patterns, and the lookups of their rules.
func TestBillOfPipelines(t *testing.T) {
	a, b := source("collection", "/a"), source("collection", "/b")
	ten := request.Stage{Name: "limit", Args: []request.Expression{request.Constant{Value: value.Int(10)}}}
	union := request.Stage{Name: "union", Args: []request.Expression{request.Subpipeline{b}}}
	for name, c := range map[string]struct {
		stages  []request.Stage
		pattern string
		want    usage.Counts
	}{
		"a collection":            {[]request.Stage{a}, "a", usage.Counts{Calls: 1, Documents: 25}},
		"two":                     {[]request.Stage{a, union}, "", usage.Counts{Calls: 1, Documents: 27, Lookups: 2}},
		"a document":              {[]request.Stage{source("documents", "/users/ann/orders/1")}, "users/*/orders", usage.Counts{Calls: 1, Documents: 1}},
		"one that is missing":     {[]request.Stage{source("documents", "/a/none")}, "a", usage.Counts{Calls: 1, Missing: 1}},
		"nothing":                 {[]request.Stage{source("collection", "/users/none/orders"), ten}, "users/*/orders", usage.Counts{Calls: 1, Minimum: 1}},
		"a collection of lookups": {[]request.Stage{b}, "b", usage.Counts{Calls: 1, Documents: 2, Lookups: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			h, m := newBilled(t)
			if err := h.pipe(c.stages...); err != nil {
				t.Fatal(err)
			}
			r := m.Report("p")
			if r.Total.Counts != c.want {
				t.Errorf("billed %+v, want %+v", r.Total.Counts, c.want)
			}
			if c.pattern != "" && (len(r.Rows) != 1 || r.Rows[0].Pattern != c.pattern || r.Rows[0].Call != "pipeline") {
				t.Errorf("rows %+v, want one of %s", r.Rows, c.pattern)
			}
		})
	}
}
