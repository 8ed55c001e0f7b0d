package eval

import (
	"context"
	"iter"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"clave/server/rules/check"
	"clave/server/value"
)

// pattern evaluates matches, split and replace of a text.
func (e *Evaluator) pattern(ctx context.Context, s value.String, name string, args []Value) Value {
	ways := stringMethods[name].overloads
	if len(args) != len(ways[0].types)+1 || !fits(ways[0].types, args[1:]) {
		return choose(name, "string", ways, args, 1)
	}
	expr := string(args[1].(value.String))
	before := e.patterns
	if !e.admitPattern(expr, string(s)) {
		e.steps, e.spent = maxSteps+1, tooCostly
		return tooCostly
	}
	if f := e.work(ctx, len(s)+int(e.patterns-before)/perInstruction); f != nil {
		return f
	}
	if name == "matches" {
		// Literal patterns were compiled when the rules were loaded.
		re := e.Program.Patterns[expr]
		if re == nil {
			var err error
			if re, err = check.WholePattern(expr); err != nil {
				return badPattern(expr)
			}
		}
		return value.Bool(re.MatchString(string(s)))
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return badPattern(expr)
	}
	matches, ok := find(re, string(s))
	if !ok {
		e.steps, e.spent = maxSteps+1, tooLarge
		return tooLarge
	}
	if name == "split" {
		return stringList(split(matches, string(s)))
	}
	by := string(args[2].(value.String))
	text, ok := replace(re, matches, string(s), by)
	if !ok {
		return badPattern(by)
	}
	return value.String(text)
}

// maxPatterns is the maximum work of a request's regular expressions that are not literals of the rules. The work of
// one is the number of its instructions, times that of its text's bytes. Without a limit, a pattern and a text of a
// client could take minutes.
const maxPatterns = 1 << 23

// patternParts is the number of bytes of text that cost as much as parsing a pattern does.
const patternParts = 64

// tooCostly is the failure of a request whose regular expressions exceed maxPatterns. No other expression can override
// it.
var tooCostly = &Failure{
	Text:  "Unable to evaluate the expression as its regular expressions are too large for the texts to which they are applied.",
	abort: true,
}

// admitPattern reports whether a pattern may be applied to a text within the request's budget. Literals of the rules
// are not counted.
func (e *Evaluator) admitPattern(expr, text string) bool {
	if e.Program.Patterns[expr] != nil {
		return true
	}
	e.patterns += int64(len(expr)) * patternParts
	if e.patterns > maxPatterns {
		return false
	}
	n, err := check.Instructions(expr)
	if err != nil {
		return true // badPattern
	}
	e.patterns += int64(n) * int64(len(text)+1)
	return e.patterns <= maxPatterns
}

// badPattern is the failure of a text that is not a regular expression.
func badPattern(expr string) *Failure {
	return failf("Invalid regular expression pattern. Pattern: %s.", expr)
}

// maxMatches is the maximum number of matches of a pattern that looks back. They are held at the same time.
const maxMatches = 1 << 16

// find returns the positions of all matches and their groups, like repeated calls of Java's Matcher.find: unlike in Go,
// an empty match may directly follow another match. ok is false if a pattern that looks back matches too often.
//
// Matches are found one after the other: all of those of a long text together would take a hundred times its memory.
func find(re *regexp.Regexp, s string) (matches iter.Seq[[]int], ok bool) {
	if looksBack(re) {
		all := re.FindAllStringSubmatchIndex(s, maxMatches+1)
		return slices.Values(all), len(all) <= maxMatches
	}
	return func(yield func([]int) bool) {
		for from := 0; from <= len(s); {
			m := re.FindStringSubmatchIndex(s[from:])
			if m == nil {
				return
			}
			for i := range m {
				if m[i] >= 0 { // otherwise the group did not participate in the match
					m[i] += from
				}
			}
			if !yield(m) {
				return
			}
			if from = m[1]; m[0] == m[1] {
				_, size := utf8.DecodeRuneInString(s[from:])
				from += max(size, 1)
			}
		}
	}, true
}

// looksBack reports whether a pattern may look at what is before a match.
func looksBack(re *regexp.Regexp) bool {
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	return err != nil || anyLooksBack(parsed)
}

// anyLooksBack reports whether a part of a pattern looks at what is before it.
func anyLooksBack(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return slices.ContainsFunc(re.Sub, anyLooksBack)
}

// split splits a text at the matches of a pattern. It drops trailing empty texts, except the first text.
func split(matches iter.Seq[[]int], s string) []string {
	var out []string
	last, empty := 0, 0 // empty is the number of empty texts since the last one of out
	add := func(text string) {
		if text == "" {
			empty++
			return
		}
		out = append(append(out, make([]string, empty)...), text)
		empty = 0
	}
	for m := range matches {
		if m[1] == 0 && m[0] == 0 && len(s) == 0 || len(out) > maxItems { // too great already
			break
		}
		add(s[last:m[0]])
		last = m[1]
	}
	if add(s[last:]); len(out) == 0 {
		return []string{""}
	}
	return out
}

// replace replaces all matches; $1 and ${name} in by stand for groups, and a backslash escapes the next character. ok
// is false if by names a group that the pattern lacks.
func replace(re *regexp.Regexp, matches iter.Seq[[]int], s, by string) (text string, ok bool) {
	var b strings.Builder
	last := 0
	for m := range matches {
		b.WriteString(s[last:m[0]])
		if !expand(&b, re, s, m, by) {
			return "", false
		}
		last = m[1]
		if b.Len() > maxBytes {
			break // too great already
		}
	}
	b.WriteString(s[last:])
	return b.String(), true
}

// expand writes a replacement. It returns false if the replacement names an unknown group.
func expand(b *strings.Builder, re *regexp.Regexp, s string, m []int, by string) bool {
	group := func(n int) {
		if m[2*n] >= 0 { // otherwise the group did not participate in the match
			b.WriteString(s[m[2*n]:m[2*n+1]])
		}
	}
	for i := 0; i < len(by); i++ {
		c := by[i]
		switch {
		case c == '\\' && i+1 < len(by):
			i++
			b.WriteByte(by[i])
		case c == '$' && i+1 < len(by) && '0' <= by[i+1] && by[i+1] <= '9':
			n, used := groupNumber(by[i+1:], re.NumSubexp())
			if n > re.NumSubexp() {
				return false
			}
			group(n)
			i += used
		case c == '$' && i+1 < len(by) && by[i+1] == '{':
			name, _, closed := strings.Cut(by[i+2:], "}")
			n := re.SubexpIndex(name)
			if !closed || n < 0 {
				return false
			}
			group(n)
			i += len("{}") + len(name)
		default:
			b.WriteByte(c)
		}
	}
	return true
}

// groupNumber parses a group's number: as many digits as form the number of an existing group.
func groupNumber(digits string, groups int) (n, used int) {
	n, used = int(digits[0]-'0'), 1
	for used < len(digits) && '0' <= digits[used] && digits[used] <= '9' {
		next, err := strconv.Atoi(digits[:used+1])
		if err != nil || next > groups {
			break
		}
		n = next
		used++
	}
	return n, used
}
