package wire

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "clave/server/internal/model/wire/firestorepb"
)

// compareParsed parses a message both ways, into fast and slow, and compares the messages and the refusals.
func compareParsed(t *testing.T, text string, fast, slow proto.Message) {
	t.Helper()
	n, err := parseJSON(text)
	if err != nil || n.kind != jsonObject {
		return
	}
	errFast := ParseJSON([]byte(text), fast)
	a := &assigner{slow: true}
	a.message(slow.ProtoReflect(), n, "")
	if errSlow := a.err(); fmt.Sprint(errFast) != fmt.Sprint(errSlow) || errSlow == nil && !proto.Equal(fast, slow) {
		t.Fatalf("ParseJSON(%s) = %v, %v, want %v, %v", text, fast, errFast, slow, errSlow)
	}
}

// compareDocuments parses a document both ways.
func compareDocuments(t *testing.T, text string) {
	t.Helper()
	compareParsed(t, text, &pb.Document{}, &pb.Document{})
}

// documentTexts lists documents and texts that are almost documents.
var documentTexts = []string{
	`{}`, `{"name":null}`, `{"name":"a","name":"b"}`, `{"fields":{},"fields":{"a":{"nullValue":null}}}`, `{"fields":null}`, `{"fields":[]}`, `{"createTime":"2020-01-01T00:00:00Z"}`,
	`{"fields":{"a":{}}}`, `{"fields":{"a":{"nullValue":"NULL_VALUE"}}}`, `{"fields":{"a":{"nullValue":0}}}`, `{"fields":{"a":{"booleanValue":"t"}}}`, `{"fields":{"a":{"booleanValue":null}}}`,
	`{"fields":{"a":{"integerValue":1.0}}}`, `{"fields":{"a":{"integerValue":"9223372036854775808"}}}`, `{"fields":{"a":{"doubleValue":"NaN"}}}`, `{"fields":{"a":{"doubleValue":"1e5"}}}`,
	`{"fields":{"a":{"stringValue":1}}}`, `{"fields":{"a":{"stringValue":"x","integerValue":1}}}`, `{"fields":{"a":{"string_value":"x"}}}`, `{"fields":{"a":{"bytesValue":"-_8="}}}`,
	`{"fields":{"a":{"bytesValue":"+/8"}}}`, `{"fields":{"a":{"bytesValue":"AA\n=="}}}`, `{"fields":{"a":{"bytesValue":"AB=="}}}`, `{"fields":{"a":{"timestampValue":"0000-01-01T00:00:00Z"}}}`,
	`{"fields":{"a":{"timestampValue":"2020-01-01T00:00:00.123456789+02:00"}}}`, `{"fields":{"a":{"timestampValue":5}}}`, `{"fields":{"a":{"geoPointValue":{"latitude":null}}}}`,
	`{"fields":{"a":{"geoPointValue":{"latitude":1,"latitude":"2"}}}}`, `{"fields":{"a":{"geoPointValue":[]}}}`, `{"fields":{"a":{"arrayValue":{"values":{"nullValue":null}}}}}`,
	`{"fields":{"a":{"arrayValue":{"values":[null]}}}}`, `{"fields":{"a":{"arrayValue":{"values":[{"arrayValue":{}}],"values":[]}}}}`, `{"fields":{"a":{"mapValue":{"fields":{"a":{"mapValue":{}}}}}}}`,
	`{"fields":{"a":{"mapValue":{"fields":null}}}}`, `{"fields":{"a":{"nullValue":null},"a":{"booleanValue":true}}}`, `{"fields":{"a":{"pipelineValue":{}}}}`, `{"fields":{"a":{"referenceValue":"x"}}}`,
}

// TestParsedDocumentsAreTheSameEitherWay parses documents, and documents in which some bytes were changed.
func TestParsedDocumentsAreTheSameEitherWay(t *testing.T) {
	for _, text := range documentTexts {
		compareDocuments(t, text)
	}
	g := generator{rand.New(rand.NewPCG(7, 8))}
	for range 2_000 {
		d := g.found()
		text, err := AppendDocumentJSON(nil, d)
		if err != nil {
			t.Fatal(err)
		}
		compareDocuments(t, string(text))
		var m pb.Document
		if err := ParseJSON(text, &m); err != nil || !proto.Equal(&m, FormatDocument(d)) {
			t.Fatalf("ParseJSON(%s) = %v, %v, want %v", text, &m, err, FormatDocument(d))
		}
		for range 5 {
			text[g.IntN(len(text))] = `"{}[]:,0aNv \`[g.IntN(12)]
			compareDocuments(t, string(text))
		}
	}
}

// TestDeepUnusualValuesAreParsedOnce parses a deep value with an unusual one at its end. The number of attempts to
// parse it without reflection must not grow with its depth.
func TestDeepUnusualValuesAreParsedOnce(t *testing.T) {
	text := strings.Repeat(`{"integerValue":"1"},`, 200) + `{"nullValue":0}`
	for range 60 {
		text = `{"arrayValue":{"values":[` + text + `]}}`
	}
	n, err := parseJSON(`{"writes":[{"update":{"fields":{"a":` + text + `}}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	allocations := func(slow bool) float64 {
		return testing.AllocsPerRun(5, func() {
			a := &assigner{slow: slow}
			if a.message((&pb.CommitRequest{}).ProtoReflect(), n, ""); a.err() != nil {
				t.Error(a.err())
			}
		})
	}
	if slow, both := allocations(true), allocations(false); both > 3*slow {
		t.Errorf("%.0f allocations, %.0f by reflection alone: want three times as many at most", both, slow)
	}
}

// FuzzParseDocument compares both ways.
func FuzzParseDocument(f *testing.F) {
	for _, text := range documentTexts {
		f.Add(text)
	}
	f.Fuzz(compareDocuments)
}

// BenchmarkParseJSON parses a commit of a document of 16 fields, by both ways.
func BenchmarkParseJSON(b *testing.B) {
	d := benchmarked(b)
	d.CreateTime, d.UpdateTime = 0, 0 // as clients send it
	document, err := AppendDocumentJSON(nil, d)
	if err != nil {
		b.Fatal(err)
	}
	body := fmt.Sprintf(`{"writes":[{"update":%s,"currentDocument":{"exists":false}}]}`, document)
	for name, slow := range map[string]bool{"known": false, "reflected": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n, err := parseJSON(body)
				if err != nil {
					b.Fatal(err)
				}
				a := &assigner{slow: slow}
				if a.message((&pb.CommitRequest{}).ProtoReflect(), n, ""); a.err() != nil {
					b.Fatal(a.err())
				}
			}
		})
	}
}

// BenchmarkParseJSONBody parses whole commits of one document and of many.
func BenchmarkParseJSONBody(b *testing.B) {
	d := benchmarked(b)
	d.CreateTime, d.UpdateTime = 0, 0
	document, err := AppendDocumentJSON(nil, d)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 10, 500} {
		b.Run(fmt.Sprintf("docs=%d", n), func(b *testing.B) {
			body := `{"writes":[` + strings.TrimSuffix(strings.Repeat(fmt.Sprintf(`{"update":%s},`, document), n), ",") + `]}`
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				r := NewCommitRequest()
				if err := r.DecodeJSON(body, nil, ""); err != nil || !r.Parsed() {
					b.Fatal(err, r.Parsed())
				}
			}
		})
	}
}
