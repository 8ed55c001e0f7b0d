package pipeline

import (
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

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
	*regexp.Regexp
	// later finds matches after the first character of a text; nil if the other does too. The group skip of both is the
	// match.
	later *regexp.Regexp
	skip  int
	// instructions is the number of the program's instructions, or somewhat more, with those that copy the places of
	// groups.
	instructions int
	// overrun is that of check.Pattern.
	overrun int
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
	p := &pattern{
		Regexp: c.First, later: c.Later, skip: c.Skip, instructions: parsed.Instructions * (1 + parsed.Groups/4), overrun: parsed.Overrun,
	}
	if use.whole {
		p.Regexp = c.Whole
	}
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
		if err := f.run.step(len(s) * re.instructions / applied); err != nil {
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
func matches(_ *frame, re *pattern, s string) result { return boolean(re.MatchString(s)) }

// findAll evaluates regex_find_all. A search for the next match may read the whole rest of the text for each match, as
// a.*b|a does. If that could be much, the searches count what they read.
func findAll(f *frame, re *pattern, s string) result {
	const most, quick = maxValue / bytesOfElement, 1 << 14
	var found []string
	if cost := len(s) * (min(re.overrun, len(s)) + 2) * re.instructions / applied; cost <= quick {
		if err := f.run.step(cost); err != nil {
			return aborted(err)
		}
		found = re.FindAllString(s, most+1)
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
	for from, ended := 0, -1; from <= len(s) && len(found) < n; {
		re, at := p.Regexp, from
		if p.later != nil && from > 0 { // the character before decides about ^ and \b
			_, size := utf8.DecodeLastRuneInString(s[:from])
			re, at = p.later, from-size
		}
		text := &countedText{run: r, rest: s[at:], cost: ofCharacter + p.instructions}
		m := re.FindReaderSubmatchIndex(text)
		if text.count(); text.err != nil {
			return nil, text.err
		}
		if m == nil {
			break
		}
		start, end := at+m[2*p.skip], at+m[2*p.skip+1]
		if start != end || start != ended {
			found = append(found, s[start:end])
		}
		if from, ended = end, end; start == end {
			_, size := utf8.DecodeRuneInString(s[end:])
			from += max(size, 1)
		}
	}
	return found, nil
}

// countedText is a text that counts the steps of reading it, and ends when there were too many.
type countedText struct {
	run    *run
	rest   string
	cost   int // of a character, in instructions
	unpaid int // the number of characters that have been read and not counted
	err    error
}

// ReadRune implements io.RuneReader.
func (c *countedText) ReadRune() (r rune, size int, err error) {
	if c.unpaid >= 256 {
		c.count()
	}
	if c.rest == "" || c.err != nil {
		return 0, 0, io.EOF
	}
	c.unpaid++
	r, size = utf8.DecodeRuneInString(c.rest)
	c.rest = c.rest[size:]
	return r, size, nil
}

// count counts the characters that have been read.
func (c *countedText) count() {
	if c.err == nil {
		c.err = c.run.step(1 + c.unpaid*c.cost/applied)
	}
	c.unpaid = 0
}

// patternFunctions are the functions of regular expressions.
var patternFunctions = []*Function{
	matching("like", "boolean", "js", true, like, matches),
	matching("regex_contains", "boolean", "js", false, asIs, matches),
	matching("regex_match", "boolean", "js", true, asIs, matches),
	matching("regex_find", "string", "go", false, asIs, func(_ *frame, re *pattern, s string) result {
		at := re.FindStringIndex(s)
		if at == nil {
			return null
		}
		return of(value.String(s[at[0]:at[1]]))
	}),
	matching("regex_find_all", "array", "go", false, asIs, findAll),
}
