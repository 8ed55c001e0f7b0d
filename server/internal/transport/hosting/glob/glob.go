package glob

import (
	"path"
	"strings"

	"clave/server/internal/base/fault"
)

// Glob is a parsed pattern. It is safe for concurrent use.
type Glob struct {
	negated bool
	// paths are the patterns without braces. A path must match one of them.
	paths [][]segment
	dot   bool
}

// segment is a part of a pattern between slashes.
type segment struct {
	// globstar is set for **.
	globstar bool
	// literal is the text that the segment must be if it has no wildcards.
	literal string
	// nodes are the parts of a segment with wildcards.
	nodes []node
	// negations is set if nodes have negations.
	negations bool
	// noDot is set if the segment must not begin with a dot.
	noDot bool
}

// Limits of patterns: their length in bytes, and the depth of groups within groups.
const (
	maxPattern = 4096
	maxDepth   = 6
)

// Parse parses a pattern. dot lets wildcards match a dot at the beginning of a segment. The error is InvalidArgument.
func Parse(pattern string, dot bool) (*Glob, error) {
	if len(pattern) > maxPattern {
		return nil, fault.E(fault.InvalidArgument, "it has more than %d characters", maxPattern)
	}
	g := &Glob{dot: dot}
	pattern, g.negated = strings.CutPrefix(pattern, "!")
	alternatives, err := expand(normal(pattern))
	if err != nil {
		return nil, err
	}
	for _, text := range alternatives {
		segments, err := parsePath(text, dot)
		if err != nil {
			return nil, err
		}
		g.paths = append(g.paths, segments)
	}
	return g, nil
}

// normal returns a pattern with one slash at its beginning, without the segments . and .. and without empty ones.
func normal(pattern string) string {
	clean := path.Clean("/" + pattern)
	if strings.HasSuffix(pattern, "/") && clean != "/" {
		clean += "/"
	}
	return clean
}

// parsePath parses a pattern without braces.
func parsePath(text string, dot bool) ([]segment, error) {
	var segments []segment
	for _, part := range split(text) {
		last := len(segments) - 1
		switch {
		case part == "**" && last >= 0 && segments[last].globstar:
		case part == ".." && last > 0 && !segments[last].globstar:
			segments = segments[:last] // only braces leave one
		default:
			s, err := parseSegment(part, dot)
			if err != nil {
				return nil, err
			}
			segments = append(segments, s)
		}
	}
	return segments, nil
}

// split returns the segments of a path. Several slashes count as one.
func split(path string) []string {
	parts := strings.Split(path, "/")
	kept := parts[:1]
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" || i == len(parts)-1 {
			kept = append(kept, parts[i])
		}
	}
	return kept
}

// Match reports whether the pattern matches a path, which begins with a slash.
func (g *Glob) Match(path string) bool {
	parts := split(path)
	for _, pattern := range g.paths {
		if g.matchPath(pattern, parts) {
			return !g.negated
		}
	}
	return g.negated
}

// matchPath reports whether a pattern without braces matches a path. It computes, from the last segment of the pattern
// to its first, the positions in the path from which the rest of the pattern matches.
func (g *Glob) matchPath(pattern []segment, parts []string) bool {
	n := len(parts)
	from := make([]bool, n+1)
	from[n] = true
	if n > 0 && parts[n-1] == "" {
		from[n-1] = true // a slash at the end
	}
	for i := len(pattern) - 1; i >= 0; i-- {
		s := &pattern[i]
		before := make([]bool, n+1)
		if s.globstar {
			if i == len(pattern)-1 {
				from[n-1], from[n] = true, false // at least one segment, which may be empty
				for j := n - 1; j >= 0; j-- {
					before[j] = g.passes(parts[j]) && (j == n-1 || before[j+1])
				}
			} else {
				before[n] = from[n]
				for j := n - 1; j >= 0; j-- {
					before[j] = from[j] || before[j+1] && g.passes(parts[j])
				}
			}
		} else {
			for j := range n {
				before[j] = from[j+1] && s.matches(parts[j])
			}
		}
		from = before
	}
	return from[0]
}

// passes reports whether ** matches a segment.
func (g *Glob) passes(part string) bool {
	return !strings.HasPrefix(part, ".") || g.dot && part != "." && part != ".."
}

// matches reports whether the segment of a pattern matches that of a path.
func (s *segment) matches(part string) bool {
	if s.nodes == nil {
		return part == s.literal
	}
	if part == "" || s.noDot && part[0] == '.' {
		return false
	}
	return matchNodes(s.nodes, s.negations, part)
}

// maxAlternatives is the greatest number of patterns that braces may stand for.
const maxAlternatives = 1000

// expand returns the patterns for which a pattern with braces stands.
func expand(pattern string) ([]string, error) {
	open, closing, commas := braces(pattern)
	if open < 0 {
		return []string{pattern}, nil
	}
	if len(commas) == 0 && strings.Contains(pattern[open:closing], "..") {
		return nil, fault.E(fault.InvalidArgument, "ranges in braces are not supported")
	}
	rest, err := expand(pattern[closing+1:])
	if err != nil {
		return nil, err
	}
	var inner []string
	at := open + 1
	for _, end := range append(commas, closing) {
		part, err := expand(pattern[at:end])
		if err != nil {
			return nil, err
		}
		inner = append(inner, part...)
		at = end + 1
	}
	prefix, suffix := pattern[:open], ""
	if len(commas) == 0 {
		prefix, suffix = prefix+"{", "}" // braces around one text stand for themselves
	}
	if len(inner)*len(rest) > maxAlternatives {
		return nil, fault.E(fault.InvalidArgument, "its braces stand for more than %d patterns", maxAlternatives)
	}
	all := make([]string, 0, len(inner)*len(rest))
	for _, i := range inner {
		for _, r := range rest {
			all = append(all, prefix+i+suffix+r)
		}
	}
	return all, nil
}

// braces returns the indices of the first pair of braces and of the commas directly within it. open is negative if
// there is none. A brace without its other one is a character.
func braces(pattern string) (open, closing int, commas []int) {
	for open = 0; open < len(pattern); open++ {
		switch pattern[open] {
		case '\\':
			open++
			continue
		case '{':
		default:
			continue
		}
		depth := 0
		commas = nil
		for i := open; i < len(pattern); i++ {
			switch c := pattern[i]; {
			case c == '\\':
				i++
			case c == '{':
				depth++
			case c == '}':
				if depth--; depth == 0 {
					return open, i, commas
				}
			case c == ',' && depth == 1:
				commas = append(commas, i)
			}
		}
	}
	return -1, 0, nil
}
