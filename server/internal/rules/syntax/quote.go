package syntax

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes are the one-character escapes of strings.
var escapes = map[byte]byte{
	'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', '\\': '\\', '\'': '\'', '"': '"',
}

// quoted scans a string or bytes literal; the scanner is at its quote. A literal without its closing
// quote ends with its line.
func (s *scanner) quoted(at Span, k kind) token {
	quote := s.src[s.at]
	s.at++
	literal := func() token { return token{kind: k, span: at, raw: s.src[at.Start:at.End]} }
	var b strings.Builder
	for s.at < len(s.src) && s.src[s.at] != '\n' && s.src[s.at] != '\r' {
		c := s.src[s.at]
		switch c {
		case quote:
			s.at++
			at.End = s.at
			t := literal()
			t.text = b.String()
			if k == kindBytes && unicodeEscape(t.raw) {
				s.addIssue(at, "Invalid bytes literal %s.", t.raw)
			}
			return t
		case '\\':
			if n := escape(&b, s.src[s.at:], k); n > 0 {
				s.at += n
				continue
			}
			place := s.here()
			s.at++
			place.End = s.at
			s.addIssue(place, "token recognition error at: '\\'")
		default:
			b.WriteByte(c)
			s.at++
		}
	}
	at.End = s.at
	s.addIssue(at, "Missing a closing %c", quote)
	t := literal()
	t.text = b.String()
	return t
}

// unicodeEscape reports whether a literal holds an escape \uXXXX, which is not a byte.
func unicodeEscape(raw string) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] == '\\' {
			if raw[i+1] == 'u' {
				return true
			}
			i++
		}
	}
	return false
}

// escape writes the character of the escape with which text begins, and returns the escape's length, or 0 if text does
// not begin with an escape. In bytes \x and octal escapes stand for bytes, in strings for characters.
func escape(b *strings.Builder, text string, k kind) int {
	if len(text) < 2 {
		return 0
	}
	if c, ok := escapes[text[1]]; ok {
		b.WriteByte(c)
		return 2
	}
	var n int
	var code uint64
	var err error
	switch c := text[1]; {
	case (c == 'x' || c == 'X') && len(text) >= 4:
		n = 4
		code, err = strconv.ParseUint(text[2:4], 16, 32)
	case c == 'u' && len(text) >= 6:
		return escapeUnicode(b, text)
	case '0' <= c && c <= '3' && len(text) >= 4:
		n = 4
		code, err = strconv.ParseUint(text[1:4], 8, 32)
	default:
		return 0
	}
	if err != nil {
		return 0
	}
	if k == kindBytes {
		b.WriteByte(byte(code))
	} else {
		b.WriteRune(rune(code))
	}
	return n
}

// escapeUnicode writes the character of \uXXXX, or of two of them that make a surrogate pair.
func escapeUnicode(b *strings.Builder, text string) int {
	high, err := strconv.ParseUint(text[2:6], 16, 32)
	if err != nil {
		return 0
	}
	if utf16.IsSurrogate(rune(high)) {
		if len(text) >= 12 && text[6:8] == "\\u" {
			low, err := strconv.ParseUint(text[8:12], 16, 32)
			if r := utf16.DecodeRune(rune(high), rune(low)); err == nil && r != utf8.RuneError {
				b.WriteRune(r)
				return 12
			}
		}
	}
	b.WriteRune(rune(high))
	return 6
}
