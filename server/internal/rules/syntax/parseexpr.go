package syntax

import (
	"strconv"
)

// operator is a binary operator and how tightly it binds.
type operator struct {
	op    Op
	level int
}

// operators lists the binary operators, which are all left-associative. As in the official compiler, but unlike the
// published table, == binds tighter than in and is.
var operators = map[string]operator{
	"||": {Or, 1},
	"&&": {And, 2},
	"in": {In, 3}, "is": {isOp, 3},
	"==": {Equal, 4}, "!=": {NotEqual, 4},
	"<": {Less, 5}, "<=": {LessEqual, 5}, ">": {Greater, 5}, ">=": {GreaterEqual, 5},
	"+": {Add, 6}, "-": {Sub, 6},
	"*": {Mul, 7}, "/": {Div, 7}, "%": {Mod, 7},
}

// isOp represents is in operators. It is not an Op, because its right side is a type and not an expression.
const isOp Op = 255

// node makes the common part of an expression.
func (p *parser) node(at Span) node {
	p.ids++
	return node{span: at, id: p.ids - 1}
}

// expr parses an expression.
func (p *parser) expr() Expr {
	p.enter(p.peek().span)
	defer p.leave()
	c := p.binary(0)
	question := p.peek().span
	if !p.accept("?") {
		return c
	}
	a := p.expr()
	if t := p.peek(); !p.accept(":") {
		p.fail(t.span, "missing ':' at '%s'", t.shown())
	}
	b := p.expr()
	return &Cond{node: p.node(c.At().To(b.At())), OpAt: question, C: c, A: a, B: b}
}

// binary parses operators of a level and tighter ones by precedence climbing: an operator's right side is parsed one
// level higher, so that operators of one level are left-associative. Since is has no expression on its right, any
// operator may follow it, with everything before as its left side: 1 is int == true is (1 is int) == true.
func (p *parser) binary(level int) Expr {
	x := p.unary()
	for {
		t := p.peek()
		if t.kind != kindPunct && t.kind != kindKeyword {
			return x
		}
		o, ok := operators[t.text]
		if !ok || o.level < level {
			return x
		}
		p.next()
		if o.op == isOp {
			name := p.name()
			x = &Is{node: p.node(x.At().To(name.Span)), OpAt: t.span, X: x, Type: name}
			continue
		}
		y := p.binary(o.level + 1)
		x = &Binary{node: p.node(x.At().To(y.At())), Op: o.op, OpAt: t.span, X: x, Y: y}
	}
}

// unary parses ! and -. A minus before a number is part of it; a minus can't be doubled.
func (p *parser) unary() Expr {
	t := p.peek()
	switch {
	case t.is("!"):
		p.enter(t.span)
		defer p.leave()
		p.next()
		x := p.unary()
		return &Unary{node: p.node(t.span.To(x.At())), Op: Not, X: x}
	case t.is("-"):
		p.next()
		if n := p.peek(); n.kind == kindInt && n.text == "9223372036854775808" {
			p.next()
			return &IntLit{node: p.node(t.span.To(n.span)), Value: -1 << 63}
		}
		x := p.postfix()
		return &Unary{node: p.node(t.span.To(x.At())), Op: Neg, X: x}
	case t.is("--") || t.is("++"):
		p.fail(t.span, "Increment (++) and decrement (--) operators are not supported.")
	}
	return p.postfix()
}

// postfix parses members, methods, indexes and slices.
func (p *parser) postfix() Expr {
	x := p.primary()
	for {
		switch t := p.peek(); {
		case t.is("."):
			p.next()
			n := p.next()
			if !n.isName() {
				p.fail(n.span, "Unexpected '%s'.", n.shown())
			}
			x = p.member(x, Name{Span: n.span, Text: n.text})
		case t.is("["):
			p.next()
			x = p.index(x)
		default:
			return x
		}
	}
}

// packages are the names whose members are functions, not values.
var packages = map[string]bool{"math": true, "timestamp": true, "duration": true, "latlng": true, "hashing": true}

// IsPackage reports whether a name is that of a package of functions, and can't be that of a variable.
func IsPackage(name string) bool { return packages[name] }

// member makes x.name, x.name(args), or the call of a package's function.
func (p *parser) member(x Expr, name Name) Expr {
	if !p.peek().is("(") {
		return &Member{node: p.node(x.At().To(name.Span)), X: x, Name: name.Text}
	}
	args := p.args()
	at := x.At().To(p.before())
	if id, ok := x.(*Ident); ok && packages[id.Name] {
		return &Call{node: p.node(at), Name: Name{Span: name.Span, Text: id.Name + "." + name.Text}, Args: args}
	}
	return &Method{node: p.node(at), X: x, Name: name, Args: args}
}

// index parses what follows an opening bracket behind x.
func (p *parser) index(x Expr) Expr {
	var low, high Expr
	if !p.peek().is(":") {
		low = p.expr()
	}
	if !p.accept(":") {
		p.expect("]")
		return &Index{node: p.node(x.At().To(p.before())), X: x, I: low}
	}
	if !p.peek().is("]") {
		high = p.expr()
	}
	p.expect("]")
	return &Slice{node: p.node(x.At().To(p.before())), X: x, Low: low, High: high}
}

// args parses (a, b), the parentheses included; a comma may end the list.
func (p *parser) args() []Expr {
	p.expect("(")
	return p.list(")")
}

// list parses expressions up to the closing sign, which is consumed.
func (p *parser) list(end string) []Expr {
	var items []Expr
	for !p.accept(end) {
		items = append(items, p.expr())
		if !p.accept(",") {
			p.expect(end)
			break
		}
	}
	return items
}

// primary parses an expression without operators.
func (p *parser) primary() Expr { // long: one case a node
	t := p.peek()
	if t.kind == kindSegment || t.is("/") {
		return p.path()
	}
	p.next()
	switch {
	case t.kind == kindIdent && p.peek().is("("):
		name := Name{Span: t.span, Text: t.text}
		args := p.args()
		return &Call{node: p.node(t.span.To(p.before())), Name: name, Args: args}
	case t.kind == kindIdent:
		return &Ident{node: p.node(t.span), Name: t.text}
	case t.kind == kindString:
		return &StringLit{node: p.node(t.span), Value: t.text}
	case t.kind == kindBytes:
		return &BytesLit{node: p.node(t.span), Value: t.text}
	case t.kind == kindInt:
		n, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil {
			p.addIssue(t.span, "Invalid number literal %s.", t.text)
		}
		return &IntLit{node: p.node(t.span), Value: n}
	case t.kind == kindFloat:
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			p.addIssue(t.span, "Invalid floating point number %s.", t.text)
		}
		return &FloatLit{node: p.node(t.span), Value: f}
	case t.is("null"):
		return &NullLit{node: p.node(t.span)}
	case t.is("true") || t.is("false"):
		return &BoolLit{node: p.node(t.span), Value: t.text == "true"}
	case t.is("("):
		x := p.expr()
		p.expect(")")
		return x
	case t.is("["):
		items := p.list("]")
		return &ListLit{node: p.node(t.span.To(p.before())), Items: items}
	case t.is("{"):
		return p.mapLit(t)
	case t.is("--") || t.is("++"):
		p.fail(t.span, "Increment (++) and decrement (--) operators are not supported.")
	}
	p.fail(t.span, "Unexpected '%s'.", t.shown())
	return nil
}

// mapLit parses a map; its opening brace has been read.
func (p *parser) mapLit(open token) Expr {
	m := &MapLit{}
	for !p.accept("}") {
		m.Keys = append(m.Keys, p.expr())
		p.expect(":")
		m.Values = append(m.Values, p.expr())
		if !p.accept(",") {
			p.expect("}")
			break
		}
	}
	m.node = p.node(open.span.To(p.before()))
	return m
}

// path parses a path literal.
func (p *parser) path() Expr {
	x := &PathLit{}
	begin := p.peek().span
	for {
		t := p.peek()
		switch {
		case t.kind == kindSegment:
			p.next()
			x.Segments = append(x.Segments, PathPart{Text: t.text})
		case t.is("/") && p.ahead(1).is("$"):
			p.next()
			p.next()
			p.expect("(")
			x.Segments = append(x.Segments, PathPart{X: p.expr()})
			p.expect(")")
		case t.is("/") && p.ahead(1).is("{"):
			p.next()
			kind, name := p.placeholder()
			x.Segments = append(x.Segments, PathPart{Kind: kind, Text: name.Text})
		case t.is("/") && len(x.Segments) == 0:
			p.fail(t.span, "Forward slash '/' found where identifier or binding expected.")
		default:
			x.node = p.node(begin.To(p.before()))
			return x
		}
	}
}
