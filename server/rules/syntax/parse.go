package syntax

import (
	"fmt"
	"strings"
)

// maxDepth bounds the parser's recursion; rules/check bounds expressions far below it.
const maxDepth = 500

// maxIssues is the number of errors that are reported for one file.
const maxIssues = 100

// tooComplex is the official compiler's message for expressions that are nested too deep.
const tooComplex = "Expression is too complex to evaluate safely."

// parser parses a file. After an error it skips to the next position at which a declaration can begin or end, so that
// all errors of a file are reported at once.
type parser struct {
	tokens []token
	at     int
	ids    int
	depth  int
	issues []Issue
}

// bail is the panic value that leaves a declaration or condition whose error has been reported.
type bail struct{}

// Parse parses a rules file. The tree is whole only if none of the issues is an error; it is never nil.
func Parse(src string) (*File, []Issue) {
	f := &File{Source: src, Version: 1}
	if strings.TrimSpace(src) == "" {
		return f, []Issue{{Text: "Rules content empty. Compilation aborted."}}
	}
	tokens, issues := scan(src)
	p := &parser{tokens: tokens, issues: issues}
	p.file(f)
	f.Exprs = p.ids
	SortIssues(p.issues)
	return f, p.issues
}

// file parses the whole text.
func (p *parser) file(f *File) {
	p.attempt(func() {
		if p.peek().is("rules_version") {
			p.version(f)
		}
	})
	for p.peek().kind != kindEOF {
		t := p.peek()
		switch {
		case t.is("function"):
			p.attempt(func() { f.Functions = append(f.Functions, p.function()) })
		case t.is("service"):
			p.attempt(func() { f.Services = append(f.Services, p.service()) })
		case t.is("import"):
			p.addIssue(t.span, "Import statements are not allowed.")
			p.skipTo("function", "service")
		default:
			p.unexpected(t)
			p.next()
			p.skipTo("function", "service")
		}
	}
	if len(f.Services) == 0 && len(p.issues) == 0 {
		p.addIssue(p.peek().span, "Missing 'service' declaration.")
	}
}

// version parses rules_version = '2';.
func (p *parser) version(f *File) {
	begin := p.next()
	p.expect("=")
	t := p.next()
	switch {
	case t.kind != kindString:
		p.fail(t.span, "mismatched input '%s' expecting STRING", t.shown())
	case t.text == "1":
		f.Version = 1
	case t.text == "2":
		f.Version = 2
	default:
		p.addIssue(begin.span, "Unsupported rules version %s.", t.text)
	}
	f.Versioned = true
	p.accept(";")
}

// service parses a service declaration.
func (p *parser) service() *Service {
	s := &Service{Span: p.next().span}
	name := p.name()
	s.Named, s.Name = name.Span, name.Text
	for p.accept(".") {
		s.Name += "." + p.name().Text
	}
	p.block("service", map[string]func(){
		"function": func() { s.Functions = append(s.Functions, p.function()) },
		"match":    func() { s.Matches = append(s.Matches, p.match()) },
	})
	s.Span = s.Span.To(p.before())
	return s
}

// match parses a match statement.
func (p *parser) match() *Match {
	m := &Match{Span: p.next().span}
	m.Path = p.matchPath()
	p.block("match", map[string]func(){
		"function": func() { m.Functions = append(m.Functions, p.function()) },
		"allow":    func() { m.Allows = append(m.Allows, p.allow()) },
		"match": func() {
			p.enter(p.peek().span)
			defer p.leave()
			m.Matches = append(m.Matches, p.match())
		},
	})
	m.Span = m.Span.To(p.before())
	return m
}

// block parses the declarations in the braces of a statement, by their first words.
func (p *parser) block(statement string, declarations map[string]func()) {
	p.expect("{")
	empty := true
	for !p.closed() {
		empty = false
		t := p.peek()
		if declare := declarations[t.text]; declare != nil && t.kind == kindKeyword {
			p.attempt(declare)
		} else {
			p.stray(t)
		}
	}
	if empty {
		p.addIssue(p.before(), "The '%s' body must contain at least one declaration.", statement)
	}
}

// matchPath parses the path of a match statement.
func (p *parser) matchPath() []Segment {
	var path []Segment
	for {
		t := p.peek()
		switch {
		case t.kind == kindSegment:
			p.next()
			path = append(path, Segment{Span: t.span, Text: t.text})
		case t.is("/") && p.ahead(1).is("{") && p.ahead(2).kind == kindIdent:
			p.next()
			kind, name := p.placeholder()
			path = append(path, Segment{Span: t.span.To(p.before()), Kind: kind, Bound: name.Span, Text: name.Text})
		case t.is("/"):
			p.fail(t.span, "Forward slash '/' found where identifier or binding expected.")
		case len(path) == 0:
			p.fail(t.span, "Unexpected '%s'.", t.shown())
		default:
			return path
		}
	}
}

// placeholder parses {name}, which is also {name=*}, or {name=**}.
func (p *parser) placeholder() (SegmentKind, Name) {
	p.expect("{")
	name := p.name()
	kind := Capture
	if p.accept("=") && !p.accept("*") {
		p.expect("**")
		kind = Glob
	}
	p.expect("}")
	return kind, name
}

// allow parses an allow statement.
func (p *parser) allow() *Allow {
	a := &Allow{Span: p.next().span}
	for {
		t := p.peek()
		if t.kind != kindIdent {
			if len(a.Methods) == 0 {
				p.fail(t.span, "Expected at least one 'operation' after 'allow'.")
			}
			p.fail(t.span, "Unexpected '%s'.", t.shown())
		}
		p.next()
		a.Methods = append(a.Methods, Name{Span: t.span, Text: t.text})
		if !p.accept(",") {
			break
		}
	}
	// The usual mistakes with : and if have messages of their own in the official compiler.
	switch t := p.peek(); {
	case t.is(":"):
		p.next()
		if t := p.peek(); !p.accept("if") {
			p.fail(t.span, "Missing 'if' before conditional expression.")
		}
		if t := p.peek(); t.is(";") || t.is("}") {
			p.fail(t.span, "Missing conditional expression after 'if'.")
		}
		a.Cond = p.expr()
	case t.is("if"):
		p.fail(t.span, "Missing ':' before 'if' condition.")
	}
	a.Span = a.Span.To(p.before())
	p.accept(";")
	return a
}

// function parses a function declaration.
func (p *parser) function() *Function {
	f := &Function{Span: p.next().span, Name: p.name()}
	if t := p.peek(); !p.accept("(") {
		p.fail(t.span, "Missing 'function' signature")
	}
	for !p.accept(")") {
		if len(f.Params) > 0 {
			p.expect(",")
		}
		f.Params = append(f.Params, p.name())
	}
	p.expect("{")
	for p.peek().is("let") {
		p.next()
		name := p.name()
		p.expect("=")
		f.Lets = append(f.Lets, Let{Name: name, Value: p.expr()})
		if t := p.peek(); !p.accept(";") {
			p.fail(t.span, "missing ';' at '%s'", t.shown())
		}
	}
	if t := p.peek(); !p.accept("return") {
		if t.is("}") {
			// The declaration is complete otherwise, so parsing continues after it without skipping.
			p.addIssue(t.span, "Missing 'function' body")
			p.next()
			return f
		}
		p.fail(t.span, "Unexpected '%s'.", t.shown())
	}
	f.Return = p.expr()
	p.accept(";")
	p.expect("}")
	f.Span = f.Span.To(p.before())
	return f
}

// name parses a name that is being declared.
func (p *parser) name() Name {
	t := p.next()
	if t.kind != kindIdent {
		p.fail(t.span, "Unexpected '%s'.", t.shown())
	}
	return Name{Span: t.span, Text: t.text}
}

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
// or, if the declaration is one with a block, to the end of that, or to a word that begins a declaration, or to the brace
// that closes the block around it.
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
