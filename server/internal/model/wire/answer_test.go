package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// generator generates random documents and answers.
type generator struct{ *rand.Rand }

// text returns a text, which sometimes needs escapes.
func (g generator) text() string {
	texts := []string{"", "a", "projects/p/databases/(default)/documents/c/d", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "ñ 😀 \u2028 \ufffd <&>",
		string(rune(g.IntN(0x300))), string(bytes.Repeat([]byte("long "), g.IntN(100)))}
	return texts[g.IntN(len(texts))]
}

// number returns a number. The numbers have different JSON forms.
func (g generator) number() float64 {
	numbers := []float64{
		0, math.Copysign(0, -1), 1, -1.5, 1e-6, 9.99e-7, -1e-9, 1e-10, 1e-300, 1e20, 1e21, -1.7e308, math.NaN(), math.Inf(1), math.Inf(-1),
		math.SmallestNonzeroFloat64, g.NormFloat64(), math.Float64frombits(g.Uint64()),
	}
	return numbers[g.IntN(len(numbers))]
}

// moment returns a time.
func (g generator) moment() value.Timestamp {
	nanos := []int32{0, 1, 1000, 123_456_000, 5_000_000, 500_000_000, 999_999_999}
	seconds := []int64{0, -1, 1_700_000_000, minSeconds, maxSeconds}
	return value.Timestamp{Seconds: seconds[g.IntN(len(seconds))], Nanos: nanos[g.IntN(len(nanos))]}
}

// version returns a version, or none.
func (g generator) version() clock.Version {
	versions := []clock.Version{0, 1, 999_999, 1_700_000_000_000_000, 1_700_000_000_123_000, 1_700_000_000_123_456}
	return versions[g.IntN(len(versions))]
}

// bytes returns bytes, or none.
func (g generator) bytes() []byte {
	b := make([]byte, g.IntN(6))
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

// values returns values.
func (g generator) values(depth int) value.Array {
	values := make(value.Array, g.IntN(4))
	for i := range values {
		values[i] = g.value(depth)
	}
	return values
}

// fields returns fields.
func (g generator) fields(depth int) value.Map {
	fields := make(value.Map)
	for range g.IntN(5) {
		fields[g.text()] = g.value(depth)
	}
	return fields
}

// value returns a value of any kind.
func (g generator) value(depth int) value.Value {
	switch n := g.IntN(10 + 2*min(depth, 1)); n {
	case 0:
		return value.Null{}
	case 1:
		return value.Bool(g.IntN(2) == 0)
	case 2:
		return value.Int(int64(g.Uint64()) >> g.IntN(64))
	case 3:
		return value.Double(g.number())
	case 4:
		return g.moment()
	case 5:
		return value.Bytes(g.bytes())
	case 6:
		return value.Reference(g.text())
	case 7:
		return value.GeoPoint{Lat: g.number(), Lng: g.number()}
	case 8:
		return value.Vector(g.number(), g.number())
	case 9:
		return value.String(g.text())
	case 10:
		return g.values(depth - 1)
	}
	return g.fields(depth - 1)
}

// document returns a document, or none.
func (g generator) document() *document.Document {
	if g.IntN(5) == 0 {
		return nil
	}
	return g.found()
}

// found returns a document.
func (g generator) found() *document.Document {
	name := resource.Document{DB: resource.Database{Project: "p", ID: resource.DefaultDatabase}, Path: "c/" + g.text()}
	return &document.Document{Name: name, Fields: g.fields(3), CreateTime: g.version(), UpdateTime: g.version()}
}

// results returns results of writes.
func (g generator) results() []document.Result {
	results := make([]document.Result, g.IntN(3))
	for i := range results {
		results[i] = document.Result{UpdateTime: g.version(), Transforms: g.values(2)}
	}
	return results
}

// answer is an answer that has a binary form and a JSON form.
type answer interface {
	Append(dst []byte) ([]byte, error)
	AppendJSON(dst []byte) ([]byte, error)
	Message() proto.Message
}

// answer returns an answer of one of the kinds.
func (g generator) answer() answer {
	switch g.IntN(7) {
	case 0:
		return (*Document)(g.found())
	case 1:
		p := &Page{Next: g.text()}
		for range g.IntN(3) {
			p.Documents = append(p.Documents, g.found())
		}
		return p
	case 2:
		f := &Found{Document: g.document(), Transaction: g.bytes(), ReadTime: g.version()}
		if f.Document == nil {
			f.Missing = g.text()
		}
		return f
	case 3:
		r := &Result{Document: g.document(), Transaction: g.bytes(), ReadTime: g.version(), Skipped: int32(g.IntN(3))}
		if g.IntN(4) == 0 {
			r.Metrics = &Metrics{Stats: request.Stats{Results: g.Int64()}, Analyzed: true}
		}
		return r
	case 4:
		return &Committed{Results: g.results(), Time: g.version()}
	case 5:
		return g.rows()
	}
	return &Written{Committed: Committed{Results: g.results(), Time: g.version()}, StreamID: g.text(), StreamToken: g.bytes()}
}

// rows returns an answer with results of a pipeline, some of which are not documents.
func (g generator) rows() *PipelineResult {
	out := &PipelineResult{Transaction: g.bytes(), ExecutionTime: g.version(), Explained: g.text()}
	for range g.IntN(3) {
		switch d := g.document(); {
		case d == nil:
			out.Rows = append(out.Rows, request.PipelineRow{Document: &document.Document{Fields: g.fields(3)}, Named: g.text()})
		default:
			out.Rows = append(out.Rows, request.PipelineRow{Document: d})
		}
	}
	return out
}

// reflected returns a message's JSON as protojson writes it, without spaces.
func reflected(m proto.Message) (string, error) {
	text, err := protojson.Marshal(m)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = json.Compact(&out, text)
	return out.String(), err
}

// checkAnswer compares an answer's forms with those that the generated code makes of its message.
func checkAnswer(t *testing.T, a answer) {
	t.Helper()
	want := a.Message()
	b, err := a.Append([]byte("before"))
	if err != nil {
		t.Fatalf("Append of %v: %v", want, err)
	}
	got := want.ProtoReflect().New().Interface()
	if rest, ok := bytes.CutPrefix(b, []byte("before")); !ok || proto.Unmarshal(rest, got) != nil || !proto.Equal(got, want) {
		t.Fatalf("Append = %q, which is read as %v, want %v", b, got, want)
	}
	if size := proto.Size(want); len(b)-len("before") != size {
		t.Fatalf("Append of %v has %d bytes, want %d", want, len(b)-len("before"), size)
	}
	text, err := a.AppendJSON([]byte("before"))
	if err != nil {
		t.Fatalf("AppendJSON of %v: %v", want, err)
	}
	if json, err := reflected(want); err != nil || string(text) != "before"+json {
		t.Fatalf("AppendJSON(%T) = %s, want %s, %v", a, text, json, err)
	}
}

// TestAnswersAreThoseOfTheGeneratedCode compares random answers.
func TestAnswersAreThoseOfTheGeneratedCode(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	for range 5_000 {
		checkAnswer(t, g.answer())
	}
}

// FuzzAnswers compares the answers with a document that a client sent.
func FuzzAnswers(f *testing.F) {
	g := generator{rand.New(rand.NewPCG(3, 4))}
	for range 20 {
		b, err := AppendDocument(nil, g.found())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m pb.Document
		if proto.Unmarshal(b, &m) != nil {
			return
		}
		fields, _, err := (orders)(nil).parseFields(m.GetFields(), nil, maxNesting)
		if err != nil {
			return
		}
		d := &document.Document{Name: resource.Document{Path: "c/d"}, Fields: fields, UpdateTime: 1}
		for _, a := range []answer{(*Document)(d), &Page{Documents: []*document.Document{d}}, &Found{Document: d}, &Result{Document: d}} {
			checkAnswer(t, a)
		}
	})
}

// TestAnswersWithoutAForm checks that values which messages or JSON cannot represent are refused, and that nothing is
// appended.
func TestAnswersWithoutAForm(t *testing.T) {
	of := func(v value.Value) *document.Document {
		return &document.Document{Fields: value.Map{"v": value.Array{v}}}
	}
	for _, d := range []*document.Document{
		of(value.String("\xff")), of(value.Reference("\xff")), of(value.Map{"\xff": value.Null{}}), {Name: resource.Document{Path: "\xff"}},
	} {
		for _, a := range []answer{(*Document)(d), &Page{Documents: []*document.Document{d}}, &Found{Document: d}, &Result{Document: d}} {
			if b, err := a.Append([]byte("before")); err == nil || string(b) != "before" {
				t.Errorf("Append of %#v = %q, %v, want an error", d, b, err)
			}
			if b, err := a.AppendJSON([]byte("before")); err == nil || string(b) != "before" {
				t.Errorf("AppendJSON of %#v = %q, %v, want an error", d, b, err)
			}
		}
	}
	if b, err := AppendDocumentJSON(nil, of(value.Timestamp{Seconds: maxSeconds + 1})); err == nil {
		t.Errorf("AppendDocumentJSON of the year 10000 = %s, want an error", b)
	}
}

// benchmarked is a document of 16 fields.
func benchmarked(b *testing.B) *document.Document {
	b.Helper()
	d := generator{rand.New(rand.NewPCG(5, 6))}.found()
	d.Name = resource.Document{DB: resource.Database{Project: "p", ID: resource.DefaultDatabase}, Path: "c/d"}
	d.Fields = value.Map{
		"null": value.Null{}, "false": value.Bool(false), "true": value.Bool(true), "zero": value.Int(0), "negative": value.Int(-7),
		"double": value.Double(1.5), "empty": value.String(""), "long": value.String(bytes.Repeat([]byte("x"), 300)), "bytes": value.Bytes("\x00\xff"),
		"time": value.Timestamp{Seconds: -1, Nanos: 5000}, "epoch": value.Timestamp{},
		"reference": value.Reference("projects/p/databases/(default)/documents/c/e"), "place": value.GeoPoint{Lat: -1, Lng: 2},
		"array":   value.Array{value.String("a"), value.String(bytes.Repeat([]byte("x"), 300))},
		"nothing": value.Array{}, "map": value.Map{"m": value.String("n"), "long": value.String(bytes.Repeat([]byte("x"), 300))},
	}
	return d
}

// BenchmarkDocument measures the conversion of a stored document to an answer's binary form and JSON: directly, and
// through a message and the generated code.
func BenchmarkDocument(b *testing.B) {
	d := benchmarked(b)
	var scratch []byte
	for name, encode := range map[string]func() ([]byte, error){
		"binary":          func() ([]byte, error) { return AppendDocument(scratch[:0], d) },
		"JSON":            func() ([]byte, error) { return AppendDocumentJSON(scratch[:0], d) },
		"message, binary": func() ([]byte, error) { return proto.MarshalOptions{}.MarshalAppend(scratch[:0], FormatDocument(d)) },
		"message, JSON":   func() ([]byte, error) { return AppendJSON(scratch[:0], FormatDocument(d)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if scratch, err = encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
