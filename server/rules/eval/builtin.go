package eval

import (
	"context"
	"fmt"
	"strings"

	"clave/server/resource"
	"clave/server/rules/syntax"
	"clave/server/value"
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
	"int":             each(toInt, "float", "int", "string"),
	"float":           each(toFloatValue, "float", "int", "string"),
	"path":            {{types("string"), toPath}},
	"math.abs":        each(mathAbs, "int", "float"),
	"math.ceil":       each(mathCeil, "int", "float"),
	"math.floor":      each(mathFloor, "int", "float"),
	"math.round":      each(mathRound, "int", "float"),
	"math.sqrt":       each(mathSqrt, "int", "float"),
	"math.isNaN":      each(mathIsNaN, "int", "float"),
	"math.pow":        {{types("number", "number"), mathPow}},
	"timestamp.date":  {{types("int", "int", "int"), timestampDate}},
	"timestamp.value": {{types("int"), timestampValue}},
	"duration.value":  {{types("int", "string"), durationValue}},
	"duration.time":   {{types("int", "int", "int", "int"), durationTime}},
	"duration.abs":    {{types("duration"), durationAbs}},
	"latlng.value":    {{types("number", "number"), latlngValue}},
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

// fits reports whether arguments are of the given types.
func fits(types []string, args []Value) bool {
	for i, t := range types {
		if t == "any" {
			continue
		}
		got := TypeName(args[i])
		if got != t && (t != "number" || got != "int" && got != "float") {
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

// access evaluates get, exists, getAfter and existsAfter.
func (e *Evaluator) access(ctx context.Context, x *syntax.Call) Value {
	name := x.Name.Text
	if len(x.Args) != 1 {
		for _, a := range x.Args {
			if v := e.eval(ctx, a); failed(v) {
				return v
			}
		}
		return failf("Incorrect number of arguments. Received: %d. Expected: %s(path).", len(x.Args), name)
	}
	v := e.eval(ctx, x.Args[0])
	if failed(v) {
		return v
	}
	if abstract(v) {
		return Unknown{}
	}
	p, ok := asPath(v)
	if !ok {
		return unsupported(name+"("+TypeName(v)+")", name+"(path)")
	}
	exists := strings.HasPrefix(name, "exists")
	found, failure := e.find(ctx, name, p, strings.HasSuffix(name, "After"))
	switch {
	case failure != nil:
		return failure
	case exists:
		return value.Bool(found.exists)
	case !found.exists:
		return serviceCall(name, p)
	}
	return &Document{Data: found.fields, ID: found.name.ID(), Name: p}
}

// serviceCall is the failure of a lookup, with its path in the text form of protocol buffers, as the official
// engine prints it.
func serviceCall(name string, p *Path) *Failure {
	var b strings.Builder
	fmt.Fprintf(&b, "Service call error. Function: [%s], Argument: [path_value {\n", name)
	for _, s := range p.Parts {
		fmt.Fprintf(&b, "  segments {\n    simple: %q\n  }\n", s.Text)
	}
	b.WriteString("}\n].")
	return &Failure{Text: b.String()}
}

// find looks a document up, once a request, within the budget.
func (e *Evaluator) find(ctx context.Context, function string, p *Path, after bool) (*lookup, *Failure) {
	name, ok := documentName(e.Request.Database, p)
	if !ok {
		return nil, serviceCall(function, p)
	}
	l := e.Lookups
	for i := range l.found {
		if l.found[i].name == name && l.found[i].after == after {
			return &l.found[i], nil
		}
	}
	if l.now >= MaxLookups || len(l.found) >= l.limit {
		return nil, serviceCall(function, p)
	}
	fields, exists, err := e.Reader.Lookup(ctx, name, after)
	if err != nil {
		if e.err == nil {
			e.err = err
		}
		return nil, &Failure{Text: "Service call error.", abort: true}
	}
	l.now++
	l.found = append(l.found, lookup{name: name, after: after, fields: fields, exists: exists})
	return &l.found[len(l.found)-1], nil
}

// documentName returns the document that /databases/D/documents/… names, if it is one of the request's database.
func documentName(db resource.Database, p *Path) (resource.Document, bool) {
	s := p.Parts
	if len(s) < 5 || len(s)%2 == 0 || !p.whole() || s[0].Text != "databases" || s[1].Text != db.ID || s[2].Text != "documents" {
		return resource.Document{}, false
	}
	var b strings.Builder
	for i, part := range s[3:] {
		if part.Text == "" || strings.Contains(part.Text, "/") {
			return resource.Document{}, false
		}
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(part.Text)
	}
	return resource.Document{DB: db, Path: b.String()}, true
}
