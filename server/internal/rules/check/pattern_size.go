package check

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Unlimited is the greatest of a pattern's figures; greater ones are equal to it.
const Unlimited = 1 << 40

// whole is the number of instructions around a pattern's own ones.
const whole = 8

// The costs of parsing a regular expression, in steps of applying one. They were measured.
const (
	costOfByte = 128
	// costOfClass is the cost of a Unicode class, which has several hundred ranges of characters.
	costOfClass = 1 << 15
	// costOfFold is the cost of a character of a range that ignores case. Such a range is expanded.
	costOfFold = 8
	// lastFold is about the last character that has a case.
	lastFold = 0x1E943
)

// ParseCost returns about the cost of parsing and compiling a regular expression, without its repetitions, in steps of
// applying one. It only looks at the text.
func ParseCost(expr string) int {
	cost := (len(expr) + whole) * costOfByte
	cost += (strings.Count(expr, `\p`) + strings.Count(expr, `\P`)) * costOfClass
	if !foldsCase(expr) {
		return cost
	}
	for rest := expr; ; {
		_, after, ok := strings.Cut(rest, "-")
		if !ok {
			return cost
		}
		last, _ := utf8.DecodeRuneInString(after)
		if last == '\\' { // any character may follow in digits
			last = lastFold
		}
		cost += int(min(last, lastFold)) * costOfFold
		rest = after
	}
}

// foldsCase reports whether a part of an expression may ignore case.
func foldsCase(expr string) bool {
	for {
		_, after, ok := strings.Cut(expr, "(?")
		if !ok {
			return false
		}
		flags := after[:len(after)-len(strings.TrimLeft(after, "imsU-"))]
		if strings.Contains(flags, "i") {
			return true
		}
		expr = after
	}
}

// measures are the figures of a part of an expression. Each is at most Unlimited.
type measures struct {
	instructions int
	size         int // instructions and the ranges of their characters
	least, most  int // characters of a match
}

// measure returns the figures of a part of an expression.
func measure(re *syntax.Regexp) measures { // long: one case a node
	switch re.Op {
	case syntax.OpLiteral:
		n := len(re.Rune)
		return measures{n, n, n, n}
	case syntax.OpCharClass:
		return measures{1, 1 + len(re.Rune)/2, 1, 1}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return measures{1, 1, 1, 1}
	case syntax.OpCapture:
		return measure(re.Sub[0]).plus(measures{2, 2, 0, 0})
	case syntax.OpStar:
		return measure(re.Sub[0]).repeated(0, -1)
	case syntax.OpPlus:
		return measure(re.Sub[0]).repeated(1, -1)
	case syntax.OpQuest:
		return measure(re.Sub[0]).repeated(0, 1)
	case syntax.OpRepeat:
		return measure(re.Sub[0]).repeated(re.Min, re.Max)
	case syntax.OpConcat:
		var all measures
		for _, sub := range re.Sub {
			all = all.plus(measure(sub))
		}
		return all
	case syntax.OpAlternate:
		all := measures{least: Unlimited}
		for _, sub := range re.Sub {
			m := measure(sub)
			all.instructions, all.size = sum(all.instructions, m.instructions+1), sum(all.size, m.size+1)
			all.least, all.most = min(all.least, m.least), max(all.most, m.most)
		}
		return all
	default: // empty matches and conditions on the place
		return measures{1, 1, 0, 0}
	}
}

// plus returns the figures of two parts after each other.
func (m measures) plus(n measures) measures {
	return measures{sum(m.instructions, n.instructions), sum(m.size, n.size), sum(m.least, n.least), sum(m.most, n.most)}
}

// repeated returns the figures of a part that is repeated. most is negative if the number has no limit.
func (m measures) repeated(least, most int) measures {
	copies := max(least, most, 1) + 1 // one more for x{2,}
	out := measures{product(m.instructions+1, copies), product(m.size+1, copies), product(m.least, least), Unlimited}
	if most >= 0 {
		out.most = product(m.most, most)
	} else if m.most == 0 {
		out.most = 0
	}
	return out
}

// overrun returns the Overrun of the whole expression.
func (m measures) overrun() int {
	if m.most == Unlimited {
		return Unlimited
	}
	return m.most / max(m.least, 1)
}

// sum adds two figures.
func sum(a, b int) int { return min(a+b, Unlimited) }

// product multiplies two figures, of which the second is small.
func product(a, b int) int { return min(a*b, Unlimited) }
