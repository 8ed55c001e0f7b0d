package wire

import (
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// jsonScanner parses the JSON of writes to values, without any form in between. It supports only what clients usually
// send. It fails at anything unusual and at anything that is not valid, and the general parser (jsonParser, assigner)
// parses the body instead.
type jsonScanner struct {
	in     string
	at     int
	failed bool
	// count is the number of JSON values until now.
	count int
	kept  keeper
	// branch is the layout of the value that was read last.
	branch *value.Branch
}

// scannedNesting is the maximum depth of a value. Documents may not have deeper ones.
const scannedNesting = 32

// newJSONScanner returns a scanner of a body.
func newJSONScanner(in string) *jsonScanner {
	return &jsonScanner{in: in, failed: !utf8.ValidString(in), kept: keeper{copies: len(in) > sharedText}}
}

// fail ends the scan; the general parser is needed.
func (s *jsonScanner) fail() { s.failed, s.at = true, len(s.in) }

// peek skips white space and returns the next byte, or 0 at the end.
func (s *jsonScanner) peek() byte {
	for s.at < len(s.in) {
		switch c := s.in[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// take reads a byte that must be next.
func (s *jsonScanner) take(c byte) {
	if s.failed || s.peek() != c {
		s.fail()
		return
	}
	s.at++
}

// begin reads the opening bracket of an object or an array. It reports whether a member or an element follows.
func (s *jsonScanner) begin(open byte) bool {
	if s.count++; s.count > maxJSONValues {
		s.fail()
	}
	s.take(open)
	if s.peek() == open+2 { // the closing bracket, in ASCII
		s.at++
		return false
	}
	return !s.failed
}

// more reads what follows a member or an element: a comma, or the closing bracket. It reports whether another one
// follows.
func (s *jsonScanner) more(shut byte) bool {
	if s.failed {
		return false
	}
	switch s.peek() {
	case ',':
		s.at++
		return true
	case shut:
		s.at++
	default:
		s.fail()
	}
	return false
}

// end ends an object after its only member.
func (s *jsonScanner) end() {
	if s.more('}') {
		s.fail()
	}
}

// name reads a member's name, and the colon.
func (s *jsonScanner) name() string {
	name, _ := s.quoted()
	s.take(':')
	return name
}

// quoted reads a string. apart is set if it is not a part of the body.
func (s *jsonScanner) quoted() (text string, apart bool) {
	if s.take('"'); s.failed {
		return "", false
	}
	start := s.at
	n := strings.IndexByte(s.in[start:], '"')
	if n < 0 {
		s.fail()
		return "", false
	}
	text = s.in[start : start+n]
	escape := strings.IndexByte(text, '\\')
	if escape < 0 {
		s.at = start + n + 1
		return text, false
	}
	p := jsonParser{jsonTape: jsonTape{in: s.in}, at: start + escape}
	text, err := p.unescaped(start, '"')
	if s.at = p.at; err != nil {
		s.fail()
	}
	return text, true
}

// text reads a string that is kept.
func (s *jsonScanner) text() string {
	s.count++
	text, apart := s.quoted()
	if apart {
		return text
	}
	return s.kept.keep(text)
}

// scalar reads a value that is neither an array nor an object.
func (s *jsonScanner) scalar() (n jsonNode) {
	s.count++
	switch c := s.peek(); {
	case c == '"':
		text, _ := s.quoted()
		return jsonNode{kind: jsonString, text: text}
	case c == '-' || c >= '0' && c <= '9':
		start := s.at
		for s.at < len(s.in) && strings.IndexByte("+-.eE0123456789", s.in[s.at]) >= 0 {
			s.at++
		}
		n = jsonNode{kind: jsonNumber, text: s.in[start:s.at]}
		if !validNumber(n.text) {
			s.fail()
		}
		return n
	}
	for _, w := range jsonWords {
		if strings.HasPrefix(s.in[s.at:], w.text) {
			s.at += len(w.text)
			return jsonNode{kind: w.kind, text: w.text}
		}
	}
	s.fail()
	return n
}

// check fails unless a condition holds.
func (s *jsonScanner) check(ok bool) {
	if !ok {
		s.fail()
	}
}

// value reads a value of at most depth levels: an object with one member, whose name is the kind. It fails for a value
// that is not valid.
func (s *jsonScanner) value(depth int) (out value.Value) { // long: one case a kind
	if depth == 0 || !s.begin('{') {
		s.fail()
		return nil
	}
	s.branch = nil
	kind := s.name()
	switch kind {
	case "stringValue":
		out = value.String(s.text())
	case "integerValue":
		i, ok := s.scalar().integer(64)
		s.check(ok)
		out = value.Int(i)
	case "booleanValue":
		n := s.scalar()
		s.check(n.kind == jsonBool)
		out = value.Bool(n.text == "true")
	case "doubleValue":
		d, ok := s.scalar().double()
		s.check(ok)
		out = value.Double(d)
	case "nullValue":
		s.check(s.scalar().kind == jsonNull)
		out = value.Null{}
	case "timestampValue":
		t, ok := s.moment()
		s.check(ok)
		out = value.Timestamp{Seconds: t.Unix(), Nanos: int32(t.Nanosecond()) / 1000 * 1000}
	case "referenceValue":
		name := s.text()
		_, err := resource.ParseReference(name)
		s.check(err == nil)
		out = value.Reference(name)
	case "bytesValue":
		b, ok := s.scalar().bytes()
		s.check(ok)
		out = value.Bytes(b)
	case "geoPointValue":
		out = s.place()
	case "arrayValue":
		out = s.array(depth)
	case "mapValue":
		out = s.mapValue(depth)
	default:
		s.fail()
	}
	s.end()
	return out
}

// moment reads a time. It returns false for another value, and for a time that a timestamp cannot have.
func (s *jsonScanner) moment() (time.Time, bool) {
	n := s.scalar()
	t, err := time.Parse(time.RFC3339Nano, n.text)
	return t, n.kind == jsonString && err == nil && t.Unix() >= minSeconds && t.Unix() <= maxSeconds
}

// place reads a geo point.
func (s *jsonScanner) place() (g value.GeoPoint) {
	for ok := s.begin('{'); ok; ok = s.more('}') {
		name := s.name()
		d, ok := s.scalar().double()
		switch {
		case ok && name == "latitude":
			g.Lat = d
		case ok && name == "longitude":
			g.Lng = d
		default:
			s.fail()
		}
	}
	return g
}

// array reads the message of an array inside depth levels.
func (s *jsonScanner) array(depth int) value.Array {
	out := value.Array{}
	var layouts value.Items
	if s.begin('{') {
		s.check(s.name() == "values")
		for ok := s.begin('['); ok; ok = s.more(']') {
			out = append(out, s.value(depth-1))
			layouts.Put(len(out)-1, s.branch)
		}
		s.end()
	}
	s.branch = layouts.Branch()
	return out
}

// mapValue reads the message of a map inside depth levels.
func (s *jsonScanner) mapValue(depth int) value.Map {
	if !s.begin('{') {
		s.branch = nil
		return value.Map{}
	}
	s.check(s.name() == "fields")
	out := s.fields(0, depth)
	s.end()
	return out
}

// fields reads the members of a map inside depth levels. There is space for a number of members at first.
func (s *jsonScanner) fields(room, depth int) value.Map {
	out := make(value.Map, room)
	var filler value.Filler
	for ok := s.begin('{'); ok; ok = s.more('}') {
		name := s.kept.keep(s.name())
		v := s.value(depth - 1)
		if s.failed {
			return out
		}
		filler.Put(out, name, v, s.branch)
	}
	s.branch = filler.Branch(out)
	return out
}

// document reads a document as clients send it, without times. named is set if it has a name.
func (s *jsonScanner) document(w *document.Write) (named bool) {
	for ok := s.begin('{'); ok; ok = s.more('}') {
		switch name := s.name(); {
		case name == "name" && !named:
			named = true
			s.documentName(&w.Name)
		case name == "fields" && w.Fields == nil:
			w.Fields = s.fields(usualFields, scannedNesting)
			w.Layout = value.LayoutOf(s.branch)
		default:
			s.fail()
		}
	}
	if w.Fields == nil {
		w.Fields = value.Map{}
	}
	return named
}

// documentName reads the name of a document.
func (s *jsonScanner) documentName(name *resource.Document) {
	d, err := resource.ParseDocument(s.text())
	s.check(err == nil)
	*name = d
}

// precondition reads a precondition.
func (s *jsonScanner) precondition(p *document.Precondition) {
	s.check(s.begin('{'))
	switch s.name() {
	case "exists":
		n := s.scalar()
		s.check(n.kind == jsonBool)
		exists := n.text == "true"
		p.Exists = &exists
	case "updateTime":
		t, ok := s.moment()
		v, err := parseBaseVersion(&timestamppb.Timestamp{Seconds: t.Unix(), Nanos: int32(t.Nanosecond())})
		s.check(ok && err == nil)
		p.UpdateTime = &v
	default:
		s.fail()
	}
	s.end()
}
