package rules

import (
	"slices"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/eval"
	"clave/server/internal/rules/syntax"
)

// known is the degree to which an element of a path is known.
type known uint8

// The degrees.
const (
	isText known = iota // it is this segment
	isOne               // it is one segment, unknown
	isMany              // it is any number of segments, unknown
)

// element is one element of the path of a request.
type element struct {
	text string
	is   known
}

// maxTries is the maximum number of ways of matching that a request may try: a large ruleset could match a long path in
// too many ways.
const maxTries = 100_000

// maxCaptures is the maximum number of bound segments; rules/check refuses more.
const maxCaptures = 32

// finder visits the allow statements that apply to a path by a depth-first search over the nested match statements.
// block matches a statement's segments with the path's elements, glob tries every length of a glob, and search matches
// the nested statements with the rest of the path. captures is one stack for the whole search; bound is its height.
//
// An element can represent many paths (isOne, isMany). A statement applies only if its path matches all of them.
type finder struct {
	method   Method
	captures [maxCaptures]eval.Value
	v1       bool
	tries    int // the number of tried ways of matching
	// visit is called with each statement that applies and the captured segments; false ends the search.
	visit func(a *allow, captures []eval.Value) bool
}

// search searches match statements. It returns false if visit has ended the search.
func (f *finder) search(blocks []*block, path []element, bound int) bool {
	for _, b := range blocks {
		if !f.block(b, b.path, path, bound) {
			return false
		}
	}
	return true
}

// block matches the rest of a statement's path with the rest of the request's.
func (f *finder) block(b *block, pattern []syntax.Segment, path []element, bound int) bool {
	if f.tries++; f.tries > maxTries {
		return false
	}
	// The whole pattern has matched. The statement applies if no path is left. Nested statements continue with the rest,
	// which may be empty if they begin with a glob.
	if len(pattern) == 0 {
		if len(path) == 0 {
			for i := range b.allows {
				if b.allows[i].methods&f.method != 0 && !f.visit(&b.allows[i], f.captures[:bound]) {
					return false
				}
			}
		}
		return f.search(b.inner, path, bound)
	}
	// Returning true continues with the next statement. A literal matches only a known segment, and a capture only an
	// element that is certainly one segment: a statement that matches only some of a query's paths must not apply to it.
	switch s := pattern[0]; s.Kind {
	case syntax.Literal:
		if len(path) == 0 || path[0].is != isText || path[0].text != s.Text {
			return true
		}
		return f.block(b, pattern[1:], path[1:], bound)
	case syntax.Capture:
		if len(path) == 0 || path[0].is == isMany {
			return true
		}
		f.captures[bound] = captured(path[0])
		return f.block(b, pattern[1:], path[1:], bound+1)
	default:
		return f.glob(b, pattern, path, bound)
	}
}

// glob tries all lengths of a glob, which is the pattern's first segment. In version 1 it is the last segment and
// matches the whole rest, at least one segment, so that nested statements apply to nothing.
func (f *finder) glob(b *block, pattern []syntax.Segment, path []element, bound int) bool {
	shortest := 0
	if f.v1 {
		if !slices.ContainsFunc(path, func(e element) bool { return e.is != isMany }) {
			return true
		}
		shortest = len(path)
	}
	if len(pattern) == 1 && len(b.inner) == 0 {
		shortest = len(path) // After a shorter match nothing could match the rest.
	}
	for n := shortest; n <= len(path); n++ {
		f.captures[bound] = globbed(path[:n])
		if !f.block(b, pattern[1:], path[n:], bound+1) {
			return false
		}
	}
	return true
}

// captured returns the value of a captured segment.
func captured(e element) eval.Value {
	if e.is == isText {
		return value.String(e.text)
	}
	return eval.Unknown{}
}

// globbed returns the value of a captured glob.
func globbed(path []element) eval.Value {
	var room [16]string
	segments := room[:0]
	for _, e := range path {
		if e.is != isText {
			return eval.Unknown{}
		}
		segments = append(segments, e.text)
	}
	return eval.NewPath(segments...)
}
