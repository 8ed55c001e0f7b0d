package identity

import (
	"strings"
	"testing"
)

func TestCleanEmail(t *testing.T) {
	for in, want := range map[string]string{"Ann@Example.COM": "ann@example.com", " a@b.co ": "a@b.co", "josé@correo.do": "josé@correo.do", "a+b@x": "a+b@x"} {
		if got, ok := cleanEmail(in); !ok || got != want {
			t.Errorf("cleanEmail(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "a", "@", "a@", "@b", "a b@c", "a@b@c", "a@.b", "a@b..c", "a@b.", "a\x00@b", strings.Repeat("a", 300) + "@b.co"} {
		if got, ok := cleanEmail(in); ok {
			t.Errorf("cleanEmail(%q) = %q, want it refused", in, got)
		}
	}
}

func TestCleanPhone(t *testing.T) {
	for in, want := range map[string]string{"+1 (650) 555-0101": "+16505550101", "+18095550101": "+18095550101", "+1.650.555.0101": "+16505550101"} {
		if got, ok := cleanPhone(in); !ok || got != want {
			t.Errorf("cleanPhone(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "+", "6505550101", "+0650555010", "+1650", "+1650555010123456789", "+1650555x101", "++16505550101"} {
		if got, ok := cleanPhone(in); ok {
			t.Errorf("cleanPhone(%q) = %q, want it refused", in, got)
		}
	}
}

// FuzzNames checks that cleaning a cleaned name does not change it.
func FuzzNames(f *testing.F) {
	f.Add("Ann@Example.com")
	f.Add("+1 (650) 555-0101")
	f.Fuzz(func(t *testing.T, in string) {
		if once, ok := cleanEmail(in); ok {
			if twice, ok := cleanEmail(once); !ok || twice != once {
				t.Errorf("cleanEmail(%q) = %q, and of that %q, %v", in, once, twice, ok)
			}
		}
		if once, ok := cleanPhone(in); ok {
			if twice, ok := cleanPhone(once); !ok || twice != once {
				t.Errorf("cleanPhone(%q) = %q, and of that %q, %v", in, once, twice, ok)
			}
		}
	})
}

func TestPolicyErrorsListMissingRequirements(t *testing.T) {
	on := true
	p := PolicyOptions{MinPasswordLength: 8, MaxPasswordLength: 10, ContainsUppercaseCharacter: &on, ContainsNumericCharacter: &on, ContainsNonAlphanumericCharacter: &on}
	for password, want := range map[string]int{"Secret1!": 0, "secret": 4, "Secret1!Secret1!": 1, "SECRET12": 1} {
		if got := p.missing(password); len(got) != want {
			t.Errorf("missing(%q) = %q, want %d requirements", password, got, want)
		}
	}
}
