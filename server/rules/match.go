package rules

import (
	"slices"

	"clave/server/rules/eval"
	"clave/server/rules/syntax"
	"clave/server/value"
)

// known is what is known of an element of a path.
type known uint8

// What can be known of an element.
const (
	isText known = iota // it is this segment
	isOne               // it is one segment, unknown
	isMany              // it is any number of segments, unknown
)

// element is one element of the path that a request is about.
type element struct {
	text string
	is   known
}

// maxTries is how many ways of matching a request may try: a large ruleset could match a long path in too many ways.
const maxTries = 100_000

// maxCaptures is how many segments can be bound; rules/check refuses more.
const maxCaptures = 32

// finder goes through the allow statements that apply to a path: a depth-first search over the nested match statements. block consumes
// a statement's segments against the path's elements, glob tries every length of a glob, and search does the same for the statements
// inside with what is left of the path. captures is one stack for the whole search, of which bound is the height.
//
// An element can stand for many paths (isOne, isMany). A statement applies only if its path matches every one of them.
type finder struct {
	method   Method
	captures [maxCaptures]eval.Value
	v1       bool
	tries    int // how many ways of matching have been tried
	// visit is called with each statement that applies and the captured segments; false ends the search.
	visit func(a *allow, captures []eval.Value) bool
}

// search goes through match statements. It returns false when visit has ended the search.
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
	// The whole pattern has matched. The statement applies if nothing of the path is left; those inside continue with what is left, which may
	// be nothing where they begin with a glob.
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
	// true goes on with the next statement. A literal matches only a segment that is known, and a capture only what is certainly one segment:
	// a statement that matches some of the paths of a query must not apply to it.
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

// glob tries all lengths of a glob, which is the pattern's first segment. In version 1 it stands last and takes all that is left, a segment
// at least, so that statements inside apply to nothing.
func (f *finder) glob(b *block, pattern []syntax.Segment, path []element, bound int) bool {
	shortest := 0
	if f.v1 {
		if !slices.ContainsFunc(path, func(e element) bool { return e.is != isMany }) {
			return true
		}
		shortest = len(path)
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
	segments := make([]string, len(path))
	for i, e := range path {
		if e.is != isText {
			return eval.Unknown{}
		}
		segments[i] = e.text
	}
	return eval.NewPath(segments...)
}
