package rate_test

import (
	"net/netip"
	"testing"

	"clave/server/internal/limit/rate"
)

func TestNetwork(t *testing.T) {
	tests := []struct{ address, want string }{
		{"192.0.2.7", "192.0.2.7/32"},
		{"::ffff:192.0.2.7", "192.0.2.7/32"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"fe80::1%eth0", "fe80::/64"},
	}
	for _, tt := range tests {
		if got := rate.Network(netip.MustParseAddr(tt.address)).String(); got != tt.want {
			t.Errorf("Network(%s) = %s, want %s", tt.address, got, tt.want)
		}
	}
	if got := rate.Network(netip.Addr{}); got != (netip.Prefix{}) {
		t.Errorf("Network of an invalid address = %v, want the zero Prefix", got)
	}
}
