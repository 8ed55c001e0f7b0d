package account_test

import (
	"fmt"
	"slices"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
)

// find returns the ids of the accounts that match a text.
func find(t testing.TB, s *account.Store, text, after string, most int) (ids []string) {
	t.Helper()
	err := s.Search(t.Context(), scope, text, after, func(u *account.User) bool {
		ids = append(ids, u.UID)
		return len(ids) < most
	})
	if err != nil {
		t.Fatalf("Search(%q): %v", text, err)
	}
	return ids
}

// TestSearch finds accounts by any part of their identifiers, and by no other value.
func TestSearch(t *testing.T) {
	s := open(t)
	name := func(text string) *string { return &text }
	for _, u := range []*account.User{
		{UID: "a-1", Email: "ana@example.org", DisplayName: name("Ana Peña"), Phone: "+18095551234"},
		{UID: "b-2", Email: "luis@example.org", DisplayName: name(`Luis "el <Alto>"`), Language: "secreta"},
		{UID: "c-3", Email: "mar.pena@example.net", DisplayName: name("MARÍA ÑANDÚ")},
		{UID: "d-4"},
	} {
		if err := put(t, s, u); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		text, after string
		most        int
		want        []string
	}{
		{"PEÑA", "", 9, []string{"a-1", "c-3"}},
		{"pena", "", 9, []string{"a-1", "c-3"}},
		{"pen\u0303a", "", 9, []string{"a-1", "c-3"}},
		{"maria", "", 9, []string{"c-3"}},
		{"ñandú", "", 9, []string{"c-3"}},
		{"example", "", 9, []string{"a-1", "b-2", "c-3"}},
		{"example", "", 2, []string{"a-1", "b-2"}},
		{"example", "b-2", 9, []string{"c-3"}},
		{`"EL <al`, "", 9, []string{"b-2"}},
		{"D-4", "", 9, []string{"d-4"}},
		{"-", "", 9, []string{"a-1", "b-2", "c-3", "d-4"}},
		{"5551234", "", 9, []string{"a-1"}},
		{"(809) 555-12", "", 9, []string{"a-1"}},
		{"+1 809", "", 9, []string{"a-1"}},
		// Names of fields and the values of other fields match no account.
		{"email", "", 9, nil},
		{"created", "", 9, nil},
		{"secreta", "", 9, nil},
		{"nobody", "", 9, nil},
	} {
		if got := find(t, s, tt.text, tt.after, tt.most); !slices.Equal(got, tt.want) {
			t.Errorf("Search(%q) after %q = %q, want %q", tt.text, tt.after, got, tt.want)
		}
	}
}

// BenchmarkSearch searches for a text that one account of many has, and for one that none has.
func BenchmarkSearch(b *testing.B) {
	s := open(b)
	const many = 100_000
	for from := 0; from < many; from += 1000 {
		err := s.Change(b.Context(), scope, nil, func(c *account.Change) error {
			for i := from; i < from+1000; i++ {
				name := fmt.Sprintf("User %d", i)
				c.Put(&account.User{
					UID: fmt.Sprintf("u%06d", i), Email: fmt.Sprintf("user%d@example.org", i), DisplayName: &name,
					Password: &passhash.Hash{Alg: "SCRYPT", Sum: make([]byte, 64), Salt: make([]byte, 16)}, Created: 1_800_000_000_000,
				})
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, text := range []string{"user99999", "nobody", "created"} {
		b.Run("text="+text, func(b *testing.B) {
			for b.Loop() {
				find(b, s, text, "", 100)
			}
		})
	}
}
