package authz_test

import (
	"testing"

	"clave/server/internal/database/authz"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
	"clave/server/internal/observe/usage"
)

// source returns a source of a pipeline.
func source(stage, path string) request.Stage {
	return request.Stage{Name: stage, Args: []request.Expression{request.Constant{Value: value.Reference(path)}}}
}

// pipe executes a pipeline as ann.
func (h *fixture) pipe(stages ...request.Stage) error {
	p, err := pipeline.Compile(testDB, stages)
	if err != nil {
		return err
	}
	_, err = h.authorizer.Pipeline(h.t.Context(), user("ann"), testDB, authz.PipelineRead{Pipeline: p}, func(authz.Snapshot) error { return nil },
		func(request.PipelineRow) error { return nil })
	return err
}

// TestBillsByRule counts what each rule has decided: documents, lookups, writes and denials, for each kind of call.
func TestBillsByRule(t *testing.T) {
	ann := user("ann")
	a, orders := usage.Rule{Line: 5, Match: "/a/{id}"}, usage.Rule{Line: 6, Match: "/users/{u}/orders/{o}"}
	readB, writeB, closed := usage.Rule{Line: 8, Match: "/b/{id}"}, usage.Rule{Line: 10, Match: "/b/{id}"}, usage.Rule{Line: 12, Match: "/c/{id}"}
	none := usage.Rule{Match: usage.NoRule}
	for what, tt := range map[string]struct {
		do   func(h *fixture) error
		want map[usage.Rule]usage.Counts
	}{
		"a get of several collections": {func(h *fixture) error {
			_, err := h.get(ann, "b/1", "a/01", "a/none", "users/ann/orders/1", "b/2")
			return err
		}, map[usage.Rule]usage.Counts{readB: {Documents: 2, Lookups: 2}, a: {Calls: 1, Documents: 1, Missing: 1}, orders: {Documents: 1}}},
		"a denied get": {func(h *fixture) error { _, err := h.get(ann, "a/01", "c/1"); return denial(err) },
			map[usage.Rule]usage.Counts{a: {Calls: 1}, closed: {Lookups: 1, Denials: 1}}},
		"a get for which there is no rule": {func(h *fixture) error { _, err := h.get(ann, "other/1"); return denial(err) },
			map[usage.Rule]usage.Counts{none: {Calls: 1, Denials: 1}}},
		"a query":        {func(h *fixture) error { _, err := h.list(ann, all(h.t, "b")); return err }, map[usage.Rule]usage.Counts{readB: {Calls: 1, Documents: 2, Lookups: 2}}},
		"a denied query": {func(h *fixture) error { _, err := h.list(ann, all(h.t, "c")); return denial(err) }, map[usage.Rule]usage.Counts{closed: {Calls: 1, Lookups: 1, Denials: 1}}},
		"an aggregation": {func(h *fixture) error { return h.aggregate(ann, "a") }, map[usage.Rule]usage.Counts{a: {Calls: 1, Entries: 1}}},
		"a commit of several writes of a document": {func(h *fixture) error {
			return h.commit(ann, set("b/3", value.Map{}), set("a/01", value.Map{}), set("b/3", value.Map{"n": value.Int(1)}), document.Write{Op: document.Delete, Name: name("a/02")})
		}, map[usage.Rule]usage.Counts{a: {Calls: 1, Writes: 1, Deletes: 1}, writeB: {Writes: 2, Lookups: 1}}},
		"a denied commit": {func(h *fixture) error {
			return denial(h.commit(ann, set("a/01", value.Map{}), set("c/1", value.Map{})))
		},
			map[usage.Rule]usage.Counts{a: {Calls: 1}, none: {Denials: 1}}},
		"a pipeline of two collections": {func(h *fixture) error {
			return h.pipe(source("collection", "/a"), request.Stage{Name: "union", Args: []request.Expression{request.Subpipeline{source("collection", "/b")}}})
		}, map[usage.Rule]usage.Counts{a: {Calls: 1, Documents: 25}, readB: {Documents: 2, Lookups: 2}}},
		"a live query": {func(h *fixture) error {
			l := h.listen(ann)
			l.stream.Add(target.Target{ID: 1, Query: all(h.t, "b")})
			l.await(target.Snapshot)
			return nil
		}, map[usage.Rule]usage.Counts{readB: {Calls: 1, Documents: 2, Lookups: 2}}},
		"a denied live query": {func(h *fixture) error {
			l := h.listen(ann)
			l.stream.Add(target.Target{ID: 1, Query: all(h.t, "c")})
			l.await(target.Removed)
			return nil
		}, map[usage.Rule]usage.Counts{closed: {Calls: 1, Lookups: 1, Denials: 1}}},
		"a server": {func(h *fixture) error { _, err := h.get(server, "a/01"); return err }, map[usage.Rule]usage.Counts{}},
	} {
		t.Run(what, func(t *testing.T) {
			h, m := newBilled(t)
			if err := tt.do(h); err != nil {
				t.Fatal(err)
			}
			got := make(map[usage.Rule]usage.Counts)
			for _, r := range m.Report("p").Rules {
				r.Sent = 0
				got[r.Rule] = r.Counts
			}
			for rule, want := range tt.want {
				if got[rule] != want {
					t.Errorf("%s: %+v, want %+v", rule, got[rule], want)
				}
			}
			if len(got) != len(tt.want) {
				t.Errorf("the rules are %+v", got)
			}
		})
	}
}

// TestBillOfUnsortedGets requests documents of two collections in another order than the one in which they are read:
// each is counted for its own collection.
func TestBillOfUnsortedGets(t *testing.T) {
	h, m := newBilled(t)
	if _, err := h.get(server, "b/1", "a/none", "b/2"); err != nil {
		t.Fatal(err)
	}
	for _, row := range m.Report("p").Rows {
		if of := row.Documents*10 + row.Missing; row.Pattern == "a" && of != 1 || row.Pattern == "b" && of != 20 {
			t.Errorf("row %+v", row)
		}
	}
}
