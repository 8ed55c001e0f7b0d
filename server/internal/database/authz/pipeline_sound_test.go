package authz_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// pipelineGenerator generates rules, documents of the collection c, and pipelines.
type pipelineGenerator struct {
	*rand.Rand
	// kind and number are those of a filter that may prove the condition of the rules.
	kind, number int
}

// choose returns one of the items.
func choose[T any](g *pipelineGenerator, items ...T) T { return items[g.IntN(len(items))] }

// provable are conditions of rules, each with a filter of which all results fulfill it: its kind and number
// (comparison).
var provable = []struct {
	condition    string
	kind, number int
}{
	{"resource.data.owner == request.auth.uid", 0, 0}, {"resource.data.n == 1", 1, 1}, {"resource.data.n < 2", 2, 2}, {"resource.data.n < 2", 1, 0},
	{"resource.data.n >= 1", 3, 1}, {"resource.data.n in [0, 2]", 1, 2}, {"'x' in resource.data.tags", 4, 0}, {"resource.data.n != 1", 6, 1}, {"resource.data.m.k == 1", 5, 0},
}

// condition returns a condition of rules on a document and the caller, and remembers a filter that may prove it.
func (g *pipelineGenerator) condition(depth int) string {
	if depth > 0 && g.IntN(3) == 0 {
		return fmt.Sprintf("(%s %s %s)", g.condition(depth-1), choose(g, "&&", "||"), g.condition(depth-1))
	}
	if g.IntN(8) == 0 {
		return choose(g, "!('n' in resource.data)", "true", "request.auth.uid == 'eve'")
	}
	p := provable[g.IntN(len(provable))]
	g.kind, g.number = p.kind, p.number
	return p.condition
}

// fields returns the fields of a document.
func (g *pipelineGenerator) fields() value.Map {
	out := value.Map{}
	for _, field := range []struct { // in this order, so that a seed makes the same fields again
		name string
		v    value.Value
	}{
		{"owner", value.String(choose(g, "ann", "eve"))},
		{"n", choose[value.Value](g, value.Int(g.IntN(3)), value.Int(g.IntN(3)), value.Int(g.IntN(3)), value.Null{})},
		{"m", value.Map{"k": value.Int(g.IntN(2))}},
		{"tags", choose(g, value.Array{value.String("x")}, value.Array{value.String("y"), value.Int(1)}, value.Array{})},
	} {
		if g.IntN(5) > 0 {
			out[field.name] = field.v
		}
	}
	return out
}

// filter returns a comparison, as a query's filter and as an expression. Half of them may prove the condition.
func (g *pipelineGenerator) filter() (query.Filter, request.Expression) {
	if g.IntN(2) == 0 {
		return comparison(g.kind, g.number)
	}
	return comparison(g.IntN(7), g.IntN(3))
}

// comparison returns a comparison of a kind, with a number for those of n.
func comparison(kind, number int) (query.Filter, request.Expression) {
	field := func(path value.FieldPath, function string, op query.Op, v value.Value) (query.Filter, request.Expression) {
		return query.Field{Path: path, Op: op, Value: v}, &request.Call{Name: function, Args: []request.Expression{request.FieldReference(path.String()), constant(v)}}
	}
	switch n := value.Int(number); kind {
	case 0:
		return field(value.FieldPath{"owner"}, "equal", query.Equal, value.String("ann"))
	case 1:
		return field(value.FieldPath{"n"}, "equal", query.Equal, n)
	case 2:
		return field(value.FieldPath{"n"}, "less_than", query.LessThan, n)
	case 3:
		return field(value.FieldPath{"n"}, "greater_than_or_equal", query.GreaterThanOrEqual, n)
	case 4:
		return field(value.FieldPath{"tags"}, "array_contains", query.ArrayContains, value.String("x"))
	case 6: // A query leaves out null, which is another value too.
		f, e := field(value.FieldPath{"n"}, "not_equal", query.NotEqual, n)
		return &query.Or{Filters: []query.Filter{f, query.Unary{Path: value.FieldPath{"n"}, Op: query.IsNull}}}, e
	default:
		return field(value.FieldPath{"m", "k"}, "equal", query.Equal, value.Int(1))
	}
}

// where returns a stage, which may be one that is not pushed into the query of the source.
func (g *pipelineGenerator) where() request.Stage {
	_, e := g.filter()
	if g.IntN(3) == 0 {
		_, f := g.filter()
		e = &request.Call{Name: choose(g, "and", "or", "xor"), Args: []request.Expression{e, f}}
	}
	if g.IntN(5) == 0 {
		e = &request.Call{Name: "not", Args: []request.Expression{e}}
	}
	return request.Stage{Name: "where", Args: []request.Expression{e}}
}

// pipeline returns the stages of a pipeline with at most depth pipelines inside.
func (g *pipelineGenerator) pipeline(depth int) []request.Stage {
	out := []request.Stage{from("c")}
	if g.IntN(4) == 0 {
		out[0] = request.Stage{Name: "documents"}
		for range 1 + g.IntN(3) {
			out[0].Args = append(out[0].Args, constant(value.Reference(fmt.Sprintf("/c/%d", g.IntN(12)))))
		}
	}
	for range g.IntN(3) {
		out = append(out, g.where())
	}
	call := func(name string, args ...request.Expression) request.Expression {
		return &request.Call{Name: name, Args: args}
	}
	stage := func(name string, args ...request.Expression) {
		out = append(out, request.Stage{Name: name, Args: args})
	}
	n := request.FieldReference("n")
	for range g.IntN(4) {
		kind := g.IntN(11)
		if depth == 0 && kind > 7 {
			kind = 0
		}
		switch kind {
		case 0:
			out = append(out, g.where())
		case 1:
			stage("add_fields", request.MapOf{choose(g, "n", "owner", "z"): choose(g, call("add", n, constant(value.Int(1))), constant(value.String("ann")))})
		case 2:
			stage("sort", request.MapOf{"expression": choose[request.Expression](g, n, request.FieldReference("__name__")), "direction": constant(value.String(choose(g, "ascending", "descending")))})
		case 3:
			stage("limit", constant(value.Int(1+g.IntN(4))))
		case 4:
			stage("remove_fields", choose(g, n, request.FieldReference("owner")))
		case 5:
			stage("aggregate", request.MapOf{"count": call("count"), "all": call("array_agg", n)}, request.MapOf{"n": n})
		case 6:
			stage("distinct", request.MapOf{"owner": request.FieldReference("owner")})
		case 7:
			stage("unnest", request.FieldReference("tags"), request.FieldReference("tag"))
		case 8:
			stage("union", request.Subpipeline(g.pipeline(depth-1)))
		case 9:
			stage("add_fields", request.MapOf{"inner": call("array", request.Subpipeline(g.pipeline(depth-1)))})
		default:
			stage("where", call("exists", request.Subpipeline(g.pipeline(depth-1))))
		}
	}
	return out
}

// rowsOf runs stages as a caller and returns the rows as sorted texts.
func rowsOf(t *testing.T, az *authz.Authorizer, c token.Caller, db resource.Database, stages []request.Stage) ([]string, error) {
	t.Helper()
	p, err := pipeline.Compile(db, stages)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	_, err = az.Pipeline(t.Context(), c, db, authz.PipelineRead{Pipeline: p}, func(authz.Snapshot) error { return nil }, func(r request.PipelineRow) error {
		name := r.Name()
		out = append(out, fmt.Sprintf("%s %v", name[strings.LastIndexByte(name, '/')+1:], r.Document.Fields))
		return nil
	})
	slices.Sort(out)
	return out, err
}

// TestPipelinesAreSound runs random pipelines under random rules. What a user receives is what a server would receive
// from a database with only the documents that the user may get. A pipeline of filters is denied if the query with the
// same filters is. Composite indexes change nothing. CLAVE_PIPELINE_ROUNDS is the number of rulesets.
func TestPipelinesAreSound(t *testing.T) {
	rounds := 40
	if n, err := strconv.Atoi(os.Getenv("CLAVE_PIPELINE_ROUNDS")); err == nil {
		rounds = n
	}
	var e *engine.Engine
	h := newFixtureWith(t, authz.RulesetsOptions{}, func(o *authz.Options) { e = o.Engine })
	only, indexed := resource.Database{Project: "p", ID: "only"}, resource.Database{Project: "p", ID: "indexed"}
	defs := index.Definitions{}
	for _, fields := range [][]index.Field{
		{{Path: "owner"}, {Path: "n"}}, {{Path: "n"}, {Path: "owner", Mode: index.Descending}}, {{Path: "tags", Mode: index.Contains}, {Path: "n"}}, {{Path: "m.k"}, {Path: "n"}},
	} {
		defs.Indexes = append(defs.Indexes, index.Definition{CollectionGroup: "c", Fields: fields})
	}
	if err := e.SetIndexes(t.Context(), indexed, defs); err != nil {
		t.Fatal(err)
	}
	ann := user("ann")
	allowed, denied, rows, compared := 0, 0, 0, 0
	for seed := range uint64(rounds) {
		g := &pipelineGenerator{Rand: rand.New(rand.NewPCG(seed, 3))}
		h.rules("match /c/{id} { allow read: if " + g.condition(1) + "; }")
		var all, visible, copies []document.Write
		for i := range 12 {
			w := set(fmt.Sprintf("c/%d", i), g.fields())
			all = append(all, w)
			w.Name.DB = indexed
			copies = append(copies, w)
		}
		h.seed(all...)
		for _, w := range all {
			path := w.Name.Path
			w.Name.DB = only
			if _, err := h.get(ann, path); fault.Is(err, fault.PermissionDenied) {
				w = document.Write{Op: document.Delete, Name: w.Name}
			} else if err != nil {
				t.Fatal(err)
			}
			visible = append(visible, w)
		}
		for db, writes := range map[resource.Database][]document.Write{only: visible, indexed: copies} {
			if _, err := h.authorizer.Commit(t.Context(), server, db, request.Commit{Writes: writes}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 20 {
			stages := g.pipeline(2)
			got, err := rowsOf(t, h.authorizer, ann, testDB, stages)
			switch {
			case err == nil:
				allowed, rows = allowed+1, rows+len(got)
				want, err := rowsOf(t, h.authorizer, server, only, stages)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("seed %d, pipeline %d: the user receives\n%s\nand of the visible documents would\n%s, %v", seed, i, strings.Join(got, "\n"), strings.Join(want, "\n"), err)
				}
			case fault.Is(err, fault.PermissionDenied):
				denied++
			case !fault.Is(err, fault.InvalidArgument): // add of a text
				t.Fatalf("seed %d, pipeline %d: %v", seed, i, err)
			}
			plain, failed := rowsOf(t, h.authorizer, server, testDB, stages)
			other, err := rowsOf(t, h.authorizer, server, indexed, stages)
			if (failed == nil) != (err == nil) || !slices.Equal(plain, other) {
				t.Fatalf("seed %d, pipeline %d: with indexes\n%s, %v\nwithout\n%s, %v", seed, i, strings.Join(other, "\n"), err, strings.Join(plain, "\n"), failed)
			}
			compared += h.compareWithQuery(g, ann)
		}
	}
	t.Logf("%d pipelines were allowed, with %d rows, and %d denied; of %d with filters the query was denied", allowed, rows, denied, compared)
	if allowed < 2*rounds || denied < 2*rounds || rows < 2*rounds || compared < 2*rounds {
		t.Error("the test does not compare enough")
	}
}

// compareWithQuery runs a random query and its pipeline as a caller, and returns 1 if the query is denied, as the
// pipeline must be then.
func (h *fixture) compareWithQuery(g *pipelineGenerator, c token.Caller) int {
	h.t.Helper()
	q := &query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit}
	var filters []query.Filter
	stages := []request.Stage{from("c")}
	for range g.IntN(3) {
		f, e := g.filter()
		filters = append(filters, f)
		if g.IntN(4) == 0 {
			stages = append(stages, request.Stage{Name: "sort", Args: []request.Expression{request.MapOf{"expression": request.FieldReference("n"), "direction": constant(value.String("ascending"))}}})
		}
		stages = append(stages, request.Stage{Name: "where", Args: []request.Expression{e}})
	}
	if len(filters) > 0 {
		q.Where = &query.And{Filters: filters}
	}
	normal, err := q.Normalize()
	if err != nil {
		return 0
	}
	n, err := h.list(c, normal)
	rows, failed := rowsOf(h.t, h.authorizer, c, testDB, stages)
	switch {
	case fault.Is(err, fault.PermissionDenied):
		if failed == nil {
			h.t.Fatalf("the query %v is denied and its pipeline has %d rows", normal, len(rows))
		}
		return 1
	case err == nil && failed == nil && n != len(rows):
		h.t.Fatalf("the query %v has %d documents and its pipeline %d", normal, n, len(rows))
	}
	return 0
}
