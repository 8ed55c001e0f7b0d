package authz_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// TestSumsOfPipelines compares random aggregates over random documents, which may become an aggregation on an index,
// with those behind a stage that lets all rows pass, which are computed from the rows, with and without indexes.
func TestSumsOfPipelines(t *testing.T) {
	var e *engine.Engine
	h := newFixtureWith(t, authz.RulesetsOptions{}, func(o *authz.Options) { e = o.Engine })
	random := rand.New(rand.NewPCG(33, 7)) //nolint:gosec // The same in each run.
	values := []value.Value{
		nil, nil, value.Null{}, value.Int(1), value.Int(-3), value.Int(math.MaxInt64), value.Int(math.MinInt64), value.Double(0.1), value.Double(math.Copysign(0, -1)),
		value.Double(1e300), value.Double(math.Inf(1)), value.Double(math.NaN()), value.String("x"), value.Array{value.Int(1)}, value.Map{"k": value.Int(2)}, value.Int(7),
	}
	var writes []document.Write
	for i := range 80 {
		fields := value.Map{"g": value.Int(i % 8)}
		for _, name := range []string{"a", "b"} {
			// The documents of a group have a few kinds of values only, so that not all sums are NaN.
			if v := values[(i%8*3+random.IntN(4))%len(values)]; v != nil {
				fields[name] = v
			}
		}
		writes = append(writes, set(fmt.Sprintf("c/%02d", i), fields))
	}
	h.seed(writes...)
	field := func(name string) request.Expression { return request.FieldReference(name) }
	call := func(name string, args ...request.Expression) request.Expression {
		return &request.Call{Name: name, Args: args}
	}
	pick := func(from ...request.Expression) request.Expression { return from[random.IntN(len(from))] }
	some := 0
	for round := range 400 {
		if round == 200 {
			defs := index.Definitions{Indexes: []index.Definition{{CollectionGroup: "c", Fields: []index.Field{{Path: "g"}, {Path: "a"}}}}}
			if err := e.SetIndexes(t.Context(), testDB, defs); err != nil {
				t.Fatal(err)
			}
		}
		stages := []request.Stage{from("c")}
		if random.IntN(4) > 0 {
			compare := []string{"equal", "less_than", "greater_than_or_equal"}[random.IntN(3)]
			stages = append(stages, request.Stage{Name: "where", Args: []request.Expression{call(compare, field("g"), constant(value.Int(random.IntN(8))))}})
		}
		of := pick(field("a"), field("b"))
		sums := request.MapOf{}
		for i := range 1 + random.IntN(3) {
			sums[fmt.Sprintf("out%d.x", i)] = pick(call("count"), call("sum", of), call("average", of), call("sum", of), call("average", field("a")), call("count", of), call("maximum", of))
		}
		aggregate := request.Stage{Name: "aggregate", Args: []request.Expression{sums}}
		pass := request.Stage{Name: "where", Args: []request.Expression{constant(value.Bool(true))}}
		got, err := rowsOf(t, h.authorizer, server, testDB, append(slices.Clone(stages), aggregate))
		want, wantErr := rowsOf(t, h.authorizer, server, testDB, append(slices.Clone(stages), pass, aggregate))
		if fault.CodeOf(err) != fault.CodeOf(wantErr) || !slices.Equal(got, want) {
			t.Errorf("round %d, %v: %v, %v; from rows: %v, %v", round, stages, got, err, want, wantErr)
		}
		if len(got) == 1 && err == nil {
			some++
		}
	}
	if some < 300 {
		t.Errorf("only %d rounds have a result", some)
	}
}

// TestSumsOfPipelinesAreJudged aggregates as a user: rules decide as about the query.
func TestSumsOfPipelinesAreJudged(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules("match /c/{x} { allow list: if resource.data.owner == request.auth.uid; }")
	h.seed(set("c/1", value.Map{"owner": value.String("ann"), "n": value.Int(3)}), set("c/2", value.Map{"owner": value.String("eve"), "n": value.Int(4)}))
	sum := request.Stage{Name: "aggregate", Args: []request.Expression{request.MapOf{"n": &request.Call{Name: "sum", Args: []request.Expression{request.FieldReference("n")}}}}}
	own := request.Stage{Name: "where", Args: []request.Expression{&request.Call{Name: "equal", Args: []request.Expression{request.FieldReference("owner"), constant(value.String("ann"))}}}}
	_, err := rowsOf(t, h.authorizer, user("ann"), testDB, []request.Stage{from("c"), sum})
	wants(t, "the sum of all", err, fault.PermissionDenied)
	rows, err := rowsOf(t, h.authorizer, user("ann"), testDB, []request.Stage{from("c"), own, sum})
	wants(t, "the sum of one's own", err, fault.OK)
	if want := []string{fmt.Sprintf(" %v", value.Map{"n": value.Int(3)})}; !slices.Equal(rows, want) {
		t.Errorf("%v, want %v", rows, want)
	}
	_, err = rowsOf(t, h.authorizer, user("eve"), testDB, []request.Stage{from("c"), own, sum})
	wants(t, "another user's sum", err, fault.PermissionDenied)
}
