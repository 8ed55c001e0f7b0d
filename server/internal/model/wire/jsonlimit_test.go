package wire

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// TestBodiesHaveALimitOfValues parses bodies with as many values as they may have and one more. The estimate of the
// memory counts every value.
func TestBodiesHaveALimitOfValues(t *testing.T) {
	const others = 3 // the body, the array's value and the array
	for _, tt := range []struct {
		elements int
		want     bool
	}{{maxJSONValues - others - 1, true}, {maxJSONValues, false}} {
		body := []byte(`{"arrayValue":{"values":[` + strings.Repeat("{},", tt.elements) + `]}}`)
		v := &pb.Value{}
		err := ParseJSON(body, v)
		if tt.want && (err != nil || len(v.GetArrayValue().GetValues()) != tt.elements) {
			t.Errorf("%d elements: %v and %d values", tt.elements, err, len(v.GetArrayValue().GetValues()))
		}
		if !tt.want && !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("%d elements: %v, want INVALID_ARGUMENT", tt.elements, err)
		}
		if got, least := JSONMemory(body), int64(min(tt.elements, maxJSONValues))*memoryPerValue; got < least {
			t.Errorf("%d elements: the estimate is %d bytes, want %d or more", tt.elements, got, least)
		}
	}
}

// firstName returns a name of a map.
func firstName(m value.Map) string {
	for name := range m {
		return name
	}
	return ""
}

// TestStringsDoNotKeepTheBody parses commits in which nearly all of the body is white space, by both ways, and keeps
// one string of each message.
func TestStringsDoNotKeepTheBody(t *testing.T) {
	const bodies, size = 8, 1 << 19
	commit := func(value string) string {
		return `{"database":"d","writes":[{"update":{"name":"projects/p/databases/d/documents/c/d","fields":{"key":` + value + `}}}]}`
	}
	for name, tt := range map[string]struct {
		value string
		kept  func(document.Write) string
	}{
		"a document's name": {`{"stringValue":"v"}`, func(w document.Write) string { return w.Name.Path }},
		"a string":          {`{"stringValue":"v"}`, func(w document.Write) string { return string(w.Fields["key"].(value.String)) }},
		"a reference": {`{"referenceValue":"projects/p/databases/d/documents/c/r"}`, func(w document.Write) string {
			return string(w.Fields["key"].(value.Reference))
		}},
		"a field's name": {`{"stringValue":"v"}`, func(w document.Write) string { return firstName(w.Fields) }},
		"a string by reflection": {`{"arrayValue":{"values":{"stringValue":"v"}}}`, func(w document.Write) string {
			return string(w.Fields["key"].(value.Array)[0].(value.String))
		}},
		"a field's name by reflection": {`{"mapValue":{"fields":{"inner":{"arrayValue":{"values":{"nullValue":null}}}}}}`, func(w document.Write) string {
			return firstName(w.Fields["key"].(value.Map))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var kept []string
			used := func() uint64 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return m.HeapAlloc
			}
			before := used()
			for range bodies {
				r := NewCommitRequest()
				if err := r.DecodeJSON(commit(tt.value)+strings.Repeat(" ", size), nil, ""); err != nil {
					t.Fatal(err)
				}
				writes, err := r.Writes(resource.Database{Project: "p", ID: "d"})
				if err != nil {
					t.Fatal(err)
				}
				kept = append(kept, tt.kept(writes[0]))
			}
			after := used()
			if after > before+bodies*size/4 {
				t.Errorf("%d strings of bodies of %d bytes keep %d bytes", bodies, size, after-before)
			}
			if slices.Contains(kept, "") {
				t.Errorf("the strings are %q", kept)
			}
		})
	}
}
