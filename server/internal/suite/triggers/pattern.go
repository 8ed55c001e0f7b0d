package triggers

import (
	"strings"

	"clave/server/internal/base/fault"
)

// pattern matches the paths of documents, such as rooms/a/messages/m. Its segments are compared one by one:
//
//	text         that segment; * stands for any characters
//	*, {x}, {x=*}    any one segment
//	**, {x=**}   any segments, also none
type pattern struct {
	segments []segment
	// all matches every document.
	all bool
}

// segment is one segment of a pattern.
type segment struct {
	// glob is the pattern that the segment must match; unused if many is set.
	glob string
	// exact compares glob literally.
	exact bool
	// many stands for any number of segments.
	many bool
}

// exactPattern matches one path.
func exactPattern(path string) pattern {
	var p pattern
	for s := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		p.segments = append(p.segments, segment{glob: s, exact: true})
	}
	return p
}

// parsePattern parses a pattern of paths.
func parsePattern(text string) (pattern, error) {
	var p pattern
	for s := range strings.SplitSeq(strings.Trim(text, "/"), "/") {
		parsed, err := parseSegment(s)
		if err != nil {
			return pattern{}, err
		}
		p.segments = append(p.segments, parsed)
	}
	return p, nil
}

// parseSegment parses one segment of a pattern.
func parseSegment(s string) (segment, error) {
	refuse := func() (segment, error) {
		return segment{}, fault.E(fault.InvalidArgument, "Invalid document pattern segment %q. Use a name, *, **, {name}, {name=*} or {name=**}.", s)
	}
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		inner, ok = strings.CutSuffix(inner, "}")
		name, glob, has := strings.Cut(inner, "=")
		if !has {
			glob = "*"
		}
		if !ok || name == "" || strings.ContainsAny(inner, "{}") || glob != "*" && glob != "**" {
			return refuse()
		}
		s = glob
	}
	switch {
	case s == "" || strings.ContainsAny(s, "{}"):
		return refuse()
	case s == "**":
		return segment{many: true}, nil
	}
	return segment{glob: s}, nil
}

// match reports whether a document's path matches.
func (p pattern) match(path string) bool {
	return p.all || matchSegments(p.segments, strings.Split(path, "/"))
}

// matchSegments matches segments against a path's. It keeps, for each prefix of the path, whether the segments so far
// match it, so that patterns with several ** cost no more than their product.
func matchSegments(segments []segment, path []string) bool {
	reached := make([]bool, len(path)+1)
	reached[0] = true
	for _, s := range segments {
		next := make([]bool, len(path)+1)
		for i := range reached {
			switch {
			case s.many:
				next[i] = reached[i] || i > 0 && next[i-1]
			case i > 0:
				next[i] = reached[i-1] && s.match(path[i-1])
			}
		}
		reached = next
	}
	return reached[len(path)]
}

// match reports whether one segment of a path matches a segment of a pattern without many.
func (s segment) match(name string) bool {
	if s.exact || !strings.Contains(s.glob, "*") {
		return s.glob == name
	}
	parts := strings.Split(s.glob, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	rest := name[len(first) : len(name)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return true
}
