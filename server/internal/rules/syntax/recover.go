package syntax

import "fmt"

// maxIssues is the number of errors that are reported for one file.
const maxIssues = 100

// bail is the panic value that leaves a declaration or condition whose error has been reported.
type bail struct{}

// attempt runs parse; when that bails out it skips to where the next declaration begins or a block ends.
func (p *parser) attempt(parse func()) {
	depth, start := p.depth, p.at
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bail); !ok {
				panic(r)
			}
			p.depth = depth
			if p.at == start {
				p.next() // always make progress
			}
			p.recover(p.openSince(start), !p.tokens[start].is("allow"))
		}
	}()
	parse()
}

// openSince returns how many braces have been opened and not closed since a token.
func (p *parser) openSince(start int) int {
	open := 0
	for _, t := range p.tokens[start:p.at] {
		switch {
		case t.is("{"):
			open++
		case t.is("}"):
			open--
		}
	}
	return max(0, open)
}

// recover skips past the broken rest of a declaration, of which depth braces are open: to just after the next semicolon
// or, if the declaration is one with a block, to the end of that, or to a word that begins a declaration, or to the
// brace that closes the block around it.
func (p *parser) recover(depth int, block bool) {
	for {
		t := p.peek()
		switch {
		case t.kind == kindEOF:
			return
		case t.is("{") && p.at > 0 && p.tokens[p.at-1].is("/"):
			p.skipTo("}")
		case t.is("{"):
			depth++
		case t.is("}"):
			if depth == 0 {
				return
			}
			depth--
			if depth == 0 && block {
				p.next()
				return
			}
		case depth == 0 && t.is(";"):
			p.next()
			return
		case depth == 0 && (t.is("allow") || t.is("match") || t.is("function") || t.is("service")):
			return
		}
		p.next()
	}
}

// stray reports a token that begins no declaration, and skips it and the rest of its statement.
func (p *parser) stray(t token) {
	p.unexpected(t)
	p.next()
	p.recover(0, true)
}

// skipTo skips to one of the given words or the end.
func (p *parser) skipTo(words ...string) {
	for {
		t := p.peek()
		if t.kind == kindEOF {
			return
		}
		for _, w := range words {
			if t.is(w) {
				return
			}
		}
		p.next()
	}
}

// closed consumes the brace that closes a block, and reports whether the block has ended.
func (p *parser) closed() bool {
	t := p.peek()
	if t.kind == kindEOF {
		p.fail(t.span, "missing '}' at '<EOF>'")
	}
	return p.accept("}")
}

// peek returns the next token.
func (p *parser) peek() token { return p.tokens[p.at] }

// ahead returns the token n places after the next.
func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

// before returns the place of the token before the next.
func (p *parser) before() Span {
	if p.at == 0 {
		return p.tokens[0].span
	}
	return p.tokens[p.at-1].span
}

// next consumes a token; the end is never consumed.
func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != kindEOF {
		p.at++
	}
	return t
}

// accept consumes the next token if it is the given word or sign.
func (p *parser) accept(text string) bool {
	if !p.peek().is(text) {
		return false
	}
	p.next()
	return true
}

// expect consumes the given word or sign, or bails out.
func (p *parser) expect(text string) {
	if t := p.peek(); !p.accept(text) {
		p.fail(t.span, "Unexpected '%s'.", t.shown())
	}
}

// addIssue reports an error. Only one error is reported for a position, because others follow from it.
func (p *parser) addIssue(at Span, format string, args ...any) {
	if len(p.issues) >= maxIssues {
		return
	}
	for _, i := range p.issues {
		if i.Span.Start == at.Start && i.Span.Line == at.Line {
			return
		}
	}
	p.issues = append(p.issues, Issue{Span: at, Text: fmt.Sprintf(format, args...)})
}

// unexpected reports an unexpected token.
func (p *parser) unexpected(t token) { p.addIssue(t.span, "Unexpected '%s'.", t.shown()) }

// fail reports an error and bails out of the declaration.
func (p *parser) fail(at Span, format string, args ...any) {
	p.addIssue(at, format, args...)
	panic(bail{})
}

// enter increments the nesting, or bails out at the limit.
func (p *parser) enter(at Span) {
	p.depth++
	if p.depth > maxDepth {
		p.fail(at, tooComplex)
	}
}

// leave decrements the nesting.
func (p *parser) leave() { p.depth-- }
