package pipeline

import (
	"regexp"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/value"
	"clave/server/internal/rules/check"
)

// The limits of regular expressions. Their texts and the patterns are the client's, which together could take minutes
// and gigabytes.
const (
	// maxPattern is the maximum length of one in bytes.
	maxPattern = 8 << 10
	// maxProgram is the maximum size of the program of one, and of those that an execution keeps.
	maxProgram = 1 << 17
	// applied is the number of instructions, applied to one byte of a text, that are one step.
	applied = 16
	// ofCharacter is the cost of reading a character of a text, in instructions.
	ofCharacter = 24
	// built is the number of instructions that are compiled in one step.
	built = 2
)

// pattern is a compiled regular expression.
type pattern struct {
	*check.Compiled
	// cost is the number of the program's instructions, or somewhat more, with those that copy the places of groups.
	cost int
}

// patterns are the regular expressions of an execution, by their text and whether they match whole texts.
type patterns struct {
	byText map[patternUse]*pattern
	size   int
}

// patternUse is a regular expression that matches whole texts, or finds matches.
type patternUse struct {
	text  string
	whole bool
}

// pattern compiles a regular expression of RE2, and counts the work of that before. It keeps those of the execution.
func (r *run) pattern(name string, use patternUse) (*pattern, result) {
	if p := r.patterns.byText[use]; p != nil {
		return p, unset
	}
	if len(use.text) > maxPattern {
		return nil, failed("The regular expression of the function %s(...) is too long.", name)
	}
	if err := r.step(check.ParseCost(use.text) / applied); err != nil {
		return nil, aborted(err)
	}
	parsed, err := check.ParsePattern(use.text)
	if err != nil {
		return nil, failed("The function %s(...) has an invalid regular expression: %v", name, err)
	}
	if parsed.Size > maxProgram || parsed.Instructions*(parsed.Groups+1) > maxProgram {
		return nil, aborted(fault.E(fault.ResourceExhausted, "The regular expression of the function %s(...) is too large.", name))
	}
	if err := r.step(parsed.Size / built); err != nil {
		return nil, aborted(err)
	}
	c, err := parsed.Compile(use.whole, false)
	if err != nil {
		return nil, failed("The function %s(...) has an invalid regular expression: %v", name, err)
	}
	p := &pattern{Compiled: c, cost: parsed.Instructions * (1 + parsed.Groups/4)}
	if r.patterns.size += parsed.Size; r.patterns.size > maxProgram || r.patterns.byText == nil {
		r.patterns = patterns{byText: map[patternUse]*pattern{}, size: parsed.Size}
	}
	r.patterns.byText[use] = p
	return p, unset
}

// matching returns a function of a string and a regular expression, which matches the whole string if whole is set.
func matching(name, result_, source string, whole bool, translate func(p string) string, eval func(f *frame, re *pattern, s string) result) *Function {
	return &Function{Name: name, Args: "string, pattern", Result: result_, Source: source, Min: 2, Max: 2, eval: func(f *frame, args []value.Value) result {
		s, ok := args[0].(value.String)
		if !ok {
			return wrongType(name, "String", args[0])
		}
		p, ok := args[1].(value.String)
		if !ok {
			return wrongType(name, "String", args[1])
		}
		re, no := f.run.pattern(name, patternUse{translate(string(p)), whole})
		if re == nil {
			return no
		}
		if err := f.run.step(len(s) * re.cost / applied); err != nil {
			return aborted(err)
		}
		return eval(f, re, string(s))
	}}
}

// asIs is the translation of a pattern that is a regular expression.
func asIs(p string) string { return p }

// like is the translation of a pattern with % and _.
func like(p string) string {
	var b strings.Builder
	b.WriteString(`(?s)`)
	for _, c := range p {
		switch c {
		case '_':
			b.WriteByte('.')
		case '%':
			b.WriteString(`.*`)
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	return b.String()
}

// matches evaluates a function that is true or false.
func matches(_ *frame, re *pattern, s string) result {
	if re.Whole != nil {
		return boolean(re.MatchesWhole(s, nil))
	}
	return boolean(re.First.MatchString(s))
}

// findAll evaluates regex_find_all. A search for the next match may read the whole rest of the text for each match, as
// a.*b|a does. If that could be much, the searches count what they read.
func findAll(f *frame, re *pattern, s string) result {
	const most, quick = maxValue / bytesOfElement, 1 << 14
	var found []string
	if cost := len(s) * (min(re.Overrun, len(s)) + 2) * re.cost / applied; cost <= quick {
		if err := f.run.step(cost); err != nil {
			return aborted(err)
		}
		found = re.First.FindAllString(s, most+1)
	} else {
		var err error
		if found, err = re.findCounted(f.run, s, most+1); err != nil {
			return aborted(err)
		}
	}
	if len(found) > most {
		return tooLarge()
	}
	out := make(value.Array, len(found))
	for i, text := range found {
		out[i] = value.String(text)
	}
	return of(out)
}

// findCounted returns at most n matches, as FindAllString does, and counts the steps of finding them.
func (p *pattern) findCounted(r *run, s string, n int) (found []string, err error) {
	count := func(runes int) bool {
		err = r.step(1 + runes*(ofCharacter+p.cost)/applied)
		return err == nil
	}
	for from, ended := 0, -1; from <= len(s) && len(found) < n; {
		m := p.Next(s, from, count)
		if m == nil {
			break
		}
		if m[0] != m[1] || m[0] != ended { // Go has no empty match directly after another one.
			found = append(found, s[m[0]:m[1]])
		}
		from, ended = check.After(s, m), m[1]
	}
	return found, err
}

// patternFunctions are the functions of regular expressions.
var patternFunctions = []*Function{
	matching("like", "boolean", "js", true, like, matches),
	matching("regex_contains", "boolean", "js", false, asIs, matches),
	matching("regex_match", "boolean", "js", true, asIs, matches),
	matching("regex_find", "string", "go", false, asIs, func(_ *frame, re *pattern, s string) result {
		at := re.First.FindStringIndex(s)
		if at == nil {
			return null
		}
		return of(value.String(s[at[0]:at[1]]))
	}),
	matching("regex_find_all", "array", "go", false, asIs, findAll),
}
