package wire

import (
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// answerDocument is a document of the tests.
func answerDocument(text string) *document.Document {
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	return &document.Document{
		Name:       resource.Document{DB: db, Path: "c/a"},
		Fields:     value.Map{"s": value.String(text), "n": value.Int(7), "b": value.Bytes(text)},
		CreateTime: 5, UpdateTime: 7_000_123,
	}
}

// checkForms checks that an answer's forms equal its message.
func checkForms(t *testing.T, a *Listened) {
	t.Helper()
	want := a.Message()
	own, shared, err := a.Binary()
	if err != nil {
		t.Fatalf("Binary() of %v: %v", want, err)
	}
	var got pb.ListenResponse
	if err := proto.Unmarshal(append(own, shared...), &got); err != nil || !proto.Equal(&got, want) {
		t.Errorf("Binary() = %v, %v, want %v", &got, err, want)
	}
	for range 2 { // The second text may be that of the first.
		text, err := a.JSONArray()
		if err != nil {
			t.Fatalf("JSONArray of %v: %v", want, err)
		}
		got.Reset()
		if err := protojson.Unmarshal(text[1:len(text)-1], &got); err != nil || !proto.Equal(&got, want) || text[0] != '[' || text[len(text)-1] != ']' {
			t.Errorf("JSONArray = %s, %v, want %v", text, err, want)
		}
	}
}

func TestAnswersOfEveryKind(t *testing.T) {
	shown := &target.Shown{Document: answerDocument("ñ 😀")}
	name := shown.Document.Name
	for _, e := range []*target.Event{
		{Kind: target.Added, Target: 3},
		{Kind: target.Removed, Target: 3},
		{Kind: target.Removed, Target: 3, Cause: fault.E(fault.PermissionDenied, "no")},
		{Kind: target.Current, Target: 3, Token: []byte("token"), ReadTime: 9},
		{Kind: target.Reset, Target: 3},
		{Kind: target.Snapshot, Token: []byte("token"), ReadTime: 9},
		{Kind: target.Changed, Target: 3, Doc: shown},
		{Kind: target.Changed, Target: 300, Doc: shown, Leaves: true},
		{Kind: target.Deleted, Target: 3, Name: name, ReadTime: 9},
		{Kind: target.Left, Target: 3, Name: name, ReadTime: 9},
		{Kind: target.Counted, Target: 3, Filter: &target.Filter{Count: 1, Names: &target.Bloom{Bits: []byte{1}, Padding: 3, Hashes: 2}}},
	} {
		checkForms(t, NewListened(e, new(LatestSnapshot)))
	}
}

func TestSharedDocumentsAreEncodedOnce(t *testing.T) {
	shown := &target.Shown{Document: answerDocument("x")}
	one := NewListened(&target.Event{Kind: target.Changed, Target: 1, Doc: shown}, new(LatestSnapshot))
	two := NewListened(&target.Event{Kind: target.Changed, Target: 2, Doc: shown}, new(LatestSnapshot))
	_, a, errA := one.Binary()
	_, b, errB := two.Binary()
	if errA != nil || errB != nil || &a[0] != &b[0] {
		t.Errorf("two clients' bytes are not the same (%v, %v)", errA, errB)
	}
}

// TestAnswersShareTheirJSON checks which answers of one server have the same JSON, and that others do not.
func TestAnswersShareTheirJSON(t *testing.T) {
	latest, shown := new(LatestSnapshot), &target.Shown{Document: answerDocument("x")}
	array := func(e *target.Event) *byte {
		t.Helper()
		a := NewListened(e, latest)
		checkForms(t, a)
		text, err := a.JSONArray()
		if err != nil {
			t.Fatal(err)
		}
		return &text[0]
	}
	change := func(to int32, leaves bool) *byte {
		return array(&target.Event{Kind: target.Changed, Target: to, Doc: shown, Leaves: leaves})
	}
	snapshot := func(token string, at clock.Version) *byte {
		return array(&target.Event{Kind: target.Snapshot, Token: []byte(token), ReadTime: at})
	}
	changed, complete := change(2, false), snapshot("a", 9)
	if change(2, false) != changed || snapshot("a", 9) != complete {
		t.Error("two clients' equal answers are encoded twice")
	}
	// checkForms compares each of these with its own message.
	for range 2 {
		change(2, true)
		change(4, false)
		snapshot("b", 9)
		snapshot("b", 10)
	}
}

func FuzzListened(f *testing.F) {
	f.Add("ñ 😀 \u2028", int32(1002), true)
	f.Add("", int32(-1), false)
	f.Fuzz(func(t *testing.T, text string, to int32, leaves bool) {
		doc := answerDocument(text)
		if doc.Fields["s"] = value.String("x"); string([]rune(text)) == text {
			doc.Fields["s"] = value.String(text)
		}
		checkForms(t, NewListened(&target.Event{Kind: target.Changed, Target: to, Doc: &target.Shown{Document: doc}, Leaves: leaves}, new(LatestSnapshot)))
	})
}
