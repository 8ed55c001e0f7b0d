package identity

import "testing"

func TestLastHop(t *testing.T) {
	tests := []struct {
		name   string
		values []string
		want   string
	}{
		{"no header", nil, ""},
		{"one proxy", []string{"192.0.2.9"}, "192.0.2.9"},
		{"a proxy that adds to a forged header", []string{"10.0.0.1, 192.0.2.9"}, "192.0.2.9"},
		{"a proxy that adds a header after a forged one", []string{"10.0.0.1", "192.0.2.9"}, "192.0.2.9"},
		{"both", []string{"10.0.0.1", "10.0.0.2,192.0.2.9 "}, "192.0.2.9"},
		{"an empty header", []string{""}, ""},
	}
	for _, tt := range tests {
		if got := lastHop(tt.values); got != tt.want {
			t.Errorf("%s: lastHop(%q) = %q, want %q", tt.name, tt.values, got, tt.want)
		}
	}
}

// TestPortsAreNoAddresses reads addresses as proxies write them: a client's connections, each from another port, have one address.
func TestPortsAreNoAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.9": "192.0.2.9", "192.0.2.9:50123": "192.0.2.9", "2001:db8::9": "2001:db8::9", "[2001:db8::9]": "2001:db8::9",
		"[2001:db8::9]:50123": "2001:db8::9", "": "", "unknown": "unknown",
	} {
		if got := withoutPort(in); got != want {
			t.Errorf("withoutPort(%q) = %q, want %q", in, got, want)
		}
	}
}
