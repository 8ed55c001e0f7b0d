package wire_test

import (
	"encoding/json"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

func TestErrorsOfABodyAreReportedByField(t *testing.T) {
	err := wire.ParseJSON([]byte(`{"writes":[{"delete":5,"x":1}],"y":2}`), &pb.CommitRequest{})
	want := []fault.Violation{
		{Field: "writes[0].delete", Description: `Invalid value at 'writes[0].delete' (TYPE_STRING), 5`},
		{Field: "writes[0]", Description: `Invalid JSON payload received. Unknown name "x" at 'writes[0]': Cannot find field.`},
		{Description: `Invalid JSON payload received. Unknown name "y": Cannot find field.`},
	}
	bad, ok := wire.Status(err).Details()[0].(*errdetails.BadRequest)
	if !ok || len(bad.GetFieldViolations()) != len(want) {
		t.Fatalf("details of %v = %v", err, wire.Status(err).Details())
	}
	var body struct {
		Error struct {
			Message string
			Details []struct {
				Type            string `json:"@type"`
				FieldViolations []fault.Violation
			}
		}
	}
	if err := json.Unmarshal(wire.ErrorJSON(err), &body); err != nil || len(body.Error.Details) != 1 ||
		body.Error.Details[0].Type != "type.googleapis.com/google.rpc.BadRequest" {
		t.Fatalf("%v in %s", err, wire.ErrorJSON(err))
	}
	for i, v := range want {
		got := bad.GetFieldViolations()[i]
		if got.GetField() != v.Field || got.GetDescription() != v.Description || body.Error.Details[0].FieldViolations[i] != v {
			t.Errorf("violation %d = %v, in JSON %v; want %v", i, got, body.Error.Details[0].FieldViolations[i], v)
		}
	}
}

func TestReasonsAreReported(t *testing.T) {
	s := wire.Status(fault.Named("TOO_MUCH", fault.InvalidArgument, "too much \xff"))
	info, ok := s.Details()[0].(*errdetails.ErrorInfo)
	if !ok || info.GetReason() != "TOO_MUCH" || info.GetDomain() != "firestore.googleapis.com" {
		t.Errorf("details = %v", s.Details())
	}
	if _, err := proto.Marshal(s.Proto()); err != nil {
		t.Errorf("a status of a text that is no UTF-8 has no wire form: %v", err)
	}
	if got := len(wire.Status(fault.E(fault.NotFound, "gone")).Details()); got != 0 {
		t.Errorf("a plain error has %d details", got)
	}
}
