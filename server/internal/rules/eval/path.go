package eval

import (
	"slices"
	"strings"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/syntax"
)

// Part is one segment of a path.
type Part struct {
	// Kind is Literal, or a placeholder that has not been bound.
	Kind syntax.SegmentKind
	// Text is the segment, or the placeholder's name.
	Text string
}

// Path is a path, possibly with placeholders. It is immutable.
type Path struct {
	// Parts are the segments.
	Parts []Part
	// bound are the values that bind has given to placeholders, by name.
	bound value.Map
	// text is the path as written, kept for lookups; empty until it is needed.
	text string
}

// NewPath returns the path of the given segments.
func NewPath(segments ...string) *Path {
	const few = 6 // of the paths of most documents
	var p *Path
	if len(segments) <= few {
		both := &struct {
			Path
			room [few]Part
		}{}
		p, both.Parts = &both.Path, both.room[:len(segments)]
	} else {
		p = &Path{Parts: make([]Part, len(segments))}
	}
	for i, s := range segments {
		p.Parts[i].Text = s
	}
	return p
}

// shown returns the path in the form of string and join: an open placeholder is empty, and omitted once others have
// been bound.
func (p *Path) shown() string {
	if p.open() == "" {
		return p.String()
	}
	var segments []string
	for _, s := range p.Parts {
		switch {
		case s.Kind == syntax.Literal:
			segments = append(segments, s.Text)
		case p.bound == nil:
			segments = append(segments, "")
		}
	}
	return NewPath(segments...).String()
}

// closed returns the segments that are counted: once a placeholder has been bound, those that are not open.
func (p *Path) closed() ([]Part, *Failure) {
	name := p.open()
	switch {
	case name == "":
		return p.Parts, nil
	case p.bound == nil:
		return nil, unbound(name)
	}
	return slices.DeleteFunc(slices.Clone(p.Parts), func(s Part) bool { return s.Kind != syntax.Literal }), nil
}

// String returns the path as text, /a/b; placeholders in braces. That of no segments is a slash.
func (p *Path) String() string {
	if p.text != "" {
		return p.text
	}
	if len(p.Parts) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, s := range p.Parts {
		b.WriteByte('/')
		switch s.Kind {
		case syntax.Literal:
			b.WriteString(s.Text)
		case syntax.Capture:
			b.WriteString("{" + s.Text + "}")
		case syntax.Glob:
			b.WriteString("{" + s.Text + "=**}")
		}
	}
	return b.String()
}

// open returns the name of the path's first open placeholder, or "".
func (p *Path) open() string {
	for _, s := range p.Parts {
		if s.Kind != syntax.Literal {
			return s.Text
		}
	}
	return ""
}

// unbound is the failure of a path with an open placeholder.
func unbound(name string) *Failure { return failf("Variable %s is not bound in path template.", name) }

// equal reports whether two paths are the same; one with open placeholders is equal to none.
func (p *Path) equal(q *Path) bool {
	if len(p.Parts) != len(q.Parts) {
		return false
	}
	for i, s := range p.Parts {
		if s != q.Parts[i] || s.Kind != syntax.Literal {
			return false
		}
	}
	return true
}

// is reports whether a path is that of a stored reference. Unlike equal it does not convert the reference.
func (p *Path) is(r value.Reference) bool {
	rest, more := referenceText(r), true
	for _, s := range p.Parts {
		var segment string
		if !more || s.Kind != syntax.Literal {
			return false
		}
		if segment, rest, more = strings.Cut(rest, "/"); segment != s.Text {
			return false
		}
	}
	return !more
}

// referenceText returns the full name of a stored reference without the project.
func referenceText(r value.Reference) string {
	if within, ok := strings.CutPrefix(string(r), "projects/"); ok {
		if _, rest, more := strings.Cut(within, "/"); more {
			return rest
		}
	}
	return string(r)
}

// referencePath returns the path of a stored reference.
func referencePath(r value.Reference) *Path {
	return NewPath(strings.Split(referenceText(r), "/")...)
}

// parsePath parses a path such as a/b or /a/{b}/{c=**}. White space around a segment is ignored. For another text it
// returns nil and what is wrong.
func parsePath(text string) (*Path, string) {
	rest := strings.TrimPrefix(text, "/")
	if text == "" {
		return nil, "Empty Path Template is not allowed."
	}
	p := &Path{}
	for s := range strings.SplitSeq(rest, "/") {
		if s = strings.TrimSpace(s); s == "" {
			return nil, "Invalid Path Template " + text + ". Empty segment is not allowed."
		}
		part := Part{Text: unescapePath(s)}
		if strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") {
			name, glob := strings.CutSuffix(s[1:len(s)-1], "=**")
			part = Part{Kind: syntax.Capture, Text: strings.TrimSpace(name)}
			if glob {
				part.Kind = syntax.Glob
			}
		}
		p.Parts = append(p.Parts, part)
	}
	return p, ""
}

// index returns the segment at i.
func (p *Path) index(i int64) Value {
	segments, f := p.closed()
	if f != nil {
		return f
	}
	if i < 0 || i >= int64(len(segments)) {
		return outOfBounds(i, len(segments))
	}
	return value.String(segments[i].Text)
}

// member returns the value to which a placeholder of the path was bound.
func (p *Path) member(name string) Value {
	if v, ok := p.bound[name]; ok {
		return v
	}
	for _, s := range p.Parts {
		if s.Kind != syntax.Literal && s.Text == name {
			return unbound(name)
		}
	}
	return missing(name)
}

// bind fills the placeholders with the values of m, all of whose keys must be placeholders.
func (p *Path) bind(m value.Map) Value {
	out := &Path{bound: make(value.Map, len(m)+len(p.bound))}
	for k, v := range p.bound {
		out.bound[k] = v
	}
	used := 0
	for _, s := range p.Parts {
		v, ok := m[s.Text]
		if s.Kind == syntax.Literal || !ok {
			out.Parts = append(out.Parts, s)
			continue
		}
		used++
		if s.Kind == syntax.Glob {
			inner, ok := asPath(v)
			if !ok {
				return typeError(v, "path")
			}
			out.Parts = append(out.Parts, inner.Parts...)
			out.bound[s.Text] = inner
			continue
		}
		text, f := toString(v)
		if f != nil {
			return f
		}
		if text == "" {
			return failf("Cannot bind empty value to path template variable %s.", s.Text)
		}
		out.Parts = append(out.Parts, Part{Text: text})
		out.bound[s.Text] = value.String(text)
	}
	// A key without a placeholder is a failure. The keys are sorted, so that its text is deterministic.
	if used < len(m) {
		for _, k := range sortedKeys(m) {
			if !p.has(k) {
				return failf("Variable(s) %s do not exist in the path template.", k)
			}
		}
	}
	return out
}

// has reports whether the path has an open placeholder of that name.
func (p *Path) has(name string) bool {
	for _, s := range p.Parts {
		if s.Kind != syntax.Literal && s.Text == name {
			return true
		}
	}
	return false
}

// PathOf returns the path of a path value or a reference, and an empty path for any other value.
func PathOf(v Value) *Path {
	if p, ok := asPath(v); ok {
		return p
	}
	return &Path{}
}
