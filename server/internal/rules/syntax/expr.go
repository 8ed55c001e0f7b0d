package syntax

// Expr is an expression: one of the pointer types below.
type Expr interface {
	// At returns the expression's place in the text.
	At() Span
	// ID returns the expression's number, unique in its file and below File.Exprs.
	ID() int
}

// node is what all expressions have.
type node struct {
	span Span
	id   int
}

// At implements Expr.
func (n *node) At() Span { return n.span }

// ID implements Expr.
func (n *node) ID() int { return n.id }

// The expressions.
type (
	// NullLit is null.
	NullLit struct{ node }
	// BoolLit is true or false.
	BoolLit struct {
		node
		Value bool
	}
	// IntLit is a whole number, its sign included.
	IntLit struct {
		node
		Value int64
	}
	// FloatLit is a number with a point.
	FloatLit struct {
		node
		Value float64
	}
	// StringLit is a text in quotes.
	StringLit struct {
		node
		Value string
	}
	// BytesLit is a byte string, b'…'.
	BytesLit struct {
		node
		Value string
	}
	// ListLit is [a, b].
	ListLit struct {
		node
		Items []Expr
	}
	// MapLit is {k: v}; keys are expressions too.
	MapLit struct {
		node
		Keys, Values []Expr
	}
	// PathLit is /a/$(x)/{y}.
	PathLit struct {
		node
		Segments []PathPart
	}
	// Ident is a name without members or arguments.
	Ident struct {
		node
		Name string
	}
	// Member is X.Name.
	Member struct {
		node
		X    Expr
		Name string
	}
	// Index is X[I].
	Index struct {
		node
		X, I Expr
	}
	// Slice is X[Low:High]; a bound that is not written is nil.
	Slice struct {
		node
		X, Low, High Expr
	}
	// Call is Name(Args). The name of a package's function has a point in it, as in math.abs.
	Call struct {
		node
		Name Name
		Args []Expr
	}
	// Method is X.Name(Args).
	Method struct {
		node
		X    Expr
		Name Name
		Args []Expr
	}
	// Unary is !X or -X.
	Unary struct {
		node
		Op Op
		X  Expr
	}
	// Binary is X Op Y.
	Binary struct {
		node
		Op   Op
		OpAt Span
		X, Y Expr
	}
	// Is is X is Type.
	Is struct {
		node
		OpAt Span
		X    Expr
		Type Name
	}
	// Cond is C ? A : B.
	Cond struct {
		node
		// OpAt is the place of the question mark.
		OpAt    Span
		C, A, B Expr
	}
)

// PathPart is one segment of a path literal.
type PathPart struct {
	// Kind is Literal for a text or an expression, and otherwise a placeholder for bind.
	Kind SegmentKind
	// Text is the literal or the placeholder's name.
	Text string
	// X is the expression of $(x), or nil.
	X Expr
}

// Op is an operator.
type Op uint8

// The operators.
const (
	Not Op = iota
	Neg
	Mul
	Div
	Mod
	Add
	Sub
	Less
	LessEqual
	Greater
	GreaterEqual
	Equal
	NotEqual
	In
	And
	Or
)

// opNames are the operators as written.
var opNames = [...]string{"!", "-", "*", "/", "%", "+", "-", "<", "<=", ">", ">=", "==", "!=", "in", "&&", "||"}

// String returns the operator as written.
func (o Op) String() string { return opNames[o] }

// Children returns the expressions directly inside e, in the order of the text.
func Children(e Expr) []Expr { // long: one case a node
	switch x := e.(type) {
	case *ListLit:
		return x.Items
	case *MapLit:
		out := make([]Expr, 0, 2*len(x.Keys))
		for i := range x.Keys {
			out = append(out, x.Keys[i], x.Values[i])
		}
		return out
	case *PathLit:
		var out []Expr
		for _, s := range x.Segments {
			if s.X != nil {
				out = append(out, s.X)
			}
		}
		return out
	case *Member:
		return []Expr{x.X}
	case *Index:
		return []Expr{x.X, x.I}
	case *Slice:
		out := []Expr{x.X}
		if x.Low != nil {
			out = append(out, x.Low)
		}
		if x.High != nil {
			out = append(out, x.High)
		}
		return out
	case *Call:
		return x.Args
	case *Method:
		return append([]Expr{x.X}, x.Args...)
	case *Unary:
		return []Expr{x.X}
	case *Binary:
		return []Expr{x.X, x.Y}
	case *Is:
		return []Expr{x.X}
	case *Cond:
		return []Expr{x.C, x.A, x.B}
	}
	return nil
}
