package syntax

// Span is a piece of the text.
type Span struct {
	// Line and Column are those of the first character, counted from 1.
	Line, Column int
	// Start and End are byte offsets; End is exclusive.
	Start, End int
}

// To returns the span from s's beginning to t's end.
func (s Span) To(t Span) Span {
	s.End = t.End
	return s
}

// File is a whole rules file.
type File struct {
	// Source is the text.
	Source string
	// Version is 1 or 2.
	Version int
	// Versioned reports whether the file states its version.
	Versioned bool
	// Functions are those outside of any service.
	Functions []*Function
	// Services are the file's services.
	Services []*Service
	// Exprs is the number of expressions; every Expr has an id below it.
	Exprs int
}

// Service is one service declaration, such as that of cloud.firestore.
type Service struct {
	Span Span
	// Named is the place of Name.
	Named     Span
	Name      string
	Functions []*Function
	Matches   []*Match
}

// Match is one match statement with its content.
type Match struct {
	Span      Span
	Path      []Segment
	Functions []*Function
	Matches   []*Match
	Allows    []*Allow
}

// SegmentKind is the kind of a segment of a match statement's path.
type SegmentKind uint8

// The kinds of segments.
const (
	// Literal is itself.
	Literal SegmentKind = iota
	// Capture is any one segment: {name}.
	Capture
	// Glob is any number of segments: {name=**}.
	Glob
)

// Segment is one segment of a match statement's path.
type Segment struct {
	Span Span
	Kind SegmentKind
	// Bound is the place of the name that the segment is bound to.
	Bound Span
	// Text is the literal, percent-decoded, or the name that the segment is bound to.
	Text string
}

// Name is a name with its place.
type Name struct {
	Span Span
	Text string
}

// Allow is one allow statement.
type Allow struct {
	Span Span
	// Methods are the names as written; they may be unknown ones.
	Methods []Name
	// Cond is the condition, nil when there is none, which means true.
	Cond Expr
}

// Function is one function declaration.
type Function struct {
	Span   Span
	Name   Name
	Params []Name
	Lets   []Let
	Return Expr
}

// Let is one binding in a function's body.
type Let struct {
	Name  Name
	Value Expr
}
