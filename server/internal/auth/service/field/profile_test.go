package field_test

import (
	"strings"
	"testing"

	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
)

// TestLimits checks names, pictures' addresses and ids at their limits, which count UTF-16 units: two for a character
// outside the basic plane.
func TestLimits(t *testing.T) {
	const name, photo = "INVALID_PROFILE_ATTRIBUTE : Display name is too long.", "INVALID_PROFILE_ATTRIBUTE : Photo URL is too long."
	for _, tt := range []struct {
		name        string
		given, link *string
		want        string
	}{
		{"not set", nil, nil, ""},
		{"empty", text("", 0), text("", 0), ""},
		{"the longest", text("é", 256), text("a", 2048), ""},
		{"the longest outside the basic plane", text("𝄞", 128), text("𝄞", 1024), ""},
		{"a long name", text("a", 257), nil, name},
		{"a long name outside the basic plane", text("𝄞", 129), nil, name},
		{"a long address", nil, text("a", 2049), photo},
	} {
		got := ""
		if err := field.CheckProfile(tt.given, tt.link); err != nil {
			got = apierror.Text(err)
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for uid, want := range map[string]bool{"": false, "a": true, *text("a", 129): true, *text("a", 1024): true, *text("a", 1025): false, *text("𝄞", 512): true, *text("𝄞", 513): false, "a\x00b": false, "\x00": false} {
		if got := field.ValidUID(uid); got != want {
			t.Errorf("ValidUID of %d bytes = %v, want %v", len(uid), got, want)
		}
	}
}

// text repeats a character.
func text(s string, n int) *string {
	out := strings.Repeat(s, n)
	return &out
}
