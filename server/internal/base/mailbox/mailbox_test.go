package mailbox_test

import (
	"testing"

	"clave/server/internal/base/mailbox"
)

func TestOf(t *testing.T) {
	for address, want := range map[string]string{
		"Ana@Example.org": "ana@example.org", "ana+a+b@example.org": "ana@example.org", "a.n.a@example.org": "a.n.a@example.org", "+a@example.org": "+a@example.org",
		"A.na+x@Gmail.com": "ana@gmail.com", "ana@googlemail.com": "ana@gmail.com", "+18095550101": "+18095550101", "": "", "@": "@",
	} {
		if got := mailbox.Of(address); got != want {
			t.Errorf("Of(%q) = %q, want %q", address, got, want)
		}
	}
}
