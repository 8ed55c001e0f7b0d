package custommethod_test

import (
	"testing"

	"clave/server/internal/httpx/custommethod"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct{ path, name, verb string }{
		{"P:restore", "P", "restore"},
		{"projects/P/databases/D:securityRules", "projects/P/databases/D", "securityRules"},
		{"example.com:P:restore", "example.com:P", "restore"},
		{"a:b/c", "a:b/c", ""},
		{"a/b:", "a/b", ""},
		{":verb", "", "verb"},
		{"a/b", "a/b", ""},
		{"", "", ""},
	} {
		if name, v := custommethod.Cut(tt.path); name != tt.name || v != tt.verb {
			t.Errorf("Cut(%q) = %q, %q, want %q, %q", tt.path, name, v, tt.name, tt.verb)
		}
	}
}
