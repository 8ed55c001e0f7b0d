package recovery_test

import (
	"testing"
	"time"

	"clave/server/internal/app/recovery"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble/pebbletest"
)

// TestAnswers lists the versions of a document, restores two of them, one of which is that it was absent, and refuses
// requests that name nothing.
func TestAnswers(t *testing.T) {
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	e, err := engine.Open(t.Context(), engine.Options{Store: pebbletest.Open(t), Exists: func(d resource.Database) bool { return d == db }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	name := resource.Document{DB: db, Path: "c/1"}
	var times []time.Time
	for _, w := range []document.Write{{Name: name, Fields: value.Map{"n": value.Int(1)}}, {Name: name, Fields: value.Map{"n": value.Int(2)}}, {Op: document.Delete, Name: name}} {
		r, err := e.Commit(t.Context(), db, request.Commit{Writes: []document.Write{w}}, engine.Unrestricted())
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, r.Version.Time())
	}
	r := &recovery.Recovery{Engine: e, Project: "p"}
	ask := func(in recovery.Request) recovery.Answer {
		t.Helper()
		out, err := r.Answer(t.Context(), in)
		if err != nil {
			t.Fatalf("%+v = %v", in, err)
		}
		return out
	}
	got := ask(recovery.Request{Database: "(default)", Path: "c/1"}).Versions
	if len(got) != 3 || got[0].Before != nil || string(got[1].Before["n"]) != `{"integerValue":"1"}` || string(got[1].After["n"]) != `{"integerValue":"2"}` || got[2].After != nil || !got[2].Time.Equal(times[2]) {
		t.Errorf("the versions are %+v", got)
	}
	if out := ask(recovery.Request{Database: "(default)", Path: "c/1", At: times[0]}); out.Absent {
		t.Error("the document was absent")
	}
	if out := ask(recovery.Request{Database: "(default)", Path: "c/1", At: times[2]}); !out.Absent {
		t.Error("the document was not absent")
	}
	if out := ask(recovery.Request{Database: "(default)", To: "copy", At: times[1]}); out.Documents != 1 {
		t.Errorf("the copy has %d documents", out.Documents)
	}
	if out := ask(recovery.Request{Database: "copy", Path: "c/1"}); len(out.Versions) != 0 {
		t.Errorf("the copy has the versions %+v", out.Versions)
	}
	for _, tt := range []struct {
		in   recovery.Request
		code fault.Code
	}{
		{recovery.Request{Database: "(default)", Path: "c"}, fault.InvalidArgument},
		{recovery.Request{Database: "a/b", Path: "c/1"}, fault.InvalidArgument},
		{recovery.Request{Database: "other", Path: "c/1"}, fault.NotFound},
		{recovery.Request{Database: "other", To: "copy-2"}, fault.NotFound},
		{recovery.Request{Database: "(default)", To: "../copy"}, fault.InvalidArgument},
		{recovery.Request{Database: "(default)", To: "copy"}, fault.AlreadyExists},
		{recovery.Request{Database: "(default)", Path: "c/1", At: time.Now().Add(time.Hour)}, fault.InvalidArgument},
	} {
		if _, err := r.Answer(t.Context(), tt.in); !fault.Is(err, tt.code) {
			t.Errorf("%+v = %v, want %v", tt.in, err, tt.code)
		}
	}
}
