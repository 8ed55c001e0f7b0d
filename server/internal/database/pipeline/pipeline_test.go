package pipeline_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/query/querytest"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// testDB is the database of the tests.
var testDB = resource.Database{Project: "p", ID: "d"}

// memory is a source of documents in memory.
type memory struct{ docs []*document.Document }

func (m *memory) Query(_ context.Context, q, _ *query.Query, yield func(*document.Document) error) error {
	for _, d := range querytest.Page(q, querytest.Results(q, slices.Values(m.docs))) {
		if err := yield(d); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Get(_ context.Context, names []resource.Document, yield func(*document.Document) error) error {
	for _, d := range m.docs {
		if slices.Contains(names, d.Name) {
			if err := yield(d); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memory) Aggregate(_ context.Context, a *query.Aggregation, _ *query.Query) (map[string]value.Value, error) {
	sums := query.NewAccumulator(a)
	for _, d := range querytest.Results(a.Query, slices.Values(m.docs)) {
		sums.Add(d)
	}
	return sums.Results(), nil
}

func (m *memory) Judged() bool                    { return false }
func (m *memory) Work(context.Context, int) error { return nil }
func (m *memory) Hold(int64) error                { return nil }

func (m *memory) List(context.Context, *query.Query) error { return nil }

// call returns a call of a function.
func call(name string, args ...request.Expression) request.Expression {
	return &request.Call{Name: name, Args: args}
}

// constant returns a constant.
func constant(v value.Value) request.Expression { return request.Constant{Value: v} }

// stage returns a stage.
func stage(name string, args ...request.Expression) request.Stage {
	return request.Stage{Name: name, Args: args}
}

// collection is the source stage of the collection c.
var collection = stage("collection", constant(value.Reference("/c")))

// results runs stages and returns what they give.
func results(t *testing.T, m *memory, stages ...request.Stage) ([]request.PipelineRow, error) {
	t.Helper()
	return resultsOf(t, m, stages...)
}

// resultsOf runs stages on a source.
func resultsOf(t *testing.T, m pipeline.Source, stages ...request.Stage) ([]request.PipelineRow, error) {
	t.Helper()
	p, err := pipeline.Compile(testDB, stages)
	if err != nil {
		return nil, err
	}
	var out []request.PipelineRow
	_, err = p.Run(t.Context(), m, time.Unix(1e9, 0), func(r request.PipelineRow) error {
		out = append(out, r)
		return nil
	})
	return out, err
}

// collected runs stages, the last of which may write, and returns what that would write.
func collected(t *testing.T, m pipeline.Source, stages ...request.Stage) ([]pipeline.Change, error) {
	t.Helper()
	p, err := pipeline.Compile(testDB, stages)
	if err != nil || p.Kind() == pipeline.Reads {
		return nil, err
	}
	out, _, err := p.Collect(t.Context(), m, time.Unix(1e9, 0))
	return out, err
}

// nulls returns an array of n nulls.
func nulls(n int) value.Array {
	out := make(value.Array, n)
	for i := range out {
		out[i] = value.Null{}
	}
	return out
}

// random is the documents and the queries of a round.
type random struct{ *rand.Rand }

// value returns one of few values, so that they are often equal.
func (r random) value() value.Value {
	return []value.Value{
		value.Int(r.IntN(4)), value.Double(r.IntN(4)), value.Double(1.5), value.String("ab"[r.IntN(2):]), value.Bool(r.IntN(2) == 0),
		value.Array{value.Int(r.IntN(3)), value.String("b")}, value.Map{"x": value.Int(r.IntN(2))}, value.Timestamp{Seconds: int64(r.IntN(2))},
	}[r.IntN(8)]
}

// documents returns documents of the collections c and e.
func (r random) documents() []*document.Document {
	var out []*document.Document
	for i := range 30 {
		fields := value.Map{}
		for _, name := range []string{"a", "b", "c"} {
			switch r.IntN(6) {
			case 0:
			case 1:
				fields[name] = value.Null{}
			default:
				fields[name] = r.value()
			}
		}
		out = append(out, &document.Document{Name: resource.Document{DB: testDB, Path: fmt.Sprintf("%s/%02d", []string{"c", "e"}[r.IntN(2)], i)}, Fields: fields})
	}
	return out
}

// filter returns a random comparison as a filter of a query and of a pipeline.
func (r random) filter() (query.Filter, request.Expression) {
	ops := map[string]query.Op{
		"equal": query.Equal, "less_than": query.LessThan, "greater_than_or_equal": query.GreaterThanOrEqual, "array_contains": query.ArrayContains,
		"equal_any": query.In, "array_contains_any": query.ArrayContainsAny,
	}
	names := []string{"equal", "less_than", "greater_than_or_equal", "array_contains", "equal_any", "array_contains_any"}
	name, field, v := names[r.IntN(len(names))], []string{"a", "b", "c"}[r.IntN(3)], r.value()
	argument := constant(v)
	if strings.HasSuffix(name, "any") {
		w := r.value()
		v, argument = value.Array{v, w}, call("array", constant(v), constant(w))
	}
	return query.Field{Path: value.FieldPath{field}, Op: ops[name], Value: v}, call(name, request.FieldReference(field), argument)
}

// TestPipelinesAreQueries compares random queries with their pipelines: with and without the stages that become a
// query of the source, the documents and their order are the same. CLAVE_PIPELINE_QUERIES is the number of queries.
func TestPipelinesAreQueries(t *testing.T) {
	queries := 3000
	if n, err := strconv.Atoi(os.Getenv("CLAVE_PIPELINE_QUERIES")); err == nil {
		queries = n
	}
	compared, found := 0, 0
	for seed := range uint64(queries) {
		r := random{rand.New(rand.NewPCG(seed, 1))}
		m := &memory{r.documents()}
		q := &query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit}
		var stages []request.Stage
		var filters []query.Filter
		var conditions []request.Expression
		for range r.IntN(3) {
			f, e := r.filter()
			filters, conditions = append(filters, f), append(conditions, e)
		}
		ordered := r.IntN(2) == 0
		if ordered {
			conditions = append(conditions, call("exists", request.FieldReference("a")))
		}
		switch {
		case len(filters) == 2 && r.IntN(3) == 0 && !ordered:
			q.Where, stages = &query.Or{Filters: filters}, append(stages, stage("where", call("or", conditions...)))
		case len(conditions) > 0:
			stages = append(stages, stage("where", call("and", conditions...)))
			if len(filters) > 0 {
				q.Where = &query.And{Filters: filters}
			}
		}
		direction := []string{"ascending", "descending"}[r.IntN(2)]
		var orders []request.Expression
		for _, field := range map[bool][]string{true: {"a", "__name__"}, false: {"__name__"}}[ordered] {
			q.OrderBy = append(q.OrderBy, query.Order{Path: value.FieldPath{field}, Desc: direction == "descending"})
			orders = append(orders, request.MapOf{"direction": constant(value.String(direction)), "expression": request.FieldReference(field)})
		}
		stages = append(stages, stage("sort", orders...))
		if r.IntN(2) == 0 {
			q.Offset, q.Limit = r.IntN(3), 1+r.IntN(5)
			stages = append(stages, stage("offset", constant(value.Int(q.Offset))), stage("limit", constant(value.Int(q.Limit))))
		}
		normal, err := q.Normalize()
		if err != nil || len(normal.Requested()) != len(normal.OrderBy) {
			// The query orders by the fields of ranges, which a pipeline does not.
			pushed, err := results(t, m, append([]request.Stage{collection}, stages...)...)
			onRows, failed := results(t, m, append([]request.Stage{collection, stage("offset", constant(value.Int(0)))}, stages...)...)
			if err != nil || failed != nil || len(pushed) != len(onRows) {
				t.Fatalf("seed %d: %d results, %v; on rows %d, %v\n%v", seed, len(pushed), err, len(onRows), failed, q)
			}
			continue
		}
		compared++
		var want []string
		for _, d := range querytest.Page(normal, querytest.Results(normal, slices.Values(m.docs))) {
			want = append(want, d.Name.String())
		}
		found += len(want)
		for name, all := range map[string][]request.Stage{
			"pushed": append([]request.Stage{collection}, stages...), "on rows": append([]request.Stage{collection, stage("offset", constant(value.Int(0)))}, stages...),
		} {
			got, err := results(t, m, all...)
			var names []string
			for _, x := range got {
				names = append(names, x.Name())
			}
			if err != nil || !slices.Equal(names, want) {
				t.Fatalf("seed %d, %s: %v, %v; want %v\n%v", seed, name, names, err, want, q)
			}
		}
	}
	t.Logf("%d queries with %d documents were compared", compared, found)
	if compared < queries/3*2 || found < compared {
		t.Errorf("%d queries with %d documents were compared, want %d with more", compared, found, queries/3*2)
	}
}

// TestFunctions evaluates functions over a document.
func TestFunctions(t *testing.T) {
	d := &document.Document{Name: resource.Document{DB: testDB, Path: "c/x"}, Fields: value.Map{
		"n": value.Int(7), "s": value.String("añb"), "a": value.Array{value.Int(3), value.Int(1), value.Null{}}, "z": value.Null{},
	}}
	n, s, a, z, none := request.FieldReference("n"), request.FieldReference("s"), request.FieldReference("a"), request.FieldReference("z"), request.FieldReference("none")
	for _, c := range []struct {
		e    request.Expression
		want value.Value // nil for unset
	}{
		{call("add", n, constant(value.Double(0.5))), value.Double(7.5)},
		{call("divide", n, constant(value.Int(2))), value.Int(3)},
		{call("mod", constant(value.Int(-7)), constant(value.Int(2))), value.Int(-1)},
		{call("add", n, z), value.Null{}},
		{call("add", n, none), value.Null{}},
		{call("if_error", call("divide", n, constant(value.Int(0))), constant(value.Int(1))), value.Int(1)},
		{call("is_error", call("add", constant(value.Int(1<<62)), constant(value.Int(1<<62)))), value.Bool(true)},
		{call("and", constant(value.Bool(false)), call("equal", none, n)), value.Bool(false)},
		{call("or", z, constant(value.Bool(false))), value.Null{}},
		{call("equal", z, constant(value.Null{})), value.Bool(true)},
		{call("less_than", n, constant(value.String("x"))), value.Bool(false)},
		{call("exists", none), value.Bool(false)},
		{none, nil},
		{call("char_length", s), value.Int(3)},
		{call("byte_length", s), value.Int(4)},
		{call("like", s, constant(value.String("a_b"))), value.Bool(true)},
		{call("regex_match", s, constant(value.String("a"))), value.Bool(false)},
		{call("substring", s, constant(value.Int(-2)), constant(value.Int(1))), value.String("ñ")},
		{call("maximum", a), value.Int(3)},
		{call("minimum_n", a, constant(value.Int(5))), value.Array{value.Int(1), value.Int(3)}},
		{call("array_get", a, constant(value.Int(9))), nil},
		{call("array_filter", a, constant(value.String("i")), call("greater_than", request.Variable("i"), constant(value.Int(1)))), value.Array{value.Int(3)}},
		{call("timestamp_trunc", constant(value.Timestamp{Seconds: -1}), constant(value.String("day"))), value.Timestamp{Seconds: -86400}},
		{call("timestamp_extract", constant(value.Timestamp{Seconds: 1767225600}), constant(value.String("isoweek"))), value.Int(1)},
		{call("unix_millis_to_timestamp", constant(value.Int(-1))), value.Timestamp{Seconds: -1, Nanos: 999e6}},
		{call("map_get", call("map", constant(value.String("k")), n), constant(value.String("k"))), value.Int(7)},
		{call("cosine_distance", constant(value.Vector(1, 0)), constant(value.Vector(0, 2))), value.Double(1)},
		{call("document_id", request.FieldReference("__name__")), value.String("x")},
		{call("is_error", call("cosine_distance", constant(value.Vector(0, 0)), constant(value.Vector(1, 2)))), value.Bool(true)},
		{call("is_error", call("map_get", constant(value.Vector(1)), constant(value.String("value")))), value.Bool(true)},
		{call("to_upper", constant(value.String("straße"))), value.String("STRASSE")},
		{call("round", constant(value.Double(4.567)), constant(value.Int(2))), value.Double(4.57)},
		{call("array", request.Subpipeline{collection}), value.Array{d.Fields}},
		{call("exists", request.Subpipeline{collection, stage("limit", constant(value.Int(0)))}), value.Bool(false)},
	} {
		got, err := results(t, &memory{[]*document.Document{d}}, collection, stage("select", request.MapOf{"r": c.e}))
		if err != nil || len(got) != 1 {
			t.Errorf("%v: %v, %v", c.e, got, err)
			continue
		}
		v := got[0].Document.Fields["r"]
		if v == nil || c.want == nil {
			if v != c.want {
				t.Errorf("%v = %v, want %v", c.e, v, c.want)
			}
		} else if !value.Identical(v, c.want) {
			t.Errorf("%v = %v, want %v", c.e, v, c.want)
		}
	}
}

// TestInvalidPipelines compiles and runs pipelines that are refused.
func TestInvalidPipelines(t *testing.T) {
	m := &memory{[]*document.Document{{Name: resource.Document{DB: testDB, Path: "c/x"}, Fields: value.Map{"s": value.String("x")}}}}
	deep := request.Expression(constant(value.Bool(true)))
	for range 90 {
		deep = call("not", deep)
	}
	s := request.FieldReference("s")
	for text, stages := range map[string][]request.Stage{
		"requires at least one stage":                            nil,
		"cannot begin with the stage 'where'":                    {stage("where", constant(value.Bool(true)))},
		"UNIMPLEMENTED: The stage search is not implemented.":    {collection, stage("search")},
		"UNIMPLEMENTED: The type ObjectId is not implemented.":   {collection, stage("where", call("equal", s, constant(value.Map{"__oid__": value.String("x")})))},
		"UNIMPLEMENTED: The type Regex is not implemented.":      {collection, stage("select", request.MapOf{"r": request.MapOf{"__regex__": s}})},
		"UNIMPLEMENTED: The type Int32 is not implemented.":      {collection, stage("update", request.MapOf{"r": call("array", call("map", constant(value.String("__int__")), s))})},
		"UNIMPLEMENTED: The type Decimal128 is not implemented.": {stage("literals", constant(value.Map{"n": value.Array{value.Map{"__decimal128__": value.String("1")}}})), {Name: "insert", Options: map[string]request.Expression{"collection": constant(value.Reference("/d"))}}},
		"Unknown stage: 'nope'.":                                 {collection, stage("nope")},
		"Unknown function: 'nope'.":                              {collection, stage("where", call("nope"))},
		"takes [3..3] argument(s), but 2 were provided":          {collection, stage("select", request.MapOf{"r": call("reference_slice", s, s)})},
		"nested too deeply":                                      {collection, stage("where", call("equal", constant(value.Int(1)), deep))},
		"array_get(...) requires `Array` but got `STRING`.":      {collection, stage("select", request.MapOf{"r": call("array_get", s, constant(value.Int(1)))})},
		"requires a number that is not negative":                 {collection, stage("limit", constant(value.Int(-1)))},
		"invalid path":                                           {stage("collection", constant(value.Reference("/c/d")))},
		"lacks a resource id at index 6":                         {stage("documents", constant(value.Reference("/c/x/y/")))},
		"invalid regular expression":                             {collection, stage("where", call("regex_match", s, constant(value.String("("))))},
		"The stage delete must be the last one":                  {collection, stage("delete"), stage("limit", constant(value.Int(1)))},
		"The stage insert must be the last one":                  {stage("insert")},
		"The stage update must be the last one":                  {collection, stage("union", request.Subpipeline{collection, stage("update")})},
		"The stage upsert must be the last one":                  {collection, stage("select", request.MapOf{"r": call("array", request.Subpipeline{collection, stage("upsert")})})},
		"The stage delete takes 0 argument(s)":                   {collection, stage("delete", constant(value.Map{}))},
		"The stage update has no option 'collection'.":           {collection, {Name: "update", Options: map[string]request.Expression{"collection": constant(value.Reference("/d"))}}},
		"The stage collection has an invalid path":               {collection, {Name: "insert", Options: map[string]request.Expression{"collection": constant(value.Reference("/d/x"))}}},
		"The stage insert requires ids":                          {collection, {Name: "insert", Options: map[string]request.Expression{"document_id": constant(value.Int(1))}}},
		"requires documents with the field `__name__`":           {collection, stage("select", request.MapOf{"s": s}), stage("delete")},
		"A pipeline writes at most 20000 documents":              {stage("literals", request.MapOf{"a": constant(make(value.Array, 0))}), stage("unnest", constant(nulls(20_001)), request.FieldReference("a")), {Name: "insert", Options: map[string]request.Expression{"collection": constant(value.Reference("/d"))}}},
		"RESOURCE_EXHAUSTED: A value that the pipeline computes": {collection, stage("where", call("is_error", call("string_repeat", s, constant(value.Int(1<<40)))))},
	} {
		_, err := results(t, m, stages...)
		if err == nil {
			_, err = collected(t, m, stages...)
		}
		code, message, both := strings.Cut(text, ": ")
		if !both || strings.ToUpper(code) != code {
			code, message = "INVALID_ARGUMENT", text
		}
		if err == nil || !strings.Contains(err.Error(), message) || fault.CodeOf(err).String() != code {
			t.Errorf("%v (%v), want %s", err, fault.CodeOf(err), text)
		}
	}
}

// TestStagesAndFunctionsAreDocumented compares the page about pipelines with the code. CLAVE_REWRITE=1 writes its
// tables.
func TestStagesAndFunctionsAreDocumented(t *testing.T) {
	const page = "../../../doc/pipelines.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(text), "## Functions\n")
	want := before + "## Functions\n\n" + pipeline.Documentation()
	if found && string(text) == want {
		return
	}
	if os.Getenv("CLAVE_REWRITE") == "1" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s differs from the table of functions. CLAVE_REWRITE=1 go test -run %s writes it.", page, t.Name())
}

// FuzzPipelines parses, compiles and runs requests. They never panic.
func FuzzPipelines(f *testing.F) {
	for _, name := range []string{"add", "regex_match", "string_repeat", "array_get"} {
		seed, err := proto.Marshal(&pb.ExecutePipelineRequest{
			Database: testDB.String(), PipelineType: &pb.ExecutePipelineRequest_StructuredPipeline{StructuredPipeline: &pb.StructuredPipeline{Pipeline: &pb.Pipeline{Stages: []*pb.Pipeline_Stage{
				{Name: "literals", Args: []*pb.Value{{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: map[string]*pb.Value{"a": {ValueType: &pb.Value_IntegerValue{IntegerValue: 1}}}}}}}},
				{Name: "where", Args: []*pb.Value{{ValueType: &pb.Value_FunctionValue{FunctionValue: &pb.Function{Name: name, Args: []*pb.Value{{ValueType: &pb.Value_FieldReferenceValue{FieldReferenceValue: "a"}}, {ValueType: &pb.Value_StringValue{StringValue: "x"}}}}}}}},
			}}}},
		})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var r pb.ExecutePipelineRequest
		if proto.Unmarshal(b, &r) != nil {
			return
		}
		db, parsed, err := wire.ParseExecutePipeline(&r)
		if err != nil {
			return
		}
		p, err := pipeline.Compile(db, parsed.Stages)
		if err != nil {
			return
		}
		_, _ = p.Run(t.Context(), &memory{}, time.Unix(1e9, 0), func(request.PipelineRow) error { return nil })
	})
}

// TestComputedValuesAreBounded runs pipelines that would compute far more than they read: many large values in a row,
// in the variables of rows that are held, as arguments of one function, and one after the other. Each must end with
// ResourceExhausted.
func TestComputedValuesAreBounded(t *testing.T) {
	large := call("string_repeat", constant(value.String("abcdefgh")), constant(value.Int(1<<20)))
	many := func(n int) request.MapOf {
		out := request.MapOf{}
		for i := range n {
			out[fmt.Sprintf("f%d", i)] = large
		}
		return out
	}
	literal := stage("literals", request.MapOf{"a": constant(value.Int(1))})
	one := []request.Stage{literal}
	for i := range 20 {
		one = append(one, stage("add_fields", request.MapOf{fmt.Sprintf("f%d", i): large}))
	}
	unnested := []request.Stage{literal}
	for i := range 20 {
		unnested = append(unnested, stage("unnest", call("array", large), request.FieldReference(fmt.Sprintf("f%d", i))))
	}
	var merged []request.Stage
	merged = append(merged, literal)
	for i := range 20 {
		merged = append(merged, request.Stage{Name: "replace_with", Args: []request.Expression{request.MapOf{fmt.Sprintf("f%d", i): large}, constant(value.String("merge_keep_existing"))}})
	}
	arguments, deep := make([]request.Expression, 100), large
	for i := range arguments {
		arguments[i] = large
	}
	for range 10 {
		deep = call("string_concat", large, call("substring", deep, constant(value.Int(0)), constant(value.Int(1))))
	}
	numbers := value.Array{}
	for i := range 1000 {
		numbers = append(numbers, value.Int(i))
	}
	work := call("char_length", large)
	for range 3 {
		work = call("array_filter", constant(numbers), constant(value.String("x")), call("equal", work, constant(value.Int(0))))
	}
	for name, stages := range map[string][]request.Stage{
		"select":                 {literal, stage("select", many(20))},
		"add_fields":             {literal, stage("add_fields", many(20))},
		"add_fields in stages":   one,
		"let":                    {literal, stage("let", many(20))},
		"unnest":                 unnested,
		"replace_with":           merged,
		"arguments":              {literal, stage("where", call("equal", constant(value.Int(1)), call("string_concat", arguments...)))},
		"arguments of arguments": {literal, stage("where", call("equal", constant(value.Int(1)), deep))},
		"work":                   {literal, stage("where", call("equal", work, constant(value.Int(0))))},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := resultsOf(t, &working{left: 1 << 21}, stages...); fault.CodeOf(err) != fault.ResourceExhausted {
				t.Errorf("%d results, %v; want ResourceExhausted", len(got), err)
			}
		})
	}
}

// holding is a source whose stages may hold a number of bytes.
type holding struct {
	memory
	left int64
}

func (h *holding) Hold(n int64) error {
	if h.left -= n; h.left < 0 {
		return fault.E(fault.ResourceExhausted, "too many rows")
	}
	return nil
}

// TestComputedValuesOfHeldRowsCount runs stages that hold large values beside the fields of rows: variables, keys of an
// order, and values of aggregates.
func TestComputedValuesOfHeldRowsCount(t *testing.T) {
	large := call("string_repeat", constant(value.String("a")), constant(value.Int(1<<20)))
	rows := stage("literals", request.MapOf{"a": constant(value.Int(2))}, request.MapOf{"a": constant(value.Int(1))})
	sorted := func(by request.Expression) request.Stage {
		return stage("sort", request.MapOf{"expression": by, "direction": constant(value.String("ascending"))})
	}
	aggregated := func(name string) []request.Stage {
		return []request.Stage{rows, stage("aggregate", request.MapOf{"x": call(name, large)}, request.MapOf{"a": request.FieldReference("a")})}
	}
	for name, stages := range map[string][]request.Stage{
		"variables": {rows, stage("let", request.MapOf{"x": large}), sorted(request.FieldReference("a"))},
		"keys":      {rows, sorted(large)},
		"maximum":   aggregated("maximum"),
		"first":     aggregated("first"),
		"last":      aggregated("last"),
	} {
		t.Run(name, func(t *testing.T) {
			p, err := pipeline.Compile(testDB, stages)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Run(t.Context(), &holding{left: 1 << 20}, time.Unix(1e9, 0), func(request.PipelineRow) error { return nil })
			if fault.CodeOf(err) != fault.ResourceExhausted {
				t.Errorf("%v; want ResourceExhausted", err)
			}
		})
	}
}
