package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules/syntax"
)

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
	if open := p.open(); open != "" {
		return unbound(open)
	}
	if !aboutDocument(e.Request.Database, p) {
		return serviceCall(name, p)
	}
	e.touch(x)
	exists := strings.HasPrefix(name, "exists")
	found, failure := e.find(ctx, name, p, strings.HasSuffix(name, "After"))
	switch {
	case failure != nil:
		return failure
	case exists:
		return value.Bool(found.exists)
	// A missing document of the request itself is null; get of any other missing document fails.
	case !found.exists && found.known:
		return value.Null{}
	case !found.exists:
		return serviceCall(name, p)
	}
	d := &Document{Data: found.fields, Layout: found.layout, ID: found.name.ID(), Name: p}
	e.found(d)
	return d
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

// find looks up a document once per request, within the budget, beyond which it fails. The request's own documents need
// no lookup.
func (e *Evaluator) find(ctx context.Context, function string, p *Path, after bool) (*lookup, *Failure) {
	name, ok := documentName(e.Request.Database, p)
	if !ok {
		return &lookup{}, nil // no document has such a name
	}
	l := e.Lookups
	switch own := name == e.Request.Name; {
	case own && after && e.Request.New != nil:
		return known(name, e.Request.New), nil
	case own:
		return known(name, e.Request.Resource), nil
	case after && l.written[name]:
		found, failure := e.read(ctx, name, true)
		found.known = true
		return found, failure
	}
	for i := range l.found {
		if l.found[i].name == name {
			return &l.found[i], nil
		}
	}
	if l.now >= MaxLookups || len(l.found) >= l.limit {
		return nil, serviceCall(function, p)
	}
	found, failure := e.read(ctx, name, false)
	if failure != nil {
		return nil, failure
	}
	l.now++
	l.found = append(l.found, *found)
	return found, nil
}

// known returns the lookup of a document of the request itself. v is null if there is none.
func known(name resource.Document, v Value) *lookup {
	l := &lookup{name: name, known: true}
	if d, ok := v.(*Document); ok {
		l.fields, l.layout, l.exists = d.Data, d.Layout, true
	}
	return l
}

// read calls the Reader. An error is stored and ends the evaluation.
func (e *Evaluator) read(ctx context.Context, name resource.Document, after bool) (*lookup, *Failure) {
	out := &lookup{name: name}
	d, err := e.Reader.Lookup(ctx, name, after)
	if err != nil {
		if e.err == nil {
			e.err = err
		}
		return out, interrupted
	}
	if d != nil {
		out.fields, out.layout, out.exists = d.Fields, d.Layout, true
	}
	return out, e.workOn(ctx, out.fields)
}

// aboutDocument reports whether a path has the form /databases/D/documents/… and no empty segment.
func aboutDocument(db resource.Database, p *Path) bool {
	s := p.Parts
	if len(s) < 5 || len(s)%2 == 0 || s[0].Text != "databases" || s[1].Text != db.ID || s[2].Text != "documents" {
		return false
	}
	return !slices.ContainsFunc(s, func(part Part) bool { return part.Text == "" })
}

// documentName returns the document that a path of that form names; ok is false if none can have that name.
func documentName(db resource.Database, p *Path) (name resource.Document, ok bool) {
	var b strings.Builder
	for i, part := range p.Parts[3:] {
		if strings.Contains(part.Text, "/") {
			return resource.Document{}, false
		}
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(part.Text)
	}
	return resource.Document{DB: db, Path: b.String()}, true
}
