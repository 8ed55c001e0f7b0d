package syntax

// kind is what a token is.
type kind uint8

// The kinds of tokens. Keywords, operators and punctuation are kindPunct or kindKeyword, distinguished by text.
const (
	kindEOF kind = iota
	kindIdent
	kindKeyword
	kindInt
	kindFloat
	kindString
	kindBytes
	kindSegment // a slash with what follows it directly: /users
	kindPunct
	kindBad // something the scanner has complained about
)

// token is one token of the text.
type token struct {
	kind kind
	span Span
	// text is the token as written, but for strings and bytes, where it is the value, and segments, where it
	// is the segment without its slash, percent-decoded.
	text string
	// raw is the token as written.
	raw string
}

// keywords are the reserved words. After a point they are names like any other.
var keywords = map[string]bool{
	"allow": true, "false": true, "function": true, "if": true, "import": true, "in": true, "is": true,
	"let": true, "match": true, "null": true, "return": true, "rules_version": true, "service": true, "true": true,
}

// is reports whether the token is the given keyword, operator or punctuation.
func (t token) is(text string) bool {
	return (t.kind == kindPunct || t.kind == kindKeyword) && t.text == text
}

// isName reports whether the token can be a name after a point.
func (t token) isName() bool { return t.kind == kindIdent || t.kind == kindKeyword }

// shown returns the token as messages show it.
func (t token) shown() string {
	if t.kind == kindEOF {
		return t.text
	}
	return t.raw
}
