package pipeline_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// large is an expression with a value of 15 MiB, and same one that has the value of the field s without copying it.
var (
	large = call("string_repeat", constant(value.String("abcdefghijklmno")), constant(value.Int(1<<20)))
	same  = call("conditional", constant(value.Bool(true)), request.FieldReference("s"), constant(value.Null{}))
)

// TestValuesInUseAreBounded nests expressions, each of which has a large value while it evaluates the next one, and
// whose own value is small. At the maximum depth they would hold up to a gibibyte.
func TestValuesInUseAreBounded(t *testing.T) {
	literal := stage("literals", request.MapOf{"s": constant(value.String(strings.Repeat("abcdefghijklmno", 1<<20)))})
	text := func(s string) request.Expression { return constant(value.String(s)) }
	for name, around := range map[string]func(x request.Expression) request.Expression{
		"list": func(x request.Expression) request.Expression { return call("length", request.ListOf{same, x}) },
		"map": func(x request.Expression) request.Expression {
			return call("length", request.MapOf{"a": same, "b": x})
		},
		"array": func(x request.Expression) request.Expression { return call("length", call("array", same, x)) },
		"map()": func(x request.Expression) request.Expression {
			return call("length", call("map", text("a"), same, text("b"), x))
		},
		"map_set": func(x request.Expression) request.Expression {
			return call("length", call("map_set", call("map"), text("a"), same, text("b"), x))
		},
		"equal": func(x request.Expression) request.Expression { return call("equal", same, x) },
		"maximum": func(x request.Expression) request.Expression {
			return call("char_length", call("maximum", same, call("string_concat", call("type", x))))
		},
		"contains": func(x request.Expression) request.Expression { return call("array_contains", request.ListOf{x}, same) },
		"any":      func(x request.Expression) request.Expression { return call("equal_any", same, request.ListOf{x}) },
		"map_get": func(x request.Expression) request.Expression {
			return call("is_absent", call("map_get", request.MapOf{"a": same}, call("type", x)))
		},
		"filter": func(x request.Expression) request.Expression {
			return call("length", call("array_filter", request.ListOf{same}, text("v"), call("equal", x, constant(value.Int(1)))))
		},
		"transform": func(x request.Expression) request.Expression {
			return call("length", call("array_transform", request.ListOf{same}, text("v"), x))
		},
		"between": func(x request.Expression) request.Expression { return call("between", same, same, call("type", x)) },
	} {
		t.Run(name, func(t *testing.T) {
			deep, several := request.Expression(constant(value.Int(1))), request.ListOf{}
			for range 6 {
				deep, several = around(deep), append(several, around(constant(value.Int(1))))
			}
			if got, err := results(t, &memory{}, literal, stage("select", request.MapOf{"r": deep})); fault.CodeOf(err) != fault.ResourceExhausted {
				t.Errorf("%v, %v; want ResourceExhausted", got, err)
			}
			// One after the other they fit.
			if _, err := results(t, &memory{}, literal, stage("select", request.MapOf{"r": several})); err != nil {
				t.Errorf("one after the other: %v", err)
			}
		})
	}
}

// TestRowsInUseAreBounded nests pipelines, each with a large row, and passes such a row through stages that compute as
// much again.
func TestRowsInUseAreBounded(t *testing.T) {
	literal := stage("literals", request.MapOf{"a": constant(value.Int(1))})
	deep := request.Expression(constant(value.Int(1)))
	for range 6 {
		deep = call("scalar", request.Subpipeline{stage("literals", request.MapOf{"a": large}), stage("select", request.MapOf{"r": deep})})
	}
	replaced := []request.Stage{literal}
	for range 6 {
		replaced = append(replaced, stage("select", request.MapOf{"f": large}))
	}
	for name, stages := range map[string][]request.Stage{
		"pipelines": {literal, stage("select", request.MapOf{"r": deep})},
		"stages":    replaced,
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := resultsOf(t, &holding{left: 64 << 20}, stages...); fault.CodeOf(err) != fault.ResourceExhausted {
				t.Errorf("%v, %v; want ResourceExhausted", got, err)
			}
		})
	}
}

// TestMemoryOfRowsIsReturned runs pipelines inside another one for each of many rows. Each holds rows, of which only
// those of one fit at a time.
func TestMemoryOfRowsIsReturned(t *testing.T) {
	var rows []request.Expression
	for i := range 100 {
		rows = append(rows, request.MapOf{"a": constant(value.Int(i))})
	}
	literals := stage("literals", rows...)
	for name, inner := range map[string]request.Stage{
		"sort":      stage("sort", request.MapOf{"expression": request.FieldReference("a"), "direction": constant(value.String("descending"))}),
		"distinct":  stage("distinct", request.MapOf{"a": request.FieldReference("a")}),
		"aggregate": stage("aggregate", request.MapOf{"n": call("array_agg", request.FieldReference("a"))}),
		"sample":    stage("sample", constant(value.Int(50)), constant(value.String("documents"))),
		"union":     stage("union", request.Subpipeline{literals}),
	} {
		t.Run(name, func(t *testing.T) {
			h := &holding{left: 300 << 10}
			_, err := resultsOf(t, h, literals, stage("select", request.MapOf{"r": call("exists", request.Subpipeline{literals, inner})}))
			if err != nil {
				t.Errorf("%v", err)
			}
			if h.left != 300<<10 {
				t.Errorf("%d bytes were not returned", 300<<10-h.left)
			}
		})
	}
}

// working is a source that ends an execution after work of a cost.
type working struct {
	memory
	left int
}

func (w *working) Work(_ context.Context, cost int) error {
	if w.left -= cost; w.left < 0 {
		return fault.E(fault.ResourceExhausted, "too much work")
	}
	return nil
}

// TestPatternsAreBounded applies regular expressions whose programs, or whose work, are too large, and others that are
// large but not too large.
func TestPatternsAreBounded(t *testing.T) {
	literal := func(s string) request.Stage {
		return stage("literals", request.MapOf{"s": constant(value.String(s))})
	}
	find := func(name, pattern string) request.Stage {
		return stage("select", request.MapOf{"r": call(name, request.FieldReference("s"), constant(value.String(pattern)))})
	}
	for name, c := range map[string]struct {
		stages []request.Stage
		want   fault.Code
	}{
		"large program":    {[]request.Stage{literal("a"), find("regex_match", strings.Repeat("a{1000}", 1000))}, fault.ResourceExhausted},
		"many groups":      {[]request.Stage{literal("a"), find("regex_contains", strings.Repeat("(a{50})", 400))}, fault.ResourceExhausted},
		"like":             {[]request.Stage{literal(strings.Repeat("ab", 400_000)), find("like", strings.Repeat("%a", 1500)+"c")}, fault.ResourceExhausted},
		"long text":        {[]request.Stage{literal(strings.Repeat("a", 1_000_000)), find("regex_contains", "a{900}a{900}a{900}a{900}a{900}b")}, fault.ResourceExhausted},
		"searches":         {[]request.Stage{literal(strings.Repeat("a", 300_000)), find("regex_find_all", "a.*b|a")}, fault.ResourceExhausted},
		"long pattern":     {[]request.Stage{literal("a"), find("regex_match", strings.Repeat("a", 20_000))}, fault.InvalidArgument},
		"few searches":     {[]request.Stage{literal(strings.Repeat("a", 1000)), find("regex_find_all", "a.*b|a")}, fault.OK},
		"words":            {[]request.Stage{literal(strings.Repeat("word ", 50_000)), find("regex_find_all", `\w+`)}, fault.OK},
		"a sizeable match": {[]request.Stage{literal(strings.Repeat("ab", 400_000)), find("regex_match", "(ab)*")}, fault.OK},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := resultsOf(t, &working{left: 1 << 20}, c.stages...); fault.CodeOf(err) != c.want {
				t.Errorf("%d results, %v; want %v", len(got), err, c.want)
			}
		})
	}
}

// findAllOf returns the matches that package regexp finds.
func findAllOf(pattern, s string) value.Array {
	out := value.Array{}
	for _, found := range regexp.MustCompile(pattern).FindAllString(s, -1) {
		out = append(out, value.String(found))
	}
	return out
}

// TestFindAll compares the matches that counted searches find with those of package regexp, which short texts have.
func TestFindAll(t *testing.T) {
	for _, pattern := range []string{`a.*b|a`, `\w+`, `\b`, `^a`, `x*`, `(?m)^.`, `é?`, `a|`, `$`} {
		for _, unit := range []string{"ab ", "é\n", "aax", ""} {
			long, short := strings.Repeat(unit, 600), strings.Repeat(unit, 3)
			e := func(s string) request.Expression {
				return call("regex_find_all", constant(value.String(s)), constant(value.String(pattern)))
			}
			got, err := results(t, &memory{}, stage("literals", request.MapOf{"long": e(long), "short": e(short)}))
			if err != nil {
				t.Fatal(err)
			}
			for name, s := range map[string]string{"long": long, "short": short} {
				if found, want := fmt.Sprint(got[0].Document.Fields[name]), fmt.Sprint(findAllOf(pattern, s)); found != want {
					t.Errorf("%q in %q: %s, want %s", pattern, s[:min(len(s), 20)], found, want)
				}
			}
		}
	}
}
