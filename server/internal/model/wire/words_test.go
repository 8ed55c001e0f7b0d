package wire_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// db is the database of these tests.
var db = resource.Database{Project: "p", ID: "(default)"}

func TestValuesRoundTrip(t *testing.T) {
	values := []value.Value{
		value.Null{}, value.Bool(true), value.Int(math.MinInt64), value.Double(math.Copysign(0, -1)), value.Double(math.NaN()),
		value.Timestamp{Seconds: -1, Nanos: 999_999_000}, value.String("é😀"), value.Bytes("\x00\xff"),
		value.Reference("projects/p/databases/(default)/documents/c/d"), value.GeoPoint{Lat: 1.5, Lng: -2},
		value.Array{value.Int(1), value.Map{}}, value.Map{"a": value.Array{}}, value.Vector(1, 2),
	}
	for _, v := range values {
		b, err := proto.Marshal(wire.FormatValue(v))
		if err != nil {
			t.Fatal(err)
		}
		var m pb.Value
		if err := proto.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		got, err := wire.ParseValue(&m)
		if err != nil || !value.Identical(got, v) {
			t.Errorf("ParseValue(FormatValue(%#v)) = %#v, %v", v, got, err)
		}
	}
}

func TestParseValueRefuses(t *testing.T) {
	deep := &pb.Value{ValueType: &pb.Value_NullValue{}}
	for range 200 {
		deep = &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: []*pb.Value{deep}}}}
	}
	tests := map[string]*pb.Value{
		"Cannot convert firestore.v1.Value with type unset.": {},
		"Value is nested too deeply.":                        deep,
		`Resource name "x" lacks "projects" at index 0.`:     {ValueType: &pb.Value_ReferenceValue{ReferenceValue: "x"}},
		"Value type is not supported: FIELD_REFERENCE_VALUE": {ValueType: &pb.Value_FieldReferenceValue{FieldReferenceValue: "a"}},
		"Timestamp is out of range: seconds 0, nanos -1.":    {ValueType: &pb.Value_TimestampValue{TimestampValue: &timestamppb.Timestamp{Nanos: -1}}},
		"A string value is not valid UTF-8.":                 {ValueType: &pb.Value_StringValue{StringValue: "\xff"}},
	}
	for want, v := range tests {
		if _, err := wire.ParseValue(v); !fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != want {
			t.Errorf("ParseValue = %v, want %q", err, want)
		}
	}
	if _, err := wire.ParseValue(nil); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("ParseValue(nil) = %v, want InvalidArgument", err)
	}
}

func TestParseWrite(t *testing.T) {
	const name = "projects/p/databases/(default)/documents/c/d"
	increment := &pb.DocumentTransform_FieldTransform{
		FieldPath:     "n",
		TransformType: &pb.DocumentTransform_FieldTransform_Increment{Increment: wire.FormatValue(value.Int(1))},
	}
	w, err := wire.ParseWrite(db, &pb.Write{
		Operation:        &pb.Write_Update{Update: &pb.Document{Name: name, Fields: map[string]*pb.Value{"a": wire.FormatValue(value.Int(1))}}},
		UpdateMask:       &pb.DocumentMask{FieldPaths: []string{"a", "b.c", "__name__"}},
		UpdateTransforms: []*pb.DocumentTransform_FieldTransform{increment},
		CurrentDocument:  &pb.Precondition{ConditionType: &pb.Precondition_UpdateTime{UpdateTime: timestamppb.New(wire.FormatVersion(7).AsTime())}},
	})
	if err != nil || w.Op != document.Update || len(w.Mask) != 2 || !w.HasMask || len(w.Transforms) != 1 || *w.Precondition.UpdateTime != 7 {
		t.Errorf("ParseWrite = %+v, %v", w, err)
	}
	refused := map[string]*pb.Write{
		"empty write operation":                                      {},
		`Document name "x" lacks "projects" at index 0.`:             {Operation: &pb.Write_Delete{Delete: "x"}},
		"a delete must not specify a document mask.":                 {Operation: &pb.Write_Delete{Delete: name}, UpdateMask: &pb.DocumentMask{}},
		"a delete must not specify a update transform.":              {Operation: &pb.Write_Delete{Delete: name}, UpdateTransforms: []*pb.DocumentTransform_FieldTransform{increment}},
		"The list of FieldTransform must not be empty.":              {Operation: &pb.Write_Transform{Transform: &pb.DocumentTransform{Document: name}}},
		"Operation type must be specified for field transformation.": {Operation: &pb.Write_Update{Update: &pb.Document{Name: name}}, UpdateTransforms: []*pb.DocumentTransform_FieldTransform{{FieldPath: "a"}}},
		"timestamp cannot have more than microseconds precision": {
			Operation: &pb.Write_Delete{Delete: name}, CurrentDocument: &pb.Precondition{ConditionType: &pb.Precondition_UpdateTime{UpdateTime: &timestamppb.Timestamp{Seconds: 1, Nanos: 1}}},
		},
		"Only timestamps past epoch are supported.": {
			Operation: &pb.Write_Delete{Delete: name}, CurrentDocument: &pb.Precondition{ConditionType: &pb.Precondition_UpdateTime{UpdateTime: &timestamppb.Timestamp{Seconds: -1}}},
		},
		"Invalid empty property path string.": {Operation: &pb.Write_Update{Update: &pb.Document{Name: name}}, UpdateMask: &pb.DocumentMask{FieldPaths: []string{""}}},
		"The request was for database 'projects/p/databases/(default)' but was attempting to access database 'projects/p/databases/other'": {
			Operation: &pb.Write_Delete{Delete: "projects/p/databases/other/documents/c/d"},
		},
	}
	for want, in := range refused {
		if _, err := wire.ParseWrite(db, in); !fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != want {
			t.Errorf("ParseWrite(%v) = %v, want %q", in, err, want)
		}
	}
}

func TestStatusOmitsInternalErrors(t *testing.T) {
	secret := errors.New("disk /dev/secret is on fire")
	tests := []struct {
		err     error
		code    string
		http    int
		message string
		unnamed bool
	}{
		{fault.E(fault.NotFound, "gone"), "NotFound", 404, "gone", false},
		{fmt.Errorf("reading: %w", fault.E(fault.FailedPrecondition, "stale")), "FailedPrecondition", 400, "stale", false},
		{fault.Wrap(secret, fault.Aborted, "again"), "Aborted", 409, "again", false},
		{secret, "Internal", 500, "Internal error.", true},
		{context.Canceled, "Canceled", 499, "The operation was cancelled.", false},
		{context.DeadlineExceeded, "DeadlineExceeded", 504, "The operation took longer than its deadline.", false},
	}
	for _, tt := range tests {
		s := wire.Status(tt.err)
		if s.Code().String() != tt.code || s.Message() != tt.message || wire.HTTP(wire.Code(tt.err)) != tt.http || wire.Unnamed(tt.err) != tt.unnamed {
			t.Errorf("%v: status %v %q, HTTP %d, unnamed %t; want %+v", tt.err, s.Code(), s.Message(), wire.HTTP(wire.Code(tt.err)), wire.Unnamed(tt.err), tt)
		}
		if body := string(wire.ErrorJSON(tt.err)); strings.Contains(body, "secret") || !strings.Contains(body, tt.message) {
			t.Errorf("%v: body %s", tt.err, body)
		}
	}
	if s := wire.Status(nil); s.Err() != nil {
		t.Errorf("Status(nil) = %v", s)
	}
}

func TestParseQueryRefusesUnknownDirections(t *testing.T) {
	for direction, want := range map[pb.StructuredQuery_Direction]bool{-1: false, 0: true, 1: true, 2: true, 3: false} {
		q := &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "c"}}, OrderBy: []*pb.StructuredQuery_Order{{Field: &pb.StructuredQuery_FieldReference{FieldPath: "a"}, Direction: direction}}}
		_, err := wire.ParseQuery(db.Root(), q)
		if (err == nil) != want || err != nil && fault.FromError(err).Message != "Unrecognized ordering." {
			t.Errorf("direction %d: %v", direction, err)
		}
	}
}

func TestParsePathRefusesReservedNames(t *testing.T) {
	long := strings.Repeat("x", 1501)
	tests := []struct{ in, want string }{
		{"a.`b c`", ""}, {"__name__", ""}, {"__a", ""}, {"____", ""}, {long[1:], ""},
		{"", "Invalid empty property path string."},
		{"__x__", "Invalid reserved name in field path __x__"},
		{"a.`__x__`.b", "Invalid reserved name in field path __x__.b"},
		{"__name__.a", "the name __key__ is reserved"},
		{"a.__name__", "the name __key__ is reserved"},
		{long, "property path is longer than 1500 bytes."},
		{long[:800] + "." + long[:800], "property path is longer than 1500 bytes."},
		{strings.Repeat("a.", 19) + "a", ""},
		{strings.Repeat("a.", 20) + "a", "paths must have at most 20 elements"},
	}
	for _, tt := range tests {
		_, err := wire.ParsePath(tt.in)
		if (tt.want == "") != (err == nil) || (err != nil && fault.FromError(err).Message != tt.want) {
			t.Errorf("ParsePath(%q) = %v, want %q", tt.in, err, tt.want)
		}
	}
}

// FuzzParseQuery checks that no query causes a panic, and that an accepted query is its own normal form.
func FuzzParseQuery(f *testing.F) {
	f.Add(`{"from":[{"collectionId":"c"}],"where":{"compositeFilter":{"op":"OR","filters":[{"fieldFilter":{"field":{"fieldPath":"a"},"op":"IN","value":{"arrayValue":{"values":[{"integerValue":1},{"nullValue":null}]}}}},{"unaryFilter":{"field":{"fieldPath":"b"},"op":"IS_NOT_NULL"}}]}},"orderBy":[{"field":{"fieldPath":"a"},"direction":"DESCENDING"}],"startAt":{"values":[{"doubleValue":"NaN"}]},"limit":3,"select":{"fields":[{"fieldPath":"a"}]}}`)
	f.Add(`{"findNearest":{"vectorField":{"fieldPath":"v"},"queryVector":{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1}]}}}}},"distanceMeasure":"COSINE","limit":3}}`)
	f.Add(`{"from":[{"collectionId":"c","allDescendants":true}],"where":{"compositeFilter":{"op":"AND","filters":[{"fieldFilter":{"field":{"fieldPath":"a.` + "`b-c`" + `"},"op":"GREATER_THAN","value":{"stringValue":"x"}}},{"fieldFilter":{"field":{"fieldPath":"d"},"op":"NOT_IN","value":{"arrayValue":{"values":[{"booleanValue":true}]}}}},{"unaryFilter":{"field":{"fieldPath":"e"},"op":"IS_NAN"}}]}},"orderBy":[{"field":{"fieldPath":"a.` + "`b-c`" + `"}}],"endAt":{"values":[{"stringValue":"y"}],"before":true},"offset":2}`)
	f.Add(`{"from":[{"collectionId":"c"}],"where":{"fieldFilter":{"field":{"fieldPath":"__name__"},"op":"EQUAL","value":{"referenceValue":"projects/p/databases/(default)/documents/c/x"}}},"select":{}}`)
	f.Fuzz(func(t *testing.T, in string) {
		var m pb.StructuredQuery
		if wire.ParseJSON([]byte(in), &m) != nil {
			return
		}
		q, err := wire.ParseQuery("projects/p/databases/(default)/documents", &m)
		if err != nil {
			if !fault.Is(err, fault.InvalidArgument) {
				t.Errorf("ParseQuery(%s) = %v, want InvalidArgument", in, err)
			}
			return
		}
		if _, err := q.DNF(); err != nil {
			t.Errorf("%s: accepted, but has no alternatives: %v", in, err)
		}
		if got := q.Fingerprint(); got == "" {
			t.Errorf("%s: no fingerprint", in)
		}
		// A formatted query is parsed to the same query, including its orders.
		again, err := wire.ParseQuery("projects/p/databases/(default)/documents", wire.FormatQuery(q))
		if err != nil {
			t.Fatalf("%s: formatted, it is refused: %v", in, err)
		}
		if got, want := again.Fingerprint(), q.Fingerprint(); got != want || again.Implied != q.Implied {
			t.Errorf("%s: formatted and parsed it is %s with %d implied orders, want %s with %d", in, got, again.Implied, want, q.Implied)
		}
	})
}
