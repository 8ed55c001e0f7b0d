package wire

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"clave/server/fault"
)

// jsonKind is the kind of a JSON value.
type jsonKind uint8

// The kinds.
const (
	jsonNull jsonKind = iota
	jsonBool
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// jsonNode is a parsed JSON value. Objects keep the order of their members, because error texts number them.
type jsonNode struct {
	kind jsonKind
	// text is the content of a string, a number as written, or true or false.
	text string
	// names are the names of an object's members, parallel to items.
	names []string
	// items are an array's elements or an object's member values.
	items []jsonNode
}

// maxJSONDepth is the maximum nesting of a body. A map in a document takes four levels of JSON.
const maxJSONDepth = 250

// maxJSONValues is the maximum number of values of a body. A value in a document is two of them, so the largest body has this many only if
// its fields take less than 22 bytes each.
const maxJSONValues = 1 << 20

// jsonParser parses JSON as Google's servers do: names may be unquoted, strings may have single quotes, and a comma
// may precede a closing bracket. Error texts are those of Google's servers.
type jsonParser struct {
	in string
	at int
	// count is the number of values until now.
	count int
	// names and items are stacks with the members of the objects and arrays that are being parsed.
	names []string
	items []jsonNode
	// nameSlab and itemSlab hold the members of parsed objects and arrays, many in one allocation.
	nameSlab []string
	itemSlab []jsonNode
}

// gather moves the elements of a stack from index from to a slab and returns them. A new slab is sized for a text of
// n bytes, within bounds.
func gather[T any](slab, stack *[]T, from, n int) []T {
	const least, most = 8, 512
	took := (*stack)[from:]
	if cap(*slab)-len(*slab) < len(took) {
		*slab = make([]T, 0, max(len(took), min(max(least, n/32), most)))
	}
	at := len(*slab)
	*slab = append(*slab, took...)
	clear(took)
	*stack = (*stack)[:from]
	return (*slab)[at:len(*slab):len(*slab)]
}

// parseJSON parses a whole body. An empty body is an empty object.
func parseJSON(in string) (jsonNode, error) {
	p := &jsonParser{in: in}
	p.space()
	if p.at == len(in) {
		return jsonNode{kind: jsonObject}, nil
	}
	n, err := p.value(maxJSONDepth)
	if err != nil {
		return n, err
	}
	p.space()
	if p.at < len(in) {
		return n, p.fail("Parsing terminated before end of input.")
	}
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
func (p *jsonParser) value(depth int) (jsonNode, error) {
	if depth == 0 {
		return jsonNode{}, p.fail("Message too deep. Max recursion depth reached.")
	}
	if p.count++; p.count > maxJSONValues {
		return jsonNode{}, fault.E(fault.InvalidArgument, "Invalid JSON payload received. It has more than %d values.", maxJSONValues)
	}
	switch c := p.peek(); {
	case c == 0:
		return jsonNode{}, p.fail("Expected a value.")
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"' || c == '\'':
		s, err := p.quoted()
		return jsonNode{kind: jsonString, text: s}, err
	case c == '-' || (c >= '0' && c <= '9'):
		return p.number()
	default:
		return p.word()
	}
}

// word parses null, true and false.
func (p *jsonParser) word() (jsonNode, error) {
	for _, w := range []struct {
		text string
		kind jsonKind
	}{{"null", jsonNull}, {"true", jsonBool}, {"false", jsonBool}} {
		if strings.HasPrefix(p.in[p.at:], w.text) {
			p.at += len(w.text)
			return jsonNode{kind: w.kind, text: w.text}, nil
		}
	}
	if strings.IndexByte("]},:", p.in[p.at]) >= 0 {
		return jsonNode{}, p.fail("Expected a value.")
	}
	return jsonNode{}, p.fail("Unexpected token.")
}

// object parses an object.
func (p *jsonParser) object(depth int) (jsonNode, error) {
	n := jsonNode{kind: jsonObject}
	names, items := len(p.names), len(p.items)
	p.at++
	for {
		// A closing bracket may also follow a comma: see jsonParser.
		if p.peek() == '}' {
			p.at++
			n.names = gather(&p.nameSlab, &p.names, names, len(p.in))
			n.items = gather(&p.itemSlab, &p.items, items, len(p.in))
			return n, nil
		}
		name, err := p.name()
		if err != nil {
			return n, err
		}
		if p.peek() != ':' {
			return n, p.fail("Expected : between key:value pair.")
		}
		p.at++
		v, err := p.value(depth - 1)
		if err != nil {
			return n, err
		}
		p.names, p.items = append(p.names, name), append(p.items, v)
		switch p.peek() {
		case ',':
			p.at++
		case '}':
		default:
			return n, p.fail("Expected , or } after key:value pair.")
		}
	}
}

// array parses an array.
func (p *jsonParser) array(depth int) (jsonNode, error) {
	n := jsonNode{kind: jsonArray}
	items := len(p.items)
	p.at++
	for {
		if p.peek() == ']' {
			p.at++
			n.items = gather(&p.itemSlab, &p.items, items, len(p.in))
			return n, nil
		}
		v, err := p.value(depth - 1)
		if err != nil {
			return n, err
		}
		p.items = append(p.items, v)
		switch p.peek() {
		case ',':
			p.at++
		case ']':
		default:
			return n, p.fail("Expected , or ] after array value.")
		}
	}
}

// name parses a member's name.
func (p *jsonParser) name() (string, error) {
	c := p.peek()
	if c == '"' || c == '\'' {
		return p.quoted()
	}
	start := p.at
	for p.at < len(p.in) && (isWord(p.in[p.at]) || (p.at > start && p.in[p.at] >= '0' && p.in[p.at] <= '9')) {
		p.at++
	}
	if p.at == start {
		return "", p.fail("Expected an object key or }.")
	}
	return p.in[start:p.at], nil
}

// isWord reports whether an unquoted name may contain a byte.
func isWord(c byte) bool {
	return c == '_' || c == '$' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
}

// number parses a number, keeping it as written.
func (p *jsonParser) number() (jsonNode, error) {
	start := p.at
	for p.at < len(p.in) && strings.IndexByte("+-.eE0123456789", p.in[p.at]) >= 0 {
		p.at++
	}
	text := p.in[start:p.at]
	if !validNumber(text) {
		p.at = start
		return jsonNode{}, p.fail("Unable to parse number.")
	}
	return jsonNode{kind: jsonNumber, text: text}, nil
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
func (p *jsonParser) quoted() (string, error) {
	quote := p.in[p.at]
	start := p.at + 1
	for i := start; i < len(p.in); i++ {
		switch p.in[i] {
		case quote:
			p.at = i + 1
			return p.valid(p.in[start:i])
		case '\\':
			p.at = i
			return p.escaped(start, quote)
		}
	}
	p.at = len(p.in)
	return "", p.fail("Closing quote expected in string.")
}

// valid returns a text, or an error if it is not UTF-8.
func (p *jsonParser) valid(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", p.fail("Encountered non UTF-8 code points.")
	}
	return s, nil
}

// escaped parses the rest of a string that began at start and has its first escape at the current position.
func (p *jsonParser) escaped(start int, quote byte) (string, error) {
	var b strings.Builder
	b.WriteString(p.in[start:p.at])
	for p.at < len(p.in) {
		switch c := p.in[p.at]; c {
		case quote:
			p.at++
			return p.valid(b.String())
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

// hex reads \uXXXX at an offset.
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
