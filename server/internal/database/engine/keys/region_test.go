package keys_test

import (
	"strings"
	"testing"

	"clave/server/internal/database/engine/keys"
)

func TestRegion(t *testing.T) {
	long := strings.Repeat("c", 300)
	tests := []struct {
		name string
		a, b []byte
		same bool
	}{
		{"commits", keys.Change(1, 1), keys.Change(1, 2), true},
		{"commits of two databases", keys.Change(1, 1), keys.Change(2, 1), false},
		{"a commit and a document", keys.Change(1, 1), keys.Document(1, "c/1"), false},
		{"documents of a collection", keys.Document(1, "x/1/c/1"), keys.Document(1, "x/1/c/2"), true},
		{"documents of two collections", keys.Document(1, "x/1/c/1"), keys.Document(1, "x/2/c/1"), false},
		{"a document and one below it", keys.Document(1, "c/1"), keys.Document(1, "c/1/d/1"), false},
		{"documents of a group", keys.Group(1, "x/1/c/1"), keys.Group(1, "x/2/c/1"), true},
		{"documents of two groups", keys.Group(1, "x/1/c/1"), keys.Group(1, "x/1/d/1"), false},
		{"documents of a collection with a long path", keys.Document(1, long+"/1"), keys.Document(1, long+"/2"), true},
		{"a record of another package", []byte("account/1"), []byte("account/2"), true},
		{"short keys", keys.Floor(), []byte("d"), false},
	}
	for _, tt := range tests {
		a, b := tt.a[:keys.Region(tt.a)], tt.b[:keys.Region(tt.b)]
		if same := string(a) == string(b); same != tt.same || len(a) > 256 {
			t.Errorf("%s: the regions are %q and %q", tt.name, a, b)
		}
	}
	if n := keys.Region(nil); n != 0 {
		t.Errorf("Region(nil) = %d", n)
	}
}
