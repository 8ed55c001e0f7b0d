package encoding_test

import (
	"testing"

	"clave/server/internal/httpx/encoding"
)

func TestAccepts(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "br, gzip": true, "gzip;q=0.5": true, "gzip; q=0": false, "gzip;Q=0.000": false, "gzip;q=0.001": true, "xgzip": false, "*": false,
	} {
		if got := encoding.Accepts(header, "gzip"); got != want {
			t.Errorf("Accepts(%q, gzip) = %t, want %t", header, got, want)
		}
	}
}
