package check

import (
	"regexp"
	"regexp/syntax"
)

// WholePattern compiles a regular expression that matches whole strings only.
func WholePattern(pattern string) (*regexp.Regexp, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	whole := &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{
		{Op: syntax.OpBeginText}, re, {Op: syntax.OpEndText},
	}}
	return regexp.Compile(whole.String())
}
