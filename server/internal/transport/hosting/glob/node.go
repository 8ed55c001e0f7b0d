package glob

import (
	"slices"
	"strings"
	"unicode/utf8"

	"clave/server/internal/base/fault"
)

// kind is the kind of a node.
type kind byte

// The kinds of nodes. Groups have the character of their extended glob as kind.
const (
	literal kind = 'l'
	one     kind = '.'
	star    kind = 's'
	class   kind = '['
	noDot   kind = 'd'
	// never matches nothing: a class such as [z-a].
	never kind = 'n'

	optional kind = '?'
	any_     kind = '*'
	some     kind = '+'
	group    kind = '@'
	negation kind = '!'
)

// node is a part of a segment with wildcards.
type node struct {
	kind kind
	// char is the character of a literal.
	char rune
	// ranges are those of a class; negated if it matches all other characters.
	ranges  [][2]rune
	negated bool
	// alternatives are those of a group.
	alternatives [][]node
}

// parser parses a segment.
type parser struct {
	text string
	at   int
	dot  bool
	// magic is set once there is a wildcard, and negations once there is a negation.
	magic, negations bool
	// guarded is set for a segment whose first group's alternatives say themselves whether a dot may follow.
	guarded bool
	// groups are the kinds of the groups around the present place.
	groups []kind
	err    error
}

// parseSegment parses a segment of a pattern.
func parseSegment(text string, dot bool) (segment, error) {
	if text == "**" {
		return segment{globstar: true}, nil
	}
	p := &parser{text: text, dot: dot}
	nodes := p.sequence(false)
	if p.err != nil {
		return segment{}, p.err
	}
	if !p.magic {
		var plain strings.Builder
		for _, n := range nodes {
			plain.WriteRune(n.char)
		}
		return segment{literal: plain.String()}, nil
	}
	guarded := p.guarded || nodes[0].kind == literal
	return segment{nodes: nodes, negations: p.negations, noDot: !dot && !guarded}, nil
}

// sequence parses nodes up to the end, or within a group up to | or ).
func (p *parser) sequence(within bool) []node {
	nodes := []node{}
	for p.at < len(p.text) {
		c, size := utf8.DecodeRuneInString(p.text[p.at:])
		if within && (c == '|' || c == ')') {
			return nodes
		}
		if strings.HasPrefix(p.text[p.at:], "**") {
			p.at++ // several stars count as one, also before a parenthesis
			continue
		}
		if strings.ContainsRune("?*+@!", c) && p.at+1 < len(p.text) && p.text[p.at+1] == '(' {
			if n, ok := p.group(kind(c)); ok {
				nodes = append(nodes, n)
				continue
			}
		}
		p.at += size
		switch c {
		case '*':
			p.magic = true
			nodes = append(nodes, node{kind: star})
		case '?':
			p.magic = true
			nodes = append(nodes, node{kind: one})
		case '[':
			if n, ok := p.class(); ok {
				p.magic = true
				nodes = append(nodes, n)
			} else {
				nodes = append(nodes, node{kind: literal, char: '['})
			}
		case '\\':
			if p.at < len(p.text) {
				c, size = utf8.DecodeRuneInString(p.text[p.at:])
				p.at += size
			}
			nodes = append(nodes, node{kind: literal, char: c})
		default:
			nodes = append(nodes, node{kind: literal, char: c})
		}
	}
	return nodes
}

// group parses an extended glob. It reports false, and parses nothing, if its end is missing.
func (p *parser) group(k kind) (node, bool) {
	before := *p
	p.at += 2
	p.enter(k)
	n := node{kind: k}
	for {
		guarded := before.at == 0 && k != negation
		p.guarded = p.guarded || guarded
		dots := p.dot || strings.HasPrefix(p.text[p.at:], ".")
		alternative := p.sequence(true)
		if guarded && !dots {
			alternative = slices.Insert(alternative, 0, node{kind: noDot})
		}
		n.alternatives = append(n.alternatives, alternative)
		if p.at == len(p.text) {
			*p = before
			return node{}, false
		}
		end := p.text[p.at] == ')'
		if p.at++; end {
			p.magic = true
			p.groups = p.groups[:len(p.groups)-1]
			return n, true
		}
	}
}

// enter notes a group around the places that follow, and refuses those whose matching could take long.
func (p *parser) enter(k kind) {
	repeats := func(k kind) bool { return k == any_ || k == some }
	switch {
	case repeats(k) && slices.ContainsFunc(p.groups, repeats):
		p.err = fault.E(fault.InvalidArgument, "repetitions within repetitions are not supported")
	case len(p.groups) == maxDepth:
		p.err = fault.E(fault.InvalidArgument, "it has groups within groups, deeper than %d", maxDepth)
	}
	p.groups = append(p.groups, k)
	p.negations = p.negations || k == negation
}

// class parses a class after its bracket. It reports false, and parses nothing, if its end is missing.
func (p *parser) class() (node, bool) {
	rest := []rune(p.text[p.at:])
	n := node{kind: class}
	i := 0
	if len(rest) > 0 && (rest[0] == '!' || rest[0] == '^') {
		n.negated = true
		i++
	}
	var chars []rune
	var escaped []bool
	for first := true; ; first = false {
		if i >= len(rest) {
			return node{}, false
		}
		c := rest[i]
		i++
		// Only directly after the first bracket a closing bracket is a character: [!] has no end, as [] has none.
		if c == ']' && !(first && !n.negated) {
			break
		}
		if c == '\\' && i < len(rest) {
			chars, escaped = append(chars, rest[i]), append(escaped, true)
			i++
			continue
		}
		chars, escaped = append(chars, c), append(escaped, false)
	}
	for j := 0; j < len(chars); j++ {
		if j+2 < len(chars) && chars[j+1] == '-' && !escaped[j+1] {
			if chars[j] > chars[j+2] {
				n = node{kind: never}
				break
			}
			n.ranges = append(n.ranges, [2]rune{chars[j], chars[j+2]})
			j += 2
			continue
		}
		n.ranges = append(n.ranges, [2]rune{chars[j], chars[j]})
	}
	for range i { // A byte that is not UTF-8 counts as one character, and has a longer string.
		_, size := utf8.DecodeRuneInString(p.text[p.at:])
		p.at += size
	}
	return n, true
}
