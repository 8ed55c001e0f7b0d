package eval

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/check"
)

// pattern evaluates matches, split and replace of a text.
func (e *Evaluator) pattern(ctx context.Context, s value.String, name string, args []Value) Value {
	ways := stringMethods[name].overloads
	if len(args) != len(ways[0].types)+1 || !fits(ways[0].types, args[1:]) {
		return choose(name, "string", ways, args, 1)
	}
	use := check.PatternUse{Expr: string(args[1].(value.String)), Whole: name == "matches"}
	re, f := e.compiled(ctx, use)
	if f != nil {
		return f
	}
	search := &search{e: e, re: re, literal: e.Program.Patterns[use] != nil}
	switch name {
	case "matches":
		found := search.matches(ctx, string(s))
		if search.failure != nil {
			return search.failure
		}
		return value.Bool(found)
	case "split":
		items := split(search.all(ctx, string(s)), string(s))
		if search.failure != nil {
			return search.failure
		}
		return stringList(items)
	}
	by := string(args[2].(value.String))
	text, ok := replace(re, search.all(ctx, string(s)), string(s), by)
	switch {
	case search.failure != nil:
		return search.failure
	case !ok:
		return badPattern(by)
	}
	return value.String(text)
}

// The limits of regular expressions that are not literals of the rules. Clients may write them and their texts, which
// together could take minutes and gigabytes.
const (
	// maxPattern is the maximum number of bytes of one.
	maxPattern = 8 << 10
	// maxProgram is the maximum size of one's program.
	maxProgram = 1 << 17
	// maxPatterns is the maximum work of those of a request: the steps of applying them, and as many as parsing them
	// costs.
	maxPatterns = 1 << 23
)

// maxLiterals is the maximum work of a request's regular expressions that are literals of the rules. Only few of them,
// such as a.*b|a, exceed it, with texts of more than 10,000 characters.
const maxLiterals = 1 << 32

// tooCostly is the failure of a request whose regular expressions exceed the limits. No other expression can override
// it.
var tooCostly = &Failure{
	Text:  "Unable to evaluate the expression as its regular expressions are too large for the texts to which they are applied.",
	abort: true,
}

// costly ends the evaluation with tooCostly.
func (e *Evaluator) costly() *Failure {
	e.steps, e.spent = maxSteps+1, tooCostly
	return tooCostly
}

// compiled returns a regular expression: a literal of the rules, or one that is parsed within the limits.
func (e *Evaluator) compiled(ctx context.Context, use check.PatternUse) (*check.Compiled, *Failure) {
	if re := e.Program.Patterns[use]; re != nil {
		return re, nil
	}
	if len(use.Expr) > maxPattern {
		return nil, e.costly()
	}
	// All work is counted before it is done, so that a costly expression waits for its turn.
	if f := e.patternWork(ctx, check.ParseCost(use.Expr)); f != nil {
		return nil, f
	}
	parsed, err := check.ParsePattern(use.Expr)
	if err != nil {
		return nil, badPattern(use.Expr)
	}
	// A program that is running has the positions of all groups for each of its instructions.
	if parsed.Size > maxProgram || parsed.Instructions*(parsed.Groups+1) > maxProgram {
		return nil, e.costly()
	}
	if f := e.patternWork(ctx, parsed.Size*stepsOfInstruction); f != nil {
		return nil, f
	}
	re, err := parsed.Compile(use.Whole, false)
	if err != nil {
		return nil, badPattern(use.Expr)
	}
	return re, nil
}

// stepsOfInstruction is the number of steps that cost as much as compiling an instruction.
const stepsOfInstruction = 32

// patternWork counts steps of regular expressions that are not literals of the rules.
func (e *Evaluator) patternWork(ctx context.Context, steps int) *Failure {
	if e.patterns += int64(steps); e.patterns > maxPatterns {
		return e.costly()
	}
	return e.work(ctx, steps/perInstruction)
}

// badPattern is the failure of a text that is not a regular expression.
func badPattern(expr string) *Failure {
	return failf("Invalid regular expression pattern. Pattern: %s.", expr)
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
func replace(re *check.Compiled, matches iter.Seq[[]int], s, by string) (text string, ok bool) {
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
func expand(b *strings.Builder, re *check.Compiled, s string, m []int, by string) bool {
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
			n, used := groupNumber(by[i+1:], re.Groups)
			if n > re.Groups {
				return false
			}
			group(n)
			i += used
		case c == '$' && i+1 < len(by) && by[i+1] == '{':
			name, _, closed := strings.Cut(by[i+2:], "}")
			n := re.Group(name)
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
