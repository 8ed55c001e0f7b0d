package syntax

// kind is the kind of a token.
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
	kindBad // invalid text that the scanner has reported
)

// token is one token of the text.
type token struct {
	kind kind
	span Span
	// text is the token as written. For strings and bytes it is the value, and for segments the percent-decoded segment
	// without its slash.
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
