package document_test

import (
	"math"
	"strings"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// name is the name of the tested document.
var name = resource.Document{DB: resource.Database{Project: "p", ID: "(default)"}, Path: "c/d"}

// at is the version of the tested write. Its microseconds are truncated in a server timestamp.
const at clock.Version = 1_700_000_000_123_456

// stored returns a document with an old version.
func stored(fields value.Map) *document.Document {
	return &document.Document{Name: name, Fields: fields, CreateTime: 1, UpdateTime: 2}
}

// paths parses field paths.
func paths(t *testing.T, texts ...string) []value.FieldPath {
	t.Helper()
	var out []value.FieldPath
	for _, s := range texts {
		p, err := value.ParseFieldPath(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func TestApplyUpdate(t *testing.T) {
	tests := []struct {
		name string
		old  value.Map
		w    document.Write
		want value.Map
	}{
		{"replace all", value.Map{"a": value.Int(1)}, document.Write{Fields: value.Map{"b": value.Int(2)}}, value.Map{"b": value.Int(2)}},
		{
			"set by mask, delete what the mask names and the fields lack", value.Map{"a": value.Int(1), "b": value.Int(2), "c": value.Int(3)},
			document.Write{HasMask: true, Mask: paths(t, "a", "b"), Fields: value.Map{"a": value.Int(9), "c": value.Int(9)}},
			value.Map{"a": value.Int(9), "c": value.Int(3)},
		},
		{
			"a deleted member leaves its map", value.Map{"m": value.Map{"x": value.Int(1)}},
			document.Write{HasMask: true, Mask: paths(t, "m.x")}, value.Map{"m": value.Map{}},
		},
		{"an empty mask changes nothing", value.Map{"a": value.Int(1)}, document.Write{HasMask: true}, value.Map{"a": value.Int(1)}},
		{"a mask makes what is missing", nil, document.Write{HasMask: true, Mask: paths(t, "m.x"), Fields: value.Map{"m": value.Map{"x": value.Int(1)}}}, value.Map{"m": value.Map{"x": value.Int(1)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var old *document.Document
			if tt.old != nil {
				old = stored(tt.old)
			}
			tt.w.Name = name
			d, _, err := document.Apply(old, tt.w, at)
			if err != nil || !value.Identical(d.Fields, tt.want) {
				t.Errorf("Apply(%v) = %v, %v; want %v", tt.w, d, err, tt.want)
			}
		})
	}
}

func TestApplyTimes(t *testing.T) {
	made, r, err := document.Apply(nil, document.Write{Name: name, Fields: value.Map{"a": value.Int(1)}}, at)
	if err != nil || made.CreateTime != at || made.UpdateTime != at || r.UpdateTime != at {
		t.Errorf("a new document: %+v, %+v, %v; want all times %d", made, r, err, at)
	}
	changed, r, err := document.Apply(made, document.Write{Name: name, Fields: value.Map{"a": value.Double(1)}}, at+1)
	if err != nil || changed.CreateTime != at || changed.UpdateTime != at+1 || r.UpdateTime != at+1 {
		t.Errorf("1 became 1.0: %+v, %+v, %v; want it changed", changed, r, err)
	}
	same, r, err := document.Apply(changed, document.Write{Name: name, Fields: value.Map{"a": value.Double(1)}}, at+2)
	if err != nil || same != changed || r.UpdateTime != at+1 {
		t.Errorf("the same again: %+v, %+v, %v; want the document itself and its old time", same, r, err)
	}
	gone, r, err := document.Apply(changed, document.Write{Op: document.Delete, Name: name}, at+3)
	if err != nil || gone != nil || r.UpdateTime != 0 {
		t.Errorf("deleted: %+v, %+v, %v", gone, r, err)
	}
}

func TestApplyTransforms(t *testing.T) {
	field := value.FieldPath{"f"}
	nan := value.Double(math.NaN())
	tests := []struct {
		name      string
		old       value.Value
		transform document.Transform
		want      value.Value
		result    value.Value
	}{
		{"time in milliseconds", nil, document.Transform{Kind: document.RequestTime}, value.Timestamp{Seconds: 1_700_000_000, Nanos: 123_000_000}, value.Timestamp{Seconds: 1_700_000_000, Nanos: 123_000_000}},
		{"increment", value.Int(1), document.Transform{Kind: document.Increment, Operand: value.Int(2)}, value.Int(3), value.Int(3)},
		{"increment saturates", value.Int(math.MaxInt64), document.Transform{Kind: document.Increment, Operand: value.Int(2)}, value.Int(math.MaxInt64), value.Int(math.MaxInt64)},
		{"increment saturates below", value.Int(math.MinInt64), document.Transform{Kind: document.Increment, Operand: value.Int(-2)}, value.Int(math.MinInt64), value.Int(math.MinInt64)},
		{"increment of a text", value.String("x"), document.Transform{Kind: document.Increment, Operand: value.Int(2)}, value.Int(2), value.Int(2)},
		{"increment by a double", value.Int(1), document.Transform{Kind: document.Increment, Operand: value.Double(0.5)}, value.Double(1.5), value.Double(1.5)},
		{"maximum", value.Int(1), document.Transform{Kind: document.Maximum, Operand: value.Double(2)}, value.Double(2), value.Double(2)},
		{"maximum of equals", value.Int(2), document.Transform{Kind: document.Maximum, Operand: value.Double(2)}, value.Int(2), value.Int(2)},
		{"maximum with NaN", value.Int(2), document.Transform{Kind: document.Maximum, Operand: nan}, nan, nan},
		{"minimum of a missing field", nil, document.Transform{Kind: document.Minimum, Operand: value.Int(5)}, value.Int(5), value.Int(5)},
		{"minimum of NaN", nan, document.Transform{Kind: document.Minimum, Operand: value.Int(5)}, nan, nan},
		{"append what is missing", value.Array{value.Int(1)}, document.Transform{Kind: document.AppendMissing, Operand: value.Array{value.Double(1), value.Int(2), value.Int(2)}}, value.Array{value.Int(1), value.Int(2)}, value.Null{}},
		{"append to a text", value.String("x"), document.Transform{Kind: document.AppendMissing, Operand: value.Array{value.Int(2)}}, value.Array{value.Int(2)}, value.Null{}},
		{"remove all", value.Array{value.Int(1), value.Int(2), value.Double(1)}, document.Transform{Kind: document.RemoveAll, Operand: value.Array{value.Int(1)}}, value.Array{value.Int(2)}, value.Null{}},
		{"remove from nothing", nil, document.Transform{Kind: document.RemoveAll, Operand: value.Array{value.Int(1)}}, value.Array{}, value.Null{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fields := value.Map{}
			if tt.old != nil {
				fields["f"] = tt.old
			}
			tt.transform.Path = field
			d, r, err := document.Apply(stored(fields), document.Write{Name: name, HasMask: true, Transforms: []document.Transform{tt.transform}}, at)
			if err != nil || !value.Identical(d.Fields["f"], tt.want) {
				t.Fatalf("Apply = %v, %v; want %v", d, err, tt.want)
			}
			if len(r.Transforms) != 1 || !value.Identical(r.Transforms[0], tt.result) {
				t.Errorf("result = %v, want %v", r.Transforms, tt.result)
			}
		})
	}
}

func TestPreconditions(t *testing.T) {
	yes, no := true, false
	doc := stored(value.Map{})
	at0, at2, at3 := clock.Version(0), clock.Version(2), clock.Version(3)
	tests := []struct {
		p    document.Precondition
		old  *document.Document
		code fault.Code
		text string
	}{
		{document.Precondition{}, nil, fault.OK, ""},
		{document.Precondition{Exists: &yes}, doc, fault.OK, ""},
		{document.Precondition{Exists: &yes}, nil, fault.NotFound, "No document to update: " + name.String()},
		{document.Precondition{Exists: &no}, doc, fault.AlreadyExists, "Document already exists: " + name.String()},
		{document.Precondition{UpdateTime: &at2}, doc, fault.OK, ""},
		{document.Precondition{UpdateTime: &at3}, doc, fault.FailedPrecondition, "the stored version (2) does not match the required base version (3)"},
		{document.Precondition{UpdateTime: &at3}, nil, fault.FailedPrecondition, "the stored version (0) does not match the required base version (3)"},
		{document.Precondition{UpdateTime: &at0}, doc, fault.FailedPrecondition, "the stored version (2) does not match the required base version (0)"},
		{document.Precondition{UpdateTime: &at0}, nil, fault.OK, ""},
	}
	for _, tt := range tests {
		for _, op := range []document.Op{document.Update, document.Delete, document.Verify} {
			_, _, err := document.Apply(tt.old, document.Write{Op: op, Name: name, Precondition: tt.p}, at)
			if fault.CodeOf(err) != tt.code || (err != nil && fault.FromError(err).Message != tt.text) {
				t.Errorf("op %d with %+v on %v: %v; want %v %q", op, tt.p, tt.old, err, tt.code, tt.text)
			}
		}
	}
}

func TestApplyRefusesDocumentsThatGrowTooLarge(t *testing.T) {
	half := value.String(strings.Repeat("x", 600_000))
	_, _, err := document.Apply(stored(value.Map{"a": half}), document.Write{
		Name: name, HasMask: true, Mask: []value.FieldPath{{"b"}}, Fields: value.Map{"b": half},
	}, at)
	const want = "cannot be written because its size (1,200,058 bytes) exceeds the maximum allowed size of 1,048,576 bytes."
	if !fault.Is(err, fault.InvalidArgument) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("Apply = %v, want InvalidArgument … %s", err, want)
	}
}
