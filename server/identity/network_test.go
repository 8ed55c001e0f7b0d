package identity

import (
	"strings"
	"testing"
)

func TestNetworkKey(t *testing.T) {
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"one IPv4 address", "192.0.2.1", "192.0.2.1", true},
		{"two IPv4 addresses", "192.0.2.1", "192.0.2.2", false},
		{"IPv4 as IPv6", "192.0.2.1", "::ffff:192.0.2.1", true},
		{"one household's IPv6 addresses", "2001:db8::1", "2001:db8::ffff:2", true},
		{"two households", "2001:db8::1", "2001:db8:0:1::1", false},
		{"what is no address", "unknown", "other", false},
	}
	for _, tt := range tests {
		if got := networkKey(limitSignIn, tt.a) == networkKey(limitSignIn, tt.b); got != tt.same {
			t.Errorf("%s: %s and %s share a limit: %v, want %v", tt.name, tt.a, tt.b, got, tt.same)
		}
	}
	if networkKey(limitSignIn, "192.0.2.1") == networkKey(limitSignUp, "192.0.2.1") {
		t.Error("two actions of one address share a limit")
	}
	if got := accountKey(limitSignIn, strings.Repeat("a", 1<<20)); len(got) > 1<<10 {
		t.Errorf("the key of a long account has %d bytes", len(got))
	}
}
