// Package pattern has regular expressions that are compiled at their first use. Those of a program's variables would
// otherwise be compiled at each start, also those that it does not need; each takes some 50 KB then.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. It is safe for concurrent use.
type Pattern struct{ compiled func() *regexp.Regexp }

// New returns the pattern of an expression, which must be valid: its first use panics otherwise. A test of the linter
// compiles all expressions.
func New(expression string) *Pattern {
	return &Pattern{compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// MatchString reports whether a text contains a match.
func (p *Pattern) MatchString(text string) bool { return p.compiled().MatchString(text) }

// FindStringSubmatch returns the first match and its groups, or nil.
func (p *Pattern) FindStringSubmatch(text string) []string {
	return p.compiled().FindStringSubmatch(text)
}

// FindAllStringSubmatch returns at most n matches with their groups; all for a negative n.
func (p *Pattern) FindAllStringSubmatch(text string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(text, n)
}

// FindAllStringSubmatchIndex returns the places of at most n matches and their groups; of all for a negative n.
func (p *Pattern) FindAllStringSubmatchIndex(text string, n int) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(text, n)
}

// ReplaceAllString returns a text with its matches replaced, in which $1 stands for a group.
func (p *Pattern) ReplaceAllString(text, by string) string {
	return p.compiled().ReplaceAllString(text, by)
}
