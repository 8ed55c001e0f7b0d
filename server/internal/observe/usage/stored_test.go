package usage

import (
	"fmt"
	"strings"
	"testing"
)

// TestStorage adds up documents by pattern, and those of collections beyond the limit together.
func TestStorage(t *testing.T) {
	var s Storage
	if r := s.Report(); r.Total != (Stored{}) || r.Patterns == nil {
		t.Errorf("of nothing: %+v", r)
	}
	s.Add("users/ann/orders", 100, 50)
	s.Add("users/bob/orders", 10, 5)
	s.Add("users", 30, 60)
	s.Add("a", 1, 0)
	r := s.Report()
	if want := (Stored{4, 141, 115}); r.Total != want || len(r.Patterns) != 3 {
		t.Errorf("total %+v of %d patterns, want %+v", r.Total, len(r.Patterns), want)
	}
	if want := (StoredPattern{"users/*/orders", Stored{2, 110, 55}}); r.Patterns[0] != want {
		t.Errorf("first %+v, want %+v", r.Patterns[0], want)
	}
	var out strings.Builder
	r.Partial = true
	if err := r.Print(&out, 2); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2                 110          55                users/*/orders\n", "1 more patterns\n", "4                 141          115               total of those"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
	for i := range maxPatterns + 10 {
		s.Add(fmt.Sprint("c", i), 1000, 0)
	}
	if r := s.Report(); len(r.Patterns) != maxPatterns+1 || r.Patterns[0].Pattern != Other || r.Patterns[0].Documents != 13 || r.Total.Documents != maxPatterns+14 {
		t.Errorf("%d patterns, first %+v, total %+v", len(r.Patterns), r.Patterns[0], r.Total)
	}
}
