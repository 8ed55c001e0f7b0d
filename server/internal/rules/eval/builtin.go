package eval

import (
	"context"
	"fmt"
	"strings"

	"clave/server/internal/rules/check"
	"clave/server/internal/rules/syntax"
)

// The built-in functions are in the table functions, and the methods of each type in its own table (receivers). One
// entry there is all that the evaluator and the checker need.

// builtin is a built-in function or method.
type builtin struct {
	// returns are the types of its result; nil are all.
	returns check.Types
	// overloads are the ways to call it, tried in turn.
	overloads overloads
}

// overload is one way to call a function, with the types of its arguments. Those of a method exclude its receiver,
// which is the first argument of call. call is nil if the evaluation needs more than the arguments (Evaluator.builtin,
// method).
type overload struct {
	types []string
	call  func(args []Value) Value
}

// overloads are the ways to call a function.
type overloads []overload

// types returns a list of types.
func types(names ...string) []string { return names }

// anything is the return type of a function that can return values of all types.
var anything check.Types

// functions are the built-in functions.
var functions = map[string]builtin{
	"get":             {anything, overloads{{types("path"), nil}}},
	"getAfter":        {anything, overloads{{types("path"), nil}}},
	"exists":          {anything, overloads{{types("path"), nil}}},
	"existsAfter":     {anything, overloads{{types("path"), nil}}},
	"debug":           {anything, overloads{{types("any"), nil}}},
	"string":          {types("string"), each(toStringValue, "int", "float", "null", "string", "bool", "path")},
	"int":             {types("int"), each(toInt, "int", "float", "string")},
	"float":           {types("float"), each(toFloatValue, "int", "float", "string")},
	"path":            {types("path"), overloads{{types("string"), toPath}}},
	"math.abs":        {types("int", "float"), each(mathAbs, "int", "float")},
	"math.ceil":       {types("float"), each(mathCeil, "float")},
	"math.floor":      {types("float"), each(mathFloor, "float")},
	"math.round":      {types("int"), each(mathRound, "float")},
	"math.sqrt":       {types("float"), each(mathSqrt, "float")},
	"math.isNaN":      {types("bool"), each(mathIsNaN, "float")},
	"math.pow":        {types("float"), overloads{{types("float", "float"), mathPow}}},
	"timestamp.date":  {types("timestamp"), overloads{{types("int", "int", "int"), timestampDate}}},
	"timestamp.value": {types("timestamp"), overloads{{types("int"), timestampValue}, {types("string"), timestampParsed}}},
	"duration.value":  {types("duration"), overloads{{types("int", "string"), durationValue}}},
	"duration.time":   {types("duration"), overloads{{types("int", "int", "int", "int"), durationTime}}},
	"duration.abs":    {types("duration"), overloads{{types("duration"), durationAbs}}},
	"latlng.value":    {types("latlng"), overloads{{types("float", "float"), latlngValue}}},
	"hashing.md5":     {types("bytes"), each(hashMD5, "bytes", "string")},
	"hashing.sha256":  {types("bytes"), each(hashSHA256, "bytes", "string")},
	"hashing.crc32":   {types("bytes"), each(hashCRC32, "bytes", "string")},
	"hashing.crc32c":  {types("bytes"), each(hashCRC32C, "bytes", "string")},
}

// each returns an overload with one argument for each of the given types.
func each(call func([]Value) Value, names ...string) overloads {
	out := make(overloads, len(names))
	for i, n := range names {
		out[i] = overload{types(n), call}
	}
	return out
}

// builtin evaluates a call of a function that is not declared.
func (e *Evaluator) builtin(ctx context.Context, x *syntax.Call) Value {
	name := x.Name.Text
	switch name {
	case "get", "exists", "getAfter", "existsAfter":
		return e.access(ctx, x)
	case "debug":
		return e.debug(ctx, x)
	}
	f, ok := functions[name]
	if !ok {
		return notFound(name)
	}
	args, v := e.values(ctx, x.Args)
	if v != nil {
		return v
	}
	if f := e.workOn(ctx, args...); f != nil {
		return f
	}
	return choose(name, "", f.overloads, args, 0)
}

// debug evaluates debug(x), which is x, and reports it.
func (e *Evaluator) debug(ctx context.Context, x *syntax.Call) Value {
	if len(x.Args) == 0 {
		return failf("Service call error. Function: [debug], Argument: [].")
	}
	v := e.eval(ctx, x.Args[0])
	if e.Debug != nil {
		e.Debug(x.At(), v)
	}
	return v
}

// choose calls the overload that fits the arguments. The first skip arguments are the receiver and not counted.
func choose(name, receiver string, all overloads, args []Value, skip int) Value {
	count := false
	for _, o := range all {
		if len(o.types) != len(args)-skip {
			continue
		}
		count = true
		if fits(o.types, args[skip:]) {
			return o.call(args)
		}
	}
	full := name
	if receiver != "" {
		full = receiver + "." + name
	}
	if !count {
		return failf("Incorrect number of arguments. Received: %d. Expected: %s.", len(args)-skip, usages(full, all))
	}
	got := make([]string, 0, len(args))
	for _, a := range args[skip:] {
		got = append(got, TypeName(a))
	}
	return unsupported(fmt.Sprintf("%s(%s)", full, strings.Join(got, ", ")), usages(full, all))
}

// fits reports whether arguments have the given types. An int is accepted as a float.
func fits(types []string, args []Value) bool {
	for i, t := range types {
		if t == "any" {
			continue
		}
		got := TypeName(args[i])
		if got != t && (t != "float" || got != "int") {
			return false
		}
	}
	return true
}

// usages lists overloads as messages show them.
func usages(name string, all overloads) string {
	texts := make([]string, len(all))
	for i, o := range all {
		texts[i] = name + "(" + strings.Join(o.types, ", ") + ")"
	}
	return strings.Join(texts, ", ")
}
