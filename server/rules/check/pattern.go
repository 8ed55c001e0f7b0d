package check

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// Instructions returns the number of instructions of a regular expression's program. Applying it to a text takes at
// most that many steps for each character.
func Instructions(pattern string) (int, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program, err := syntax.Compile(re.Simplify())
	if err != nil {
		return 0, err
	}
	return len(program.Inst), nil
}

// WholePattern compiles a regular expression that matches whole strings only.
func WholePattern(pattern string) (*regexp.Regexp, error) {
	re, err := syntax.Parse(pattern, syntax.Perl) // refuses a)(b, which would be valid in parentheses
	if err != nil {
		return nil, err
	}
	text := pattern
	if i := strings.LastIndex(text, `\Q`); i >= 0 && !strings.Contains(text[i:], `\E`) {
		text = re.String() // an unclosed quotation would include the text that follows
	}
	return regexp.Compile(`\A(?:` + text + `)\z`)
}
