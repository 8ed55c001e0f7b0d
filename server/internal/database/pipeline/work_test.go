package pipeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// wideMap returns a map with n members.
func wideMap(n int) value.Map {
	out := value.Map{}
	for i := range n {
		out[fmt.Sprintf("k%d", i)] = value.Int(i)
	}
	return out
}

// largeDocument returns a document with large values: text, an array, a map, a vector, and such values inside others.
func largeDocument() *document.Document {
	items, texts, numbers := make(value.Array, 10_000), make(value.Array, 10_000), make(value.Array, 20_000)
	for i := range items {
		items[i], texts[i] = value.Int(i), value.String("")
	}
	for i := range numbers {
		numbers[i] = value.Double(i)
	}
	text := value.String(strings.Repeat("abcdefghij", 10_000))
	return &document.Document{Name: resource.Document{DB: testDB, Path: "c/a"}, Fields: value.Map{
		"a": items, "t": texts, "m": value.Map{"x": wideMap(5000)}, "n": value.Map{"x": wideMap(5000)}, "w": wideMap(5000),
		"s": value.Array{text}, "v": value.Map{"__type__": value.String("__vector__"), "value": numbers},
		"at": value.Timestamp{Seconds: 1e9},
	}}
}

// TestWorkIsCounted runs expressions and stages that read or copy large values of one document for 100 rows, or compute
// much for each row from little. The work that they count is proportional to that.
func TestWorkIsCounted(t *testing.T) {
	field := func(name string) request.Expression { return request.FieldReference(name) }
	text := func(s string) request.Expression { return constant(value.String(s)) }
	where := func(e request.Expression) []request.Stage {
		return []request.Stage{stage("where", call("is_error", e))}
	}
	many, ands, list := request.MapOf{}, []request.Expression{}, request.ListOf{}
	for i := range 5000 {
		many[fmt.Sprintf("f%d", i)] = field("r")
		ands = append(ands, call("equal", field("r"), constant(value.Null{})))
		list = append(list, field("r"))
	}
	order := request.MapOf{"expression": field("at"), "direction": text("ascending")}
	merged := text("merge_keep_existing")
	one := request.MapOf{"z": field("at")}
	for name, stages := range map[string][]request.Stage{
		"equal maps":                where(call("equal", field("m"), field("n"))),
		"equal texts in arrays":     where(call("equal", field("s"), field("s"))),
		"cmp":                       where(call("cmp", field("m"), field("n"))),
		"equal_any":                 where(call("equal_any", field("m"), request.ListOf{field("n")})),
		"array_contains":            where(call("array_contains", field("s"), call("array_get", field("s"), constant(value.Int(0))))),
		"array_contains_all":        where(call("array_contains_all", field("s"), field("s"))),
		"array_contains_any":        where(call("array_contains_any", field("s"), field("s"))),
		"array_index_of":            where(call("array_index_of", field("s"), text("x"))),
		"array_index_of_all":        where(call("array_index_of_all", field("s"), text("x"))),
		"maximum":                   where(call("maximum", field("m"), field("n"))),
		"maximum of an array":       where(call("maximum", field("a"))),
		"maximum_n":                 where(call("maximum_n", field("a"), constant(value.Int(1)))),
		"storage_size":              where(call("storage_size", field("m"))),
		"vector_length":             where(call("vector_length", field("v"))),
		"length of a vector":        where(call("length", field("v"))),
		"dot_product":               where(call("dot_product", field("v"), field("v"))),
		"join of nothing":           where(call("join", field("t"), text(""))),
		"reverse":                   where(call("reverse", field("a"))),
		"and of many":               where(call("and", ands...)),
		"array of many":             where(call("array_length", list)),
		"add_fields into a map":     {stage("add_fields", request.MapOf{"m.x.k": field("at")})},
		"remove_fields of a map":    {stage("remove_fields", field("m.x.k1"))},
		"unnest into a map":         {stage("unnest", constant(nulls(2)), field("m.x.k"))},
		"the index of unnest":       {{Name: "unnest", Args: []request.Expression{constant(nulls(2)), field("y")}, Options: map[string]request.Expression{"index_field": field("m.x.k")}}},
		"add_fields to many":        {stage("replace_with", field("w")), stage("add_fields", one)},
		"replace_with into many":    {stage("replace_with", field("w")), stage("replace_with", one, merged)},
		"select of many":            {stage("select", many)},
		"add_fields of many":        {stage("add_fields", many)},
		"let of many":               {stage("let", many)},
		"distinct by many":          {stage("distinct", many)},
		"sort by many":              {stage("sort", slices.Repeat([]request.Expression{order}, 5000)...), stage("limit", constant(value.Int(1)))},
		"variables behind many":     {stage("let", many), stage("where", call("exists", request.Variable("f0")))},
		"the greatest of all":       {stage("aggregate", request.MapOf{"r": call("maximum", field("m"))})},
		"the last of all":           {stage("aggregate", request.MapOf{"r": call("last", field("m"))})},
		"different ones":            {stage("aggregate", request.MapOf{"r": call("count_distinct", field("m"))})},
		"groups by maps":            {stage("aggregate", request.MapOf{"r": call("count")}, request.MapOf{"k": field("m")})},
		"rows of a sort":            {stage("sort", order), stage("limit", constant(value.Int(1)))},
		"sample":                    {stage("sample", constant(value.Int(1)), text("documents"))},
		"the nearest":               {{Name: "find_nearest", Args: []request.Expression{field("v"), constant(value.Map{"__type__": value.String("__vector__"), "value": value.Array{value.Double(1)}}), text("euclidean")}}},
		"results":                   {},
		"unknown time zones":        where(call("timestamp_trunc", field("at"), text("day"), text("Europe/Nowhere"))),
		"pipelines without results": where(call("exists", request.Subpipeline{stage("collection", constant(value.Reference("/none")))})),
		"pipelines of documents":    where(call("exists", request.Subpipeline{stage("documents", slices.Repeat([]request.Expression{constant(value.Reference("/none/x"))}, 10)...)})),
	} {
		t.Run(name, func(t *testing.T) {
			all := append([]request.Stage{collection, stage("unnest", constant(nulls(100)), field("r"))}, stages...)
			if got, err := resultsOf(t, &working{memory{docs: []*document.Document{largeDocument()}}, 500}, all...); fault.CodeOf(err) != fault.ResourceExhausted {
				t.Errorf("%d results, %v; want ResourceExhausted", len(got), err)
			}
		})
	}
	// What reads little counts little.
	for name, e := range map[string]request.Expression{
		"exists": call("exists", field("m")), "type": call("type", field("s")), "map_get": call("map_get", field("w"), text("k1")), "offset": call("offset", field("a"), constant(value.Int(3))),
		"time zones": call("timestamp_trunc", field("at"), text("day"), text("Europe/Madrid")),
	} {
		if _, err := resultsOf(t, &working{memory{docs: []*document.Document{largeDocument()}}, 500}, append([]request.Stage{collection, stage("unnest", constant(nulls(100)), field("r"))}, where(e)...)...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTrimmingIsLinear trims a long text of characters of which the last of many others is one. Reading all of these
// for each character of the text would take minutes.
func TestTrimmingIsLinear(t *testing.T) {
	long, others := strings.Repeat("z", 1_000_000), strings.Repeat("é", 500_000)+"z"
	for name, want := range map[string]string{"trim": "é", "ltrim": "é" + long, "rtrim": long + "é"} {
		got, err := resultsOf(t, &working{left: 1 << 20}, stage("literals", request.MapOf{"r": call(name, constant(value.String(long+"\u00e8"+long)), constant(value.String(others)))}))
		if err != nil {
			t.Fatal(err)
		}
		want = strings.ReplaceAll(want, "é", "\u00e8")
		if r := got[0].Document.Fields["r"]; r != value.String(want) {
			t.Errorf("%s leaves %d bytes, want %d", name, len(r.(value.String)), len(want))
		}
	}
}

// TestComputedValuesTakeMemory keeps computed values in use while others are evaluated. They take memory from that of
// all executions, and return it.
func TestComputedValuesTakeMemory(t *testing.T) {
	stages := []request.Stage{stage("literals", request.MapOf{"n": call("length", request.ListOf{large, large})})}
	if got, err := resultsOf(t, &holding{left: 8 << 20}, stages...); fault.CodeOf(err) != fault.ResourceExhausted {
		t.Errorf("%v, %v; want ResourceExhausted", got, err)
	}
	h := &holding{left: 64 << 20}
	if _, err := resultsOf(t, h, stage("literals", request.MapOf{"n": call("char_length", large)})); err != nil || h.left != 64<<20 {
		t.Errorf("%d bytes were not returned, %v", 64<<20-h.left, err)
	}
	p, err := pipeline.Compile(testDB, []request.Stage{stage("literals", request.MapOf{"__name__": constant(value.Reference("/c/x")), "n": call("char_length", large)}), stage("upsert")})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Collect(t.Context(), &holding{left: 8 << 20}, time.Unix(1e9, 0)); fault.CodeOf(err) != fault.ResourceExhausted {
		t.Errorf("a pipeline that writes: %v; want ResourceExhausted", err)
	}
}
