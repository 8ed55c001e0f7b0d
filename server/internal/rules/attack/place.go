package attack

import (
	"slices"
	"strings"

	"clave/server/internal/model/value"
	"clave/server/internal/rules"
	"clave/server/internal/rules/check"
	"clave/server/internal/rules/syntax"
)

// base is what a place is in.
type base uint8

// The bases.
const (
	// requestValue is the variable request, resourceValue the variable resource or a document that was looked up.
	requestValue base = iota
	resourceValue
	documentValue
	// afterData and beforeData are the document's fields, documentData those of another document.
	afterData
	beforeData
	documentData
	// segment is a segment of the path.
	segment
)

// place is what an expression reads, if the request determines it.
type place struct {
	base base
	// name is the other document, and index the segment.
	name  string
	index int
	path  value.FieldPath
}

// member returns the place of a member.
func (p place) member(key string) place {
	p.path = append(slices.Clone(p.path), key)
	switch {
	case p.base == requestValue && len(p.path) == 2 && p.path[0] == "resource" && key == "data":
		return place{base: afterData}
	case p.base == resourceValue && len(p.path) == 1 && key == "data":
		return place{base: beforeData}
	case p.base == documentValue && len(p.path) == 1 && key == "data":
		return place{base: documentData, name: p.name}
	}
	return p
}

// locate returns the place that an expression reads. It returns false for expressions that read none.
func (v *solver) locate(n node) (place, bool) { // long: one case a node
	if result, ok := v.called(n); ok {
		return v.locate(result)
	}
	all := n.children()
	switch x := n.Expr().(type) {
	case *syntax.Ident:
		switch name := v.kindOf(x); name.Kind {
		case check.Request:
			return place{base: requestValue}, true
		case check.Resource:
			return place{base: resourceValue}, true
		case check.Local:
			if name.Slot < len(n.locals) {
				return v.locate(n.locals[name.Slot])
			}
		case check.Capture:
			i, ok := v.segments[name.Slot]
			return place{base: segment, index: i}, ok
		}
	case *syntax.Member:
		if len(all) == 0 { // the evaluator reads members of request at once
			return v.members(x)
		}
		at, ok := v.locate(all[0])
		return at.member(x.Name), ok && at.base != segment
	case *syntax.Index:
		if len(all) == 2 {
			key, text := all[1].Result().(value.String)
			at, ok := v.locate(all[0])
			return at.member(string(key)), ok && text && at.base != segment
		}
	case *syntax.Method:
		return v.locateMethod(x, all)
	case *syntax.Call:
		if (x.Name.Text == "get" || x.Name.Text == "getAfter") && len(all) == 1 {
			name, ok := documentOf(all[0].Result())
			return place{base: documentValue, name: name}, ok
		}
		if len(all) == 1 && slices.Contains([]string{"string", "debug", "path"}, x.Name.Text) {
			return v.locate(all[0])
		}
	case *syntax.Cond:
		if len(all) > 1 {
			return v.locate(all[len(all)-1])
		}
	}
	return place{}, false
}

// members returns the place of members whose expressions were not evaluated one by one. It returns false if they read
// none.
func (v *solver) members(x *syntax.Member) (place, bool) {
	switch inner := x.X.(type) {
	case *syntax.Member:
		at, ok := v.members(inner)
		return at.member(x.Name), ok
	case *syntax.Ident:
		switch v.kindOf(inner).Kind {
		case check.Request:
			return place{base: requestValue}.member(x.Name), true
		case check.Resource:
			return place{base: resourceValue}.member(x.Name), true
		}
	}
	return place{}, false
}

// locateMethod returns the place that a method reads: the receiver's, or that of get's member. It returns false for
// methods that read none.
func (v *solver) locateMethod(x *syntax.Method, all []node) (place, bool) {
	if len(all) == 0 {
		return place{}, false
	}
	switch x.Name.Text {
	case "lower", "upper", "trim", "toSet":
		return v.locate(all[0])
	case "get":
		at, ok := v.locate(all[0])
		if len(all) == 1 {
			if rest := syntax.Children(x); len(rest) > 1 && rules.Literal(rest[1]) != nil {
				all = append(all, node{rules.Literal(rest[1]), nil})
			}
		}
		if !ok || len(all) < 2 || at.base == segment {
			return place{}, false
		}
		switch key := all[1].Result().(type) {
		case value.String:
			return at.member(string(key)), true
		case value.Array:
			for _, k := range key {
				text, is := k.(value.String)
				if !is {
					return place{}, false
				}
				at = at.member(string(text))
			}
			return at, true
		}
	}
	return place{}, false
}

// assign changes the request so that an expression has a value. It reports whether it has changed anything.
func (v *solver) assign(n node, to value.Value) bool {
	if result, ok := v.called(n); ok {
		return v.assign(result, to)
	}
	all := n.children()
	if x, ok := n.Expr().(*syntax.Method); ok && x.Name.Text == "size" && len(all) == 1 {
		size, whole := to.(value.Int)
		if !whole {
			return false
		}
		return v.resize(all[0], int(size))
	}
	if x, ok := n.Expr().(*syntax.Ident); ok {
		if name := v.kindOf(x); name.Kind == check.Local && name.Slot < len(n.locals) {
			return v.assign(n.locals[name.Slot], to)
		}
	}
	at, ok := v.locate(n)
	return ok && v.set(at, to)
}

// resize changes a text or a list so that it has a size.
func (v *solver) resize(n node, size int) bool {
	sample := sized(n.Result(), size)
	return sample != nil && v.assign(n, sample)
}

// set stores a value at a place. In an update fields get it before and after, so that they do not change.
func (v *solver) set(at place, to value.Value) bool { return v.put(at, to, false) }

// put stores a value at a place; with change a field of an update keeps another value before.
func (v *solver) put(at place, to value.Value, change bool) bool { // long: one case a base
	w := v.world
	switch at.base {
	case segment:
		text, ok := to.(value.String)
		if !ok || text == "" || strings.Contains(string(text), "/") || w.path[at.index] == string(text) {
			return false
		}
		w.path[at.index] = string(text)
		return true
	case requestValue:
		return v.setRequest(at.path, to)
	case resourceValue:
		if len(at.path) == 0 {
			return false
		}
		text, ok := to.(value.String)
		if at.path[0] != "id" || !ok || strings.Contains(string(text), "/") {
			return false
		}
		w.path[len(w.path)-1] = string(text)
		return true
	case documentValue, documentData:
		return v.setDocument(at, to)
	case afterData, beforeData:
		return len(at.path) > 0 && v.setField(at, to, change)
	}
	return false
}

// setField stores a value in a field of the document.
func (v *solver) setField(at place, to value.Value, change bool) bool {
	w := v.world
	if len(at.path) == 1 && w.uid != "" && value.Equal(to, value.String(w.uid)) {
		v.learned.owners = append(v.learned.owners, right{collectionOf(strings.Join(w.path, "/")), at.path[0], to})
	}
	if at.base == beforeData && w.method == rules.List {
		for i, f := range w.where {
			if f.path.Equal(at.path) {
				w.where = slices.Delete(w.where, i, i+1)
				break
			}
		}
		w.where = append(w.where, filter{at.path, to})
		return true
	}
	if at.base == afterData {
		if old, ok := w.after.Get(at.path); ok && value.Identical(old, to) {
			return false
		}
		if w.method == rules.Update && !change && same(w, at.path) {
			w.before = w.before.Set(at.path, to)
		}
		w.after = w.after.Set(at.path, to)
		return true
	}
	if old, ok := w.before.Get(at.path); ok && value.Identical(old, to) || w.before == nil {
		return false
	}
	if w.method == rules.Update && same(w, at.path) {
		w.after = w.after.Set(at.path, to)
	}
	w.before = w.before.Set(at.path, to)
	return true
}

// same reports whether an update leaves a field as it was, or absent.
func same(w *world, path value.FieldPath) bool {
	before, had := w.before.Get(path)
	after, has := w.after.Get(path)
	return had == has && (!had || value.Identical(before, after))
}

// setRequest sets a member of the variable request.
func (v *solver) setRequest(path value.FieldPath, to value.Value) bool {
	w := v.world
	_, null := to.(value.Null)
	switch {
	case len(path) == 1 && path[0] == "auth":
		if (w.uid == "") == null {
			return false
		}
		w.uid = ""
		if !null {
			w.uid, w.claims = user, claimsOf(user, "password", true)
		}
		return true
	case len(path) == 2 && path[0] == "auth" && path[1] == "uid":
		text, ok := to.(value.String)
		if !ok || text == "" || w.uid == string(text) {
			return false
		}
		w.uid = string(text)
		w.claims = w.claims.Set(value.FieldPath{"sub"}, text).Set(value.FieldPath{"user_id"}, text)
		return true
	case len(path) > 2 && path[0] == "auth" && path[1] == "token":
		w.claims = w.claims.Set(path[2:], to)
		return true
	case len(path) == 2 && path[0] == "query" && path[1] == "limit":
		n, ok := to.(value.Int)
		if !ok || n < 1 || w.limit == int(n) {
			return false
		}
		w.limit = int(n)
		return true
	}
	return false
}

// setDocument sets a field of another document, which is a right that rules give.
func (v *solver) setDocument(at place, to value.Value) bool {
	if at.base == documentValue || len(at.path) == 0 {
		return false
	}
	w := v.world
	old := w.docs[at.name]
	if had, ok := old.Get(at.path); ok && value.Identical(had, to) {
		return false
	}
	w.docs[at.name] = old.Set(at.path, to)
	if len(at.path) == 1 {
		v.learned.rights = append(v.learned.rights, right{collectionOf(at.name), at.path[0], to})
	}
	return true
}

// collectionOf returns the path of a document's collection with * for ids.
func collectionOf(name string) string {
	parts := strings.Split(name, "/")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "*"
	}
	return strings.Join(parts[:len(parts)-1], "/")
}

// has reports whether a field of the document after a write exists.
func (v *solver) has(at place) bool {
	if at.base != afterData {
		return false
	}
	_, ok := v.world.after.Get(at.path)
	return ok
}
