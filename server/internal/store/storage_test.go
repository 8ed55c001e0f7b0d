package store_test

import (
	"bytes"
	"testing"

	"clave/server/internal/store"
)

func TestPrefixEnd(t *testing.T) {
	tests := []struct{ in, want []byte }{
		{[]byte("a"), []byte("b")},
		{[]byte("a\xff"), []byte("b")},
		{[]byte("a\xff\x00"), []byte("a\xff\x01")},
		{[]byte("\xff\xff"), nil},
		{nil, nil},
	}
	for _, tt := range tests {
		if got := store.PrefixEnd(tt.in); !bytes.Equal(got, tt.want) || (got == nil) != (tt.want == nil) {
			t.Errorf("PrefixEnd(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
