package pipeline

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
)

// Function is an entry of the table of functions.
type Function struct {
	// Name is its name.
	Name string
	// Args are its arguments and Result its result, for the documentation.
	Args, Result string
	// Source is where its behaviour is from: the evaluator of the JavaScript SDK (js), the suite of the Go client (go),
	// or Firebase's documentation (docs).
	Source string
	// Min and Max are the numbers of its arguments; a Max of -1 sets no limit.
	Min, Max int
	// eval computes the function of values that are neither null nor unset.
	eval func(f *frame, args []value.Value) result
	// lazy, instead of eval, evaluates the arguments itself.
	lazy func(f *frame, args []evaluator) result
}

// Functions is the table of functions.
var Functions = slices.Concat(logicFunctions, numberFunctions, textFunctions, patternFunctions, arrayFunctions, mapFunctions, timeFunctions, otherFunctions)

// functionsByName are the functions by their names.
var functionsByName = byName(Functions)

// byName returns a table by names.
func byName(table []*Function) map[string]*Function {
	out := make(map[string]*Function, len(table))
	for _, f := range table {
		out[f.Name] = f
	}
	return out
}

// unbuilt are functions of the SDKs that are not implemented.
var unbuilt = map[string]bool{"document_matches": true, "geo_distance": true, "score": true, "search_score": true, "snippet": true}

// itoa formats a number.
func itoa(n int) string { return strconv.Itoa(n) }

// wrongType is the failure of an argument of the wrong type, in production's words.
func wrongType(name, want string, got value.Value) result {
	return failed("The function %s(...) requires `%s` but got `%s`.", name, want, upperType(got))
}

// text returns a function of one string.
func text(name, result_, source string, eval func(s string) result) *Function {
	return &Function{Name: name, Args: "string", Result: result_, Source: source, Min: 1, Max: 1, eval: func(_ *frame, args []value.Value) result {
		s, ok := args[0].(value.String)
		if !ok {
			return wrongType(name, "String", args[0])
		}
		return eval(string(s))
	}}
}

// texts returns a function of two strings.
func texts(name, result_, source string, eval func(a, b string) result) *Function {
	return &Function{Name: name, Args: "string, string", Result: result_, Source: source, Min: 2, Max: 2, eval: func(_ *frame, args []value.Value) result {
		a, ok := args[0].(value.String)
		if !ok {
			return wrongType(name, "String", args[0])
		}
		b, ok := args[1].(value.String)
		if !ok {
			return wrongType(name, "String", args[1])
		}
		return eval(string(a), string(b))
	}}
}

// typeName returns the name of a value's type.
func typeName(v value.Value) string { // long: one case a kind
	switch x := v.(type) {
	case value.Null:
		return "null"
	case value.Bool:
		return "boolean"
	case value.Int:
		return "int64"
	case value.Double:
		return "float64"
	case value.Timestamp:
		return "timestamp"
	case value.String:
		return "string"
	case value.Bytes:
		return "bytes"
	case value.Reference:
		return "reference"
	case value.GeoPoint:
		return "geo_point"
	case value.Array:
		return "array"
	case value.Map:
		if x.Kind() == value.KindVector {
			return "vector"
		}
		return "map"
	default:
		return "unset"
	}
}

// upperType returns the name of a value's type in error texts.
func upperType(v value.Value) string {
	switch name := typeName(v); name {
	case "int64":
		return "LONG"
	case "float64":
		return "DOUBLE"
	default:
		b := []byte(name)
		for i, c := range b {
			if c >= 'a' && c <= 'z' {
				b[i] = c - 'a' + 'A'
			}
		}
		return string(b)
	}
}

// Documentation returns the tables of functions and aggregates in Markdown.
func Documentation() string {
	var b strings.Builder
	b.WriteString("| function | arguments | result | source |\n|---|---|---|---|\n")
	all := slices.Concat(Functions, specialFunctions)
	slices.SortFunc(all, func(a, b *Function) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range all {
		b.WriteString("| `" + f.Name + "` | " + f.Args + " | " + f.Result + " | " + f.Source + " |\n")
	}
	b.WriteString("\nAggregates: `" + strings.Join(slices.Sorted(maps.Keys(aggregates)), "`, `") + "`.\n")
	b.WriteString("\nNot implemented: the functions `" + strings.Join(slices.Sorted(maps.Keys(unbuilt)), "`, `") + "`")
	b.WriteString(", the stages `" + strings.Join(unbuiltStages, "`, `") + "`, and constants of the types " + strings.Join(document.UnbuiltTypes(), ", ") + ".\n")
	return b.String()
}
