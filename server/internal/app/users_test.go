package app

import "testing"

func TestLinkOrigin(t *testing.T) {
	for address, want := range map[string]string{
		"": "", "127.0.0.1:9099": "http://127.0.0.1:9099", "0.0.0.0:9099": "http://127.0.0.1:9099", "[::]:9099": "http://[::1]:9099", "192.0.2.1:80": "http://192.0.2.1:80",
	} {
		if got := linkOrigin(address); got != want {
			t.Errorf("linkOrigin(%q) = %q, want %q", address, got, want)
		}
	}
}
