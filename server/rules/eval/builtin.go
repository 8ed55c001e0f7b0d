package eval

import (
	"context"
	"fmt"
	"strings"

	"clave/server/rules/syntax"
)

// overload is one way to call a function: the types of its arguments, any being all of them.
type overload struct {
	types []string
	call  func(args []Value) Value
}

// types makes the list of an overload's types.
func types(names ...string) []string { return names }

// functions are the built-in functions but those that look documents up.
var functions = map[string][]overload{
	"debug":           {{types("any"), first}},
	"string":          each(toStringValue, "int", "float", "null", "string", "bool", "path"),
	"int":             each(toInt, "int", "float", "string"),
	"float":           each(toFloatValue, "int", "float", "string"),
	"path":            {{types("string"), toPath}},
	"math.abs":        each(mathAbs, "int", "float"),
	"math.ceil":       each(mathCeil, "float"),
	"math.floor":      each(mathFloor, "float"),
	"math.round":      each(mathRound, "float"),
	"math.sqrt":       each(mathSqrt, "float"),
	"math.isNaN":      each(mathIsNaN, "float"),
	"math.pow":        {{types("float", "float"), mathPow}},
	"timestamp.date":  {{types("int", "int", "int"), timestampDate}},
	"timestamp.value": {{types("int"), timestampValue}, {types("string"), timestampParsed}},
	"duration.value":  {{types("int", "string"), durationValue}},
	"duration.time":   {{types("int", "int", "int", "int"), durationTime}},
	"duration.abs":    {{types("duration"), durationAbs}},
	"latlng.value":    {{types("float", "float"), latlngValue}},
	"hashing.md5":     each(hashMD5, "bytes", "string"),
	"hashing.sha256":  each(hashSHA256, "bytes", "string"),
	"hashing.crc32":   each(hashCRC32, "bytes", "string"),
	"hashing.crc32c":  each(hashCRC32C, "bytes", "string"),
}

// each makes an overload of one argument for each of the given types.
func each(call func([]Value) Value, names ...string) []overload {
	out := make([]overload, len(names))
	for i, n := range names {
		out[i] = overload{types(n), call}
	}
	return out
}

// first returns its first argument.
func first(args []Value) Value { return args[0] }

// builtin evaluates a call of a function that is not declared.
func (e *Evaluator) builtin(ctx context.Context, x *syntax.Call) Value {
	name := x.Name.Text
	switch name {
	case "get", "exists", "getAfter", "existsAfter":
		return e.access(ctx, x)
	case "debug":
		return e.debug(ctx, x)
	}
	overloads, ok := functions[name]
	if !ok {
		return notFound(name)
	}
	var room [4]Value
	args := room[:0]
	unknown := false
	for _, a := range x.Args {
		v := e.eval(ctx, a)
		if failed(v) {
			return v
		}
		unknown = unknown || abstract(v)
		args = append(args, v)
	}
	if unknown {
		return Unknown{}
	}
	return choose(name, "", overloads, args, 0)
}

// debug evaluates debug(x), which is x.
func (e *Evaluator) debug(ctx context.Context, x *syntax.Call) Value {
	if len(x.Args) == 0 {
		return failf("Service call error. Function: [debug], Argument: [].")
	}
	return e.eval(ctx, x.Args[0])
}

// choose calls the overload that fits the arguments, of which the first skip are the receiver and not counted.
func choose(name, receiver string, overloads []overload, args []Value, skip int) Value {
	count := false
	for _, o := range overloads {
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
		return failf("Incorrect number of arguments. Received: %d. Expected: %s.", len(args)-skip, signatures(full, overloads))
	}
	got := make([]string, 0, len(args))
	for _, a := range args[skip:] {
		got = append(got, TypeName(a))
	}
	return unsupported(fmt.Sprintf("%s(%s)", full, strings.Join(got, ", ")), signatures(full, overloads))
}

// fits reports whether arguments are of the given types. An int does where a float is asked for.
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

// signatures lists overloads as messages show them.
func signatures(name string, overloads []overload) string {
	all := make([]string, len(overloads))
	for i, o := range overloads {
		all[i] = name + "(" + strings.Join(o.types, ", ") + ")"
	}
	return strings.Join(all, ", ")
}
