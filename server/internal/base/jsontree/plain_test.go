package jsontree_test

import (
	"encoding/json"
	"testing"

	"clave/server/internal/base/jsontree"
)

func TestPlain(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"a": 1}`, `{"a": 1}`},
		{"1 // x\n2", "1     \n2"},
		{"1 /* x\n */2", "1     \n   2"},
		{`"// no \" /* no */"// yes`, `"// no \" /* no */"      `},
		{"/* open", "       "},
		{`"open // `, `"open // `},
		{`"\`, `"\`},
		{"/", "/"},
	}
	for _, tt := range tests {
		if got := string(jsontree.Plain([]byte(tt.in))); got != tt.want {
			t.Errorf("Plain(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add([]byte("{} // x"))
	f.Add([]byte(`"a\" /* */`))
	f.Fuzz(func(t *testing.T, text []byte) {
		plain := jsontree.Plain(text)
		if len(plain) != len(text) || json.Valid(text) && string(plain) != string(text) {
			t.Errorf("Plain(%q) = %q", text, plain)
		}
	})
}
