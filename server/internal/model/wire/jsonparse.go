package wire

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"clave/server/internal/base/fault"
)

// maxJSONDepth is the maximum nesting of a body. A map in a document takes four levels of JSON.
const maxJSONDepth = 250

// maxJSONValues is the maximum number of values of a body. A value in a document is two of them, so the largest body
// has this many only if its fields take less than 22 bytes each.
const maxJSONValues = 1 << 20

// jsonParser parses JSON as Google's servers do: names may be unquoted, strings may have single quotes, and a comma
// may precede a closing bracket. Error texts are those of Google's servers.
type jsonParser struct {
	jsonTape
	at int
	// count is the number of values until now.
	count int
}

// The usual number of bytes of a body for each cell of its tape, and the maximum number of cells for which there is
// room from the beginning.
const (
	bytesPerCell = 8
	mostCells    = 4096
)

// parseJSON parses a whole body. An empty body is an empty object.
func parseJSON(in string) (jsonNode, error) {
	p := &jsonParser{}
	p.in = in
	p.space()
	if p.at == len(in) {
		return jsonNode{kind: jsonObject}, nil
	}
	p.cells = make([]jsonCell, 0, min(len(in)/bytesPerCell, mostCells)+1)
	if err := p.value(maxJSONDepth); err != nil {
		return jsonNode{}, err
	}
	p.space()
	if p.at < len(in) {
		return jsonNode{}, p.fail("Parsing terminated before end of input.")
	}
	n, _ := p.node(0)
	return n, nil
}

// fail returns the error for the current position.
func (p *jsonParser) fail(why string) error {
	const around = 20
	begin, end := max(p.at-around, 0), min(p.at+around, len(p.in))
	return fault.E(fault.InvalidArgument, "Invalid JSON payload received. %s\n%s\n%s^",
		why, strings.ToValidUTF8(p.in[begin:end], "\uFFFD"), strings.Repeat(" ", p.at-begin))
}

// space skips white space.
func (p *jsonParser) space() {
	for p.at < len(p.in) {
		switch p.in[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return
		}
	}
}

// peek skips white space and returns the next byte, or 0 at the end.
func (p *jsonParser) peek() byte {
	p.space()
	if p.at == len(p.in) {
		return 0
	}
	return p.in[p.at]
}

// value parses a value with at most depth levels.
func (p *jsonParser) value(depth int) error {
	if depth == 0 {
		return p.fail("Message too deep. Max recursion depth reached.")
	}
	if p.count++; p.count > maxJSONValues {
		return fault.E(fault.InvalidArgument, "Invalid JSON payload received. It has more than %d values.", maxJSONValues)
	}
	switch c := p.peek(); {
	case c == 0:
		return p.fail("Expected a value.")
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"' || c == '\'':
		return p.quoted()
	case c == '-' || (c >= '0' && c <= '9'):
		return p.number()
	default:
		return p.word()
	}
}

// jsonWords are the values that are words.
var jsonWords = []struct {
	text string
	kind jsonKind
}{{"null", jsonNull}, {"true", jsonBool}, {"false", jsonBool}}

// word parses null, true and false.
func (p *jsonParser) word() error {
	for _, w := range jsonWords {
		if strings.HasPrefix(p.in[p.at:], w.text) {
			p.add(w.kind, p.at, p.at+len(w.text))
			p.at += len(w.text)
			return nil
		}
	}
	if strings.IndexByte("]},:", p.in[p.at]) >= 0 {
		return p.fail("Expected a value.")
	}
	return p.fail("Unexpected token.")
}

// add adds a value to the tape.
func (p *jsonParser) add(kind jsonKind, from, to int) {
	p.cells = append(p.cells, jsonCell{kind: kind, from: uint32(from), to: uint32(to)})
}

// object parses an object.
func (p *jsonParser) object(depth int) error {
	at, n := len(p.cells), 0
	p.add(jsonObject, 0, 0)
	p.at++
	for {
		// A closing bracket may also follow a comma: see jsonParser.
		if p.peek() == '}' {
			p.at++
			p.cells[at].from, p.cells[at].to = uint32(n), uint32(len(p.cells))
			return nil
		}
		if err := p.name(); err != nil {
			return err
		}
		if p.peek() != ':' {
			return p.fail("Expected : between key:value pair.")
		}
		p.at++
		if err := p.value(depth - 1); err != nil {
			return err
		}
		n++
		switch p.peek() {
		case ',':
			p.at++
		case '}':
		default:
			return p.fail("Expected , or } after key:value pair.")
		}
	}
}

// array parses an array.
func (p *jsonParser) array(depth int) error {
	at, n := len(p.cells), 0
	p.add(jsonArray, 0, 0)
	p.at++
	for {
		if p.peek() == ']' {
			p.at++
			p.cells[at].from, p.cells[at].to = uint32(n), uint32(len(p.cells))
			return nil
		}
		if err := p.value(depth - 1); err != nil {
			return err
		}
		n++
		switch p.peek() {
		case ',':
			p.at++
		case ']':
		default:
			return p.fail("Expected , or ] after array value.")
		}
	}
}

// name parses a member's name.
func (p *jsonParser) name() error {
	c := p.peek()
	if c == '"' || c == '\'' {
		return p.quoted()
	}
	start := p.at
	for p.at < len(p.in) && (isWord(p.in[p.at]) || (p.at > start && p.in[p.at] >= '0' && p.in[p.at] <= '9')) {
		p.at++
	}
	if p.at == start {
		return p.fail("Expected an object key or }.")
	}
	p.add(jsonString, start, p.at)
	return nil
}

// isWord reports whether an unquoted name may contain a byte.
func isWord(c byte) bool {
	return c == '_' || c == '$' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
}

// number parses a number, keeping it as written.
func (p *jsonParser) number() error {
	start := p.at
	for p.at < len(p.in) && strings.IndexByte("+-.eE0123456789", p.in[p.at]) >= 0 {
		p.at++
	}
	if !validNumber(p.in[start:p.at]) {
		p.at = start
		return p.fail("Unable to parse number.")
	}
	p.add(jsonNumber, start, p.at)
	return nil
}

// validNumber reports whether a text is a number by the grammar of JSON.
func validNumber(s string) bool {
	digits := func() bool {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	s = strings.TrimPrefix(s, "-")
	if strings.HasPrefix(s, "0") {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if after, ok := strings.CutPrefix(s, "."); ok {
		if s = after; !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = strings.TrimLeft(s[1:], "+-")
		return digits() && s == ""
	}
	return s == ""
}

// quoted parses a quoted string.
func (p *jsonParser) quoted() error {
	quote := p.in[p.at]
	start := p.at + 1
	for i := start; i < len(p.in); i++ {
		switch p.in[i] {
		case quote:
			p.at = i + 1
			p.add(jsonString, start, i)
			return p.valid(p.in[start:i])
		case '\\':
			p.at = i
			text, err := p.unescaped(start, quote)
			if err != nil {
				return err
			}
			p.addText(text)
			return p.valid(text)
		}
	}
	p.at = len(p.in)
	return p.fail("Closing quote expected in string.")
}

// valid returns an error if a text is not UTF-8.
func (p *jsonParser) valid(s string) error {
	if !utf8.ValidString(s) {
		return p.fail("Encountered non UTF-8 code points.")
	}
	return nil
}

// unescaped parses the rest of a string that began at start and has its first escape at the current position, and
// returns the string.
func (p *jsonParser) unescaped(start int, quote byte) (string, error) {
	var b strings.Builder
	b.WriteString(p.in[start:p.at])
	for p.at < len(p.in) {
		switch c := p.in[p.at]; c {
		case quote:
			p.at++
			return b.String(), nil
		case '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	return "", p.fail("Closing quote expected in string.")
}

// plainEscapes are the escapes of one letter.
var plainEscapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// escape parses one escape.
func (p *jsonParser) escape(b *strings.Builder) error {
	if p.at+1 == len(p.in) {
		return p.fail("Closing quote expected in string.")
	}
	c := p.in[p.at+1]
	if c == 'u' {
		return p.unicode(b)
	}
	p.at += 2
	if plain, ok := plainEscapes[c]; ok {
		c = plain
	}
	b.WriteByte(c)
	return nil
}

// unicode parses \uXXXX, or a surrogate pair of two of them.
func (p *jsonParser) unicode(b *strings.Builder) error {
	r, ok := p.hex(p.at)
	if !ok {
		return p.fail("Illegal hex string.")
	}
	p.at += 6
	if utf16.IsSurrogate(r) {
		low, ok := p.hex(p.at)
		joined := utf16.DecodeRune(r, low)
		if !ok || joined == utf8.RuneError {
			return p.fail("Missing low surrogate.")
		}
		p.at += 6
		r = joined
	}
	b.WriteRune(r)
	return nil
}

// hex reads \uXXXX at an offset, or returns false if the text there is not of this form.
func (p *jsonParser) hex(at int) (rune, bool) {
	if at+6 > len(p.in) || p.in[at] != '\\' || p.in[at+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(p.in[at+2 : at+6]) {
		r <<= 4
		switch {
		case c >= '0' && c <= '9':
			r |= rune(c - '0')
		case c >= 'a' && c <= 'f':
			r |= rune(c-'a') + 10
		case c >= 'A' && c <= 'F':
			r |= rune(c-'A') + 10
		default:
			return 0, false
		}
	}
	return r, true
}
