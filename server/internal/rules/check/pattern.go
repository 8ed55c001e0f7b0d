package check

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// Pattern is a regular expression, parsed but not compiled. It is immutable.
type Pattern struct {
	// Size is the size of the expression's program in instructions and ranges of characters, or somewhat more.
	Size int
	// Instructions is the number of the program's instructions, or somewhat more. Applying the program to a text takes at
	// most that many steps for each character.
	Instructions int
	// Groups is the number of the groups that the expression captures.
	Groups int
	// Overrun is the maximum number of characters that are read for a match and are not in it, for each character of the
	// shortest match. It is Unlimited if all of the text may be read for each match.
	Overrun int

	text      string // the expression, with its quotations closed
	names     []string
	looksBack bool
}

// ParsePattern parses a regular expression. Parsing can take long: check ParseCost before.
func ParsePattern(expr string) (*Pattern, error) {
	tree, err := syntax.Parse(expr, syntax.Perl) // refuses a)(b, which would be valid in parentheses
	if err != nil {
		return nil, err
	}
	m := measure(tree)
	p := &Pattern{
		Size: m.size + whole, Instructions: m.instructions + whole, Groups: tree.MaxCap(), Overrun: m.overrun(),
		text: expr, names: tree.CapNames(), looksBack: anyLooksBack(tree),
	}
	if i := strings.LastIndex(expr, `\Q`); i >= 0 && !strings.Contains(expr[i:], `\E`) {
		p.text = tree.String() // an unclosed quotation would include the text that follows
	}
	return p, nil
}

// Group returns the number of the group of a name, or -1.
func (p *Pattern) Group(name string) int {
	for i, n := range p.names {
		if n != "" && n == name {
			return i
		}
	}
	return -1
}

// Compiled is a compiled regular expression. It is immutable.
type Compiled struct {
	*Pattern
	// Whole matches whole texts only. It is nil unless the expression was compiled for that.
	Whole *regexp.Regexp
	// First finds matches. Later does after the first character of a text, and is nil if First does so too. The first
	// Skip groups of both are not the expression's; the last of these is the match.
	First, Later *regexp.Regexp
	Skip         int
}

// noOnePass before an expression keeps package regexp from building a second program of it, in which each instruction
// has a copy of the characters that may follow. It is a group.
const noOnePass = "()"

// Compile compiles a regular expression to match whole texts, or to find matches. Literals of the rules are compiled
// for speed, and others for memory.
func (p *Pattern) Compile(whole, literal bool) (*Compiled, error) {
	before, c := noOnePass, &Compiled{Pattern: p, Skip: 2}
	if literal {
		before, c.Skip = "", 1
	}
	var err error
	if whole {
		c.Whole, err = regexp.Compile(before + `\A(?:` + p.text + `)\z`)
		return c, err
	}
	if c.First, err = regexp.Compile(before + "(" + p.text + ")"); err == nil && p.looksBack {
		c.Later, err = regexp.Compile(before + `\A(?s:.)(?s:.*?)(` + p.text + ")")
	}
	return c, err
}

// anyLooksBack reports whether a part of a pattern looks at what is before it.
func anyLooksBack(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, sub := range re.Sub {
		if anyLooksBack(sub) {
			return true
		}
	}
	return false
}
