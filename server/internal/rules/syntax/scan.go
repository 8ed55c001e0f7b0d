package syntax

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// scanner splits a text into tokens. It never fails: it reports and skips invalid characters.
type scanner struct {
	src    string
	at     int // offset of the next character
	line   int
	begun  int // offset at which the line begins
	known  int // an offset on the line whose column is known
	column int
	issues []Issue
}

// scan returns all tokens of a text, the last of kind kindEOF, and the errors in them.
func scan(src string) ([]token, []Issue) {
	s := &scanner{src: src, line: 1}
	tokens := make([]token, 0, len(src)/5+1)
	for {
		t := s.next()
		if t.kind != kindBad {
			tokens = append(tokens, t)
		}
		if t.kind == kindEOF {
			return tokens, s.issues
		}
	}
}

// here returns an empty span at the scanner's place.
func (s *scanner) here() Span {
	if s.known < s.begun || s.known > s.at || s.column == 0 {
		s.known, s.column = s.begun, 1
	}
	s.column += utf8.RuneCountInString(s.src[s.known:s.at])
	s.known = s.at
	return Span{Line: s.line, Column: s.column, Start: s.at, End: s.at}
}

// addIssue reports an error.
func (s *scanner) addIssue(at Span, format string, args ...any) {
	if len(s.issues) >= maxIssues {
		return
	}
	s.issues = append(s.issues, Issue{Span: at, Text: fmt.Sprintf(format, args...)})
}

// space skips white space and comments.
func (s *scanner) space() {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '\n':
			s.at++
			s.line++
			s.begun = s.at
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			s.at++
		case strings.HasPrefix(s.src[s.at:], "//"):
			if n := strings.IndexByte(s.src[s.at:], '\n'); n >= 0 {
				s.at += n
			} else {
				s.at = len(s.src)
			}
		case strings.HasPrefix(s.src[s.at:], "/*"):
			n := strings.Index(s.src[s.at+2:], "*/")
			if n < 0 {
				return
			}
			s.lines(s.at + 2 + n + 2)
		default:
			return
		}
	}
}

// lines moves to an offset ahead, counting the lines between.
func (s *scanner) lines(to int) {
	for ; s.at < to; s.at++ {
		if s.src[s.at] == '\n' {
			s.line++
			s.begun = s.at + 1
		}
	}
}

// next returns the next token, of kind kindBad after a character that begins none.
func (s *scanner) next() token {
	s.space()
	at := s.here()
	if s.at >= len(s.src) {
		return token{kind: kindEOF, span: at, text: "<EOF>"}
	}
	rest := s.src[s.at:]
	switch c := rest[0]; {
	case (c == 'b' || c == 'B') && len(rest) > 1 && (rest[1] == '\'' || rest[1] == '"'):
		s.at++
		return s.quoted(at, kindBytes)
	case c == '\'' || c == '"':
		return s.quoted(at, kindString)
	case isLetter(c) && c != '$':
		n := 1
		for n < len(rest) && (isLetter(rest[n]) || isDigit(rest[n])) {
			n++
		}
		k := kindIdent
		if keywords[rest[:n]] {
			k = kindKeyword
		}
		return s.take(at, k, n)
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		return s.number(at, rest)
	case c == '/':
		return s.slash(at, rest)
	}
	// Operators of two characters precede those of one that are their prefixes. ++ and -- are scanned so that the parser
	// can refuse them by name.
	for _, op := range [...]string{"&&", "||", "==", "!=", "<=", ">=", "++", "--", "**"} {
		if strings.HasPrefix(rest, op) {
			return s.take(at, kindPunct, 2)
		}
	}
	if strings.IndexByte("{}[]().,;:?!<>+-*%=$", rest[0]) >= 0 {
		return s.take(at, kindPunct, 1)
	}
	r, n := utf8.DecodeRuneInString(rest)
	t := s.take(at, kindBad, n)
	s.addIssue(t.span, "token recognition error at: '%c'", r)
	return t
}

// take returns the next n bytes as a token.
func (s *scanner) take(at Span, k kind, n int) token {
	text := s.src[s.at : s.at+n]
	s.at += n
	at.End = s.at
	return token{kind: k, span: at, text: text, raw: text}
}

// number scans a number: 0, 12, 1.5, .5 or "1." without digits after the point.
func (s *scanner) number(at Span, rest string) token {
	n := 0
	if rest[0] == '0' {
		n = 1
	} else {
		n = digits(rest)
	}
	if n < len(rest) && rest[n] == '.' {
		return s.take(at, kindFloat, n+1+digits(rest[n+1:]))
	}
	return s.take(at, kindInt, n)
}

// slash scans a path's segment or a division sign. A slash that is followed by characters of a segment is always a
// segment, so a division needs a blank after its sign, as in the official compiler.
func (s *scanner) slash(at Span, rest string) token {
	n := 1
	inner := 1
	switch {
	case len(rest) > 1 && rest[1] == '(':
		k := segmentLength(rest[2:])
		if k == 0 || len(rest) <= 2+k || rest[2+k] != ')' {
			return s.take(at, kindPunct, 1)
		}
		n = 3 + k
	default:
		n += segmentLength(rest[1:])
	}
	if n == inner {
		return s.take(at, kindPunct, 1)
	}
	t := s.take(at, kindSegment, n)
	if text, err := url.QueryUnescape(t.text[1:]); err == nil { // a plus stands for a blank too
		t.text = text
	}
	return t
}

// segmentLength returns how many bytes of text can be a literal path segment.
func segmentLength(text string) int {
	n := 0
	for n < len(text) {
		c := text[n]
		switch {
		case isLetter(c) && c != '$', isDigit(c), strings.IndexByte("-.~&'*+:@", c) >= 0:
			n++
		case c == '%' && len(text) > n+2 && isHex(text[n+1]) && isHex(text[n+2]):
			n += 3
		default:
			return n
		}
	}
	return n
}

// digits returns how many digits text begins with.
func digits(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

// isLetter reports whether c can begin a name.
func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
}

// isDigit reports whether c is a decimal digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isHex reports whether c is a hexadecimal digit.
func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
