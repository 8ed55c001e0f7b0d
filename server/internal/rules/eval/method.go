package eval

import (
	"context"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/syntax"
)

// methodsOf returns the methods of a type.
func methodsOf(typ string) map[string]builtin {
	for _, r := range receivers {
		if r.name == typ {
			return r.methods
		}
	}
	return nil
}

// method evaluates x.name(args).
func (e *Evaluator) method(ctx context.Context, x *syntax.Method) Value {
	v := e.eval(ctx, x.X)
	if failed(v) {
		return v
	}
	name := x.Name.Text
	if (name == "keys" || name == "size") && len(x.Args) == 0 {
		v = e.keysOf(x.X, v)
	}
	args, other := e.values(ctx, x.Args, v)
	switch {
	case failed(other):
		return other
	case other != nil:
		return abstractMethod(v, name, args[1:])
	}
	if f := e.workOfMethod(ctx, name, args); f != nil {
		return f
	}
	// These come before the table of methods since they need the evaluator: patterns compiled with the rules, and limits
	// on results.
	switch name {
	case "matches", "split", "replace":
		if s, ok := v.(value.String); ok {
			return e.pattern(ctx, s, name, args)
		}
	}
	if isNull(v) {
		return nullValue()
	}
	if m, ok := v.(value.Map); ok && name == "values" && len(args) == 1 && TypeName(v) == "map" {
		return e.mapValues(m)
	}
	if d, ok := v.(*Document); ok && name == "values" && len(args) == 1 {
		return value.Array{d.Data, d.Name, value.String(d.ID)} // as the official emulator orders them
	}
	typ := TypeName(v)
	m, ok := methodsOf(typ)[name]
	if !ok {
		return notFound(name)
	}
	return choose(name, typ, m.overloads, args, 1)
}

// mapMethods are the methods of maps.
var mapMethods = map[string]builtin{
	"size": {types("int"), overloads{{nil, func(args []Value) Value {
		m, _ := asMap(args[0])
		return value.Int(len(m))
	}}}},
	"keys": {types("list"), overloads{{nil, func(args []Value) Value {
		m, _ := asMap(args[0])
		return stringList(sortedKeys(m))
	}}}},
	"values": {types("list"), overloads{{nil, func(args []Value) Value {
		m, _ := asMap(args[0])
		out := make(value.Array, 0, len(m))
		for _, k := range sortedKeys(m) {
			out = append(out, m[k])
		}
		return out
	}}}},
	"get": {anything, overloads{
		{types("string", "any"), mapGet},
		{types("list", "any"), mapGetDeep},
	}},
	"diff": {types("map_diff"), overloads{{types("map"), func(args []Value) Value {
		m, _ := asMap(args[0])
		n, _ := asMap(args[1])
		return newDiff(m, n)
	}}}},
}

// stringList creates a list of texts.
func stringList(items []string) value.Array {
	out := make(value.Array, len(items))
	for i, s := range items {
		out[i] = value.String(s)
	}
	return out
}

// mapGet is m.get(key, default).
func mapGet(args []Value) Value {
	m, _ := asMap(args[0])
	if v, ok := m[string(args[1].(value.String))]; ok {
		return v
	}
	return args[2]
}

// mapGetDeep is m.get([keys], default).
func mapGetDeep(args []Value) Value {
	v := args[0]
	for _, k := range args[1].(value.Array) {
		name, ok := k.(value.String)
		if !ok {
			return typeError(k, "string")
		}
		m, ok := asMap(v)
		if !ok {
			return args[2]
		}
		if v, ok = m[string(name)]; !ok {
			return args[2]
		}
	}
	return v
}

// diffMethods are the methods of the results of diff.
var diffMethods = map[string]builtin{
	"addedKeys":     {types("set"), keysOfDiff(func(d *Diff) []string { return d.added })},
	"removedKeys":   {types("set"), keysOfDiff(func(d *Diff) []string { return d.removed })},
	"changedKeys":   {types("set"), keysOfDiff(func(d *Diff) []string { return d.changed })},
	"unchangedKeys": {types("set"), keysOfDiff(func(d *Diff) []string { return d.unchanged })},
	"affectedKeys": {types("set"), keysOfDiff(func(d *Diff) []string {
		all := append([]string(nil), d.added...)
		return append(append(all, d.removed...), d.changed...)
	})},
}

// keysOfDiff creates a method that returns some of a diff's keys.
func keysOfDiff(of func(*Diff) []string) overloads {
	return overloads{{nil, func(args []Value) Value { return stringSet(of(args[0].(*Diff))) }}}
}

// pathMethods are the methods of paths.
var pathMethods = map[string]builtin{
	"bind": {types("path"), overloads{{types("map"), func(args []Value) Value {
		p, _ := asPath(args[0])
		m, _ := asMap(args[1])
		return p.bind(m)
	}}}},
}
