package optional_test

import (
	"testing"

	"clave/server/internal/auth/service/optional"
)

// TestAbsentValues reads values that are set, and that are not.
func TestAbsentValues(t *testing.T) {
	text, yes, no := "text", true, false
	if got, absent := optional.String(&text), optional.String(nil); got != text || absent != "" {
		t.Errorf("String = %q and %q, want %q and nothing", got, absent, text)
	}
	for _, def := range []bool{false, true} {
		if optional.Bool(nil, def) != def || !optional.Bool(&yes, def) || optional.Bool(&no, def) {
			t.Errorf("Bool with %v as its default = %v, %v, %v", def, optional.Bool(nil, def), optional.Bool(&yes, def), optional.Bool(&no, def))
		}
	}
}
