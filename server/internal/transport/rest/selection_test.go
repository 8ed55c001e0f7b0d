package rest

import (
	"testing"

	"clave/server/internal/base/fault"
	pb "clave/server/internal/model/wire/firestorepb"
)

// FuzzSelections checks that every parsed selection can be applied, and that every error is a refusal.
func FuzzSelections(f *testing.F) {
	for _, s := range []string{"documents(name,fields/a),nextPageToken", "a.b/c(d,*),e", "a/b,a", "a(b", "((", ","} {
		f.Add(s)
	}
	md := (&pb.ListDocumentsResponse{}).ProtoReflect().Descriptor()
	f.Fuzz(func(t *testing.T, s string) {
		out, err := parseSelection(s)
		if err == nil {
			err = out.check(md, "")
		}
		if err != nil {
			if !fault.Is(err, fault.InvalidArgument) {
				t.Errorf("selection %q: %v, want InvalidArgument", s, err)
			}
			return
		}
		m := &pb.ListDocumentsResponse{NextPageToken: "x", Documents: []*pb.Document{{Name: "n", Fields: map[string]*pb.Value{
			"a": {ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: map[string]*pb.Value{"b": {}}}}},
		}}}}
		out.prune(m)
		if _, all := out["*"]; all && m.NextPageToken != "x" {
			t.Errorf("selection %q took the page token out", s)
		}
	})
}
