package loopback_test

import (
	"testing"

	"clave/server/internal/httpx/loopback"
)

func TestIs(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.8.0.1": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "::": false, "10.0.0.1": false, "localhost.example.org": false, "127.0.0.1.example.org": false,
	} {
		if got := loopback.Is(host); got != want {
			t.Errorf("Is(%q) = %t, want %t", host, got, want)
		}
	}
}
