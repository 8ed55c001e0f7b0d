package glob

import "slices"

// maxRepeated is the length in bytes of the longest segment that *(…) and +(…) match. File names are shorter.
const maxRepeated = 1024

// places is a set of positions in a segment: from them, the rest of a pattern matches.
type places []bool

// matcher matches a segment of a path.
type matcher struct {
	text []rune
	// bytes is the length of the text in bytes.
	bytes int
	// negations is set if the pattern has negations.
	negations bool
	// end has the position after the last character only.
	end places
}

// matchNodes reports whether nodes match a text. negations is set if they have negations.
func matchNodes(nodes []node, negations bool, text string) bool {
	m := &matcher{text: []rune(text), bytes: len(text), negations: negations}
	n := len(m.text)
	m.end = make(places, n+1)
	m.end[n] = true
	all := slices.Repeat(places{true}, n+1)
	return m.before(nodes, m.end, all, true)[0]
}

// before returns the positions from which nodes match up to a position in after. look does not require that the rest
// matches up to the end: a negation looks ahead with it, unless it is the last node of its segment, which last allows.
func (m *matcher) before(nodes []node, after, look places, last bool) places {
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &nodes[i]
		ends := last && i == len(nodes)-1
		if n.kind == negation {
			denied := m.denied(n, look, ends)
			after, look = m.anywhere(after, denied), m.anywhere(look, denied)
			continue
		}
		after, look = m.step(n, after, look, ends), m.ahead(n, look, ends)
	}
	return after
}

// denied returns the positions from which an alternative of a negation and what follows it match.
func (m *matcher) denied(n *node, look places, last bool) places {
	if last {
		look = m.end
	}
	return m.union(n, make(places, len(m.end)), look, look, last)
}

// ahead is step for look, which only negations need.
func (m *matcher) ahead(n *node, look places, last bool) places {
	if !m.negations {
		return look
	}
	return m.step(n, look, look, last)
}

// anywhere returns the positions from which any text leads to a position in after, except those that are denied.
func (m *matcher) anywhere(after, denied places) places {
	before := make(places, len(after))
	reached := false
	for p := len(after) - 1; p >= 0; p-- {
		reached = reached || after[p]
		before[p] = reached && (denied == nil || !denied[p])
	}
	return before
}

// step returns the positions from which a node other than a negation leads to a position in after.
func (m *matcher) step(n *node, after, look places, last bool) places {
	switch n.kind {
	case star:
		return m.anywhere(after, nil)
	case group:
		return m.union(n, make(places, len(after)), after, look, last)
	case optional:
		return m.union(n, slices.Clone(after), after, look, last)
	case any_:
		return m.repeated(n, after, look, last)
	case some:
		return m.union(n, make(places, len(after)), m.repeated(n, after, look, last), look, last)
	case noDot:
		before := make(places, len(after))
		for p := range before {
			before[p] = after[p] && (p == len(m.text) || m.text[p] != '.')
		}
		return before
	case literal, one, class, never, negation:
	}
	before := make(places, len(after))
	for p, c := range m.text {
		before[p] = after[p+1] && n.has(c)
	}
	return before
}

// has reports whether a node matches a character.
func (n *node) has(c rune) bool {
	switch n.kind {
	case literal:
		return c == n.char
	case one:
		return true
	case class:
		for _, r := range n.ranges {
			if r[0] <= c && c <= r[1] {
				return !n.negated
			}
		}
		return n.negated
	case star, noDot, never, optional, any_, some, group, negation:
	}
	return false
}

// union adds to a set the positions from which an alternative of a group leads to a position in after.
func (m *matcher) union(n *node, set, after, look places, last bool) places {
	for _, alternative := range n.alternatives {
		from := m.before(alternative, after, look, last)
		for p := range set {
			set[p] = set[p] || from[p]
		}
	}
	return set
}

// repeated returns the positions from which any number of alternatives of a group leads to a position in after.
func (m *matcher) repeated(n *node, after, look places, last bool) places {
	if m.bytes > maxRepeated {
		return make(places, len(after))
	}
	for {
		more := m.union(n, slices.Clone(after), after, look, last)
		if slices.Equal(more, after) {
			return after
		}
		after = more
	}
}
