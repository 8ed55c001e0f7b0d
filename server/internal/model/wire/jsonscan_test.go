package wire_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	"clave/server/internal/model/wire"
)

// writeTexts lists messages of Write streams and texts that are almost such messages.
var writeTexts = []string{
	`{"streamToken":"MQ==","writes":[{"update":{"name":"a","fields":{"n":{"integerValue":"1"}}},"updateMask":{"fieldPaths":["n"]},"currentDocument":{"exists":true}},{"delete":"b"}]}`,
	`{"database":"d"}`, `{"streamToken":null}`, `{"streamToken":""}`, `{"streamToken":"MQ"}`, `{"streamToken":"M\nQ=="}`, `{"streamToken":"-_8="}`, `{"streamToken":"a","streamToken":"b"}`,
	`{"streamToken":5}`, `{"writes":[]}`, `{"writes":null}`, `{"writes":{"delete":"a"}}`, `{"writes":[{"delete":"a"}],"writes":[{"delete":"b"}]}`, `{"writes":[{"delete":"a"},null]}`, `{"writes":[5]}`,
	`{"writes":[{}]}`, `{"writes":[{"delete":null}]}`, `{"writes":[{"delete":5}]}`, `{"writes":[{"delete":"a","update":{}}]}`, `{"writes":[{"delete":"","delete":"a"}]}`, `{"writes":[{"verify":"a"}]}`,
	`{"writes":[{"update":null}]}`, `{"writes":[{"update":{"fields":{"a":{"nullValue":0}}}}]}`, `{"writes":[{"update":{},"updateTransforms":[{"fieldPath":"a","setToServerValue":"REQUEST_TIME"}]}]}`,
	`{"writes":[{"update":{},"updateMask":{}}]}`, `{"writes":[{"update":{},"updateMask":null}]}`, `{"writes":[{"update":{},"updateMask":{"fieldPaths":[]}}]}`, `{"writes":[{"update":{},"updateMask":{"fieldPaths":"a"}}]}`,
	`{"writes":[{"update":{},"updateMask":{"fieldPaths":[5]}}]}`, `{"writes":[{"update":{},"update_mask":{"field_paths":["a"]}}]}`, `{"writes":[{"update":{},"currentDocument":{"exists":"true"}}]}`,
	`{"writes":[{"update":{},"currentDocument":{"updateTime":"2020-01-01T00:00:00Z"}}]}`, `{"writes":[{"update":{},"currentDocument":{"exists":false},"currentDocument":{"exists":true}}]}`,
	`{"writes":[{"currentDocument":{"exists":true}}]}`, `{"writes":[{"unknown":1}]}`,
}

// compareJSON decodes a body as each request with writes, both ways.
func compareJSON(t *testing.T, text string) {
	t.Helper()
	for _, form := range forms {
		got, want := form(), form()
		gotErr, wantErr := got.DecodeJSON(text, nil, ""), want.DecodeMessageJSON(text)
		compareWrites(t, text, got, want, gotErr, wantErr)
	}
}

// usualWrites returns the JSON of requests with all values, operations and transforms, as clients send them.
func usualWrites(t testing.TB) (texts []string) {
	t.Helper()
	document, err := protojson.Marshal(everything())
	if err != nil {
		t.Fatal(err)
	}
	update := `{"update":` + string(document) + `,"updateMask":{"fieldPaths":["a","b.c","__name__"]},"currentDocument":{"exists":false},"updateTransforms":[` +
		`{"fieldPath":"t","setToServerValue":"REQUEST_TIME"},{"fieldPath":"i","increment":{"integerValue":"1"}},{"fieldPath":"x","maximum":{"doubleValue":1.5}},` +
		`{"fieldPath":"n","minimum":{"integerValue":2}},{"fieldPath":"p","appendMissingElements":{"values":[{"mapValue":{"fields":{"b":{},"a":{"nullValue":null}}}}]}},` +
		`{"fieldPath":"q","appendMissingElements":{"values":[{"mapValue":{"fields":{"b":{"nullValue":null},"a":{"nullValue":null}}}}]}},{"fieldPath":"r","removeAllFromArray":{"values":[{"stringValue":"\\n\u00e9"}]}}]}`
	good := strings.Replace(update, `"b":{},`, ``, 1)
	verify := `{"verify":"` + orderedName + `","currentDocument":{"updateTime":"2020-01-01T00:00:00.000001Z"}}`
	for _, w := range []string{update, good, `{"update": ` + orderedJSON + `}`, verify, `{"delete":"` + orderedName + `"}`, good + `,` + verify,
		`{"delete":"projects/q/databases/(default)/documents/c/d"}`, `{"update":{"name":"` + orderedName + `"}}`, `{"delete":"` + orderedName + `","updateMask":{"fieldPaths":["a"]}}`} {
		texts = append(texts, `{"database":"projects/p/databases/(default)","streamToken":"MQ==","writes":[`+w+`]}`, `{"transaction":"MQ==","writes":[`+w+`]}`, `{"writes":[`+w+`]}`)
	}
	return texts
}

// TestUsualWritesAreParsedAtOnce checks that what clients usually send is parsed to values without messages.
func TestUsualWritesAreParsedAtOnce(t *testing.T) {
	for _, text := range usualWrites(t) {
		compareJSON(t, text)
		r := wire.NewWriteRequest()
		if strings.Contains(text, `"transaction"`) {
			r = wire.NewCommitRequest()
		}
		if err := r.DecodeJSON(text, nil, ""); err != nil {
			t.Fatal(err)
		}
		refused := strings.Contains(text, `"b":{}`) || strings.Contains(text, `)/documents/c/d","updateMask"`)
		if r.Parsed() == refused {
			t.Errorf("%s is parsed at once: %v", text, r.Parsed())
		}
	}
}

// TestParsedWritesAreTheSameEitherWay parses requests with writes, and requests in which a byte was changed.
func TestParsedWritesAreTheSameEitherWay(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, text := range append(usualWrites(t), writeTexts...) {
		compareJSON(t, text)
		for range 60 {
			changed := []byte(text)
			changed[r.IntN(len(changed))] = "\"{}[]:,0aNv \\`\xff\x00"[r.IntN(15)]
			compareJSON(t, string(changed))
		}
		for range 30 { // without a part
			from := r.IntN(len(text))
			compareJSON(t, text[:from]+text[from+r.IntN(len(text)-from):])
		}
	}
}

// FuzzParseWrites compares both ways.
func FuzzParseWrites(f *testing.F) {
	for _, text := range append(usualWrites(f), writeTexts...) {
		f.Add(text)
	}
	f.Fuzz(compareJSON)
}
