package syntax

import "strings"

// maxDepth bounds the parser's recursion; rules/check bounds expressions far below it.
const maxDepth = 500

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
