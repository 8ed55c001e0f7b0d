package field_test

import (
	"strings"
	"testing"

	"clave/server/internal/auth/service/field"
)

func TestEmail(t *testing.T) {
	for in, want := range map[string]string{"Ann@Example.COM": "ann@example.com", " a@b.co ": "a@b.co", "josé@correo.do": "josé@correo.do", "a+b@x": "a+b@x", "ana@exámple.org": "ana@exámple.org"} {
		if got, ok := field.Email(in); !ok || got != want {
			t.Errorf("Email(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "a", "@", "a@", "@b", "a b@c", "a@b@c", "a@.b", "a@b..c", "a@b.", "a\x00@b", "a\x7f@b", "a\u0085@b", "a\u00a0@b", "a\u200b@b", "a\u2028@b", "a\u202e@b",
		"a@b\u00a0c.co", "a@b\u200b.co", "a@b\u2028.co", "a@b\u202e.co", strings.Repeat("a", 300) + "@b.co"} {
		if got, ok := field.Email(in); ok {
			t.Errorf("Email(%q) = %q, want it refused", in, got)
		}
	}
}

func TestPhone(t *testing.T) {
	for in, want := range map[string]string{"+1 (650) 555-0101": "+16505550101", "+18095550101": "+18095550101", "+1.650.555.0101": "+16505550101"} {
		if got, ok := field.Phone(in); !ok || got != want {
			t.Errorf("Phone(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "+", "6505550101", "+0650555010", "+1650", "+1650555010123456789", "+1650555x101", "++16505550101"} {
		if got, ok := field.Phone(in); ok {
			t.Errorf("Phone(%q) = %q, want it refused", in, got)
		}
	}
}

// FuzzClean checks that cleaning a cleaned name does not change it.
func FuzzClean(f *testing.F) {
	f.Add("Ann@Example.com")
	f.Add("+1 (650) 555-0101")
	f.Fuzz(func(t *testing.T, in string) {
		if once, ok := field.Email(in); ok {
			if twice, ok := field.Email(once); !ok || twice != once {
				t.Errorf("Email(%q) = %q, and of that %q, %v", in, once, twice, ok)
			}
		}
		if once, ok := field.Phone(in); ok {
			if twice, ok := field.Phone(once); !ok || twice != once {
				t.Errorf("Phone(%q) = %q, and of that %q, %v", in, once, twice, ok)
			}
		}
	})
}

func TestHidePhone(t *testing.T) {
	for in, want := range map[string]string{"+18095550101": "+*******0101", "+1234": "+1234", "": ""} {
		if got := field.HidePhone(in); got != want {
			t.Errorf("HidePhone(%q) = %q, want %q", in, got, want)
		}
	}
}
