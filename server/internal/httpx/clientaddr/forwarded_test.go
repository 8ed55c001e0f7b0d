package clientaddr_test

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"clave/server/internal/httpx/clientaddr"
)

func TestClient(t *testing.T) {
	tests := []struct {
		name, remote string
		values       []string
		hops         int
		want         string
	}{
		{"no proxy", "192.0.2.1:4711", nil, 0, "192.0.2.1"},
		{"a header without a trusted proxy", "192.0.2.1:4711", []string{"198.51.100.7"}, 0, "192.0.2.1"},
		{"one proxy", "192.0.2.1:4711", []string{"198.51.100.7"}, 1, "198.51.100.7"},
		{"one proxy that adds to a forged header", "192.0.2.1:4711", []string{"10.0.0.1, 198.51.100.7"}, 1, "198.51.100.7"},
		{"one proxy that adds a header after a forged one", "192.0.2.1:4711", []string{"10.0.0.1", "198.51.100.7"}, 1, "198.51.100.7"},
		{"two proxies", "192.0.2.1:4711", []string{"10.0.0.1, 198.51.100.7, 203.0.113.1"}, 2, "198.51.100.7"},
		{"two proxies, two headers", "192.0.2.1:4711", []string{"10.0.0.1, 198.51.100.7", "203.0.113.1"}, 2, "198.51.100.7"},
		{"a request that passed one of two proxies", "192.0.2.1:4711", []string{"198.51.100.7"}, 2, "192.0.2.1"},
		{"an entry with a port", "192.0.2.1:4711", []string{"198.51.100.7:50123"}, 1, "198.51.100.7"},
		{"IPv6", "[2001:db8::1]:4711", []string{"2001:db8::7"}, 1, "2001:db8::7"},
		{"IPv6 in brackets", "192.0.2.1:4711", []string{"[2001:db8::7]"}, 1, "2001:db8::7"},
		{"IPv6 in brackets with a port", "192.0.2.1:4711", []string{"[2001:db8::7]:50123"}, 1, "2001:db8::7"},
		{"IPv4 as IPv6", "[::ffff:192.0.2.1]:4711", nil, 0, "192.0.2.1"},
		{"a zone", "[fe80::1%eth0]:4711", nil, 0, "fe80::1"},
		{"a connection without a port", "192.0.2.1", nil, 0, "192.0.2.1"},
		{"a proxy that hides the client", "192.0.2.1:4711", []string{"unknown"}, 1, "192.0.2.1"},
		{"empty entries", "192.0.2.1:4711", []string{" , 198.51.100.7, ,", ""}, 1, "198.51.100.7"},
		{"an empty header", "192.0.2.1:4711", []string{""}, 1, "192.0.2.1"},
		{"a pipe", "pipe", nil, 1, "invalid IP"},
	}
	for _, tt := range tests {
		if got := clientaddr.Client(tt.remote, tt.values, tt.hops); got.String() != tt.want {
			t.Errorf("%s: Client(%q, %q, %d) = %v, want %s", tt.name, tt.remote, tt.values, tt.hops, got, tt.want)
		}
	}
}

func TestScheme(t *testing.T) {
	tests := []struct {
		name  string
		tls   bool
		proto []string
		hops  int
		want  string
	}{
		{"plain", false, nil, 0, "http"},
		{"TLS", true, nil, 0, "https"},
		{"a forged header", false, []string{"https"}, 0, "http"},
		{"a proxy", false, []string{"https"}, 1, "https"},
		{"a proxy that appends", false, []string{"https, http"}, 1, "http"},
		{"two proxies of which one replaces", false, []string{"https"}, 2, "https"},
		{"capitals", false, []string{"HTTPS"}, 1, "https"},
	}
	for _, tt := range tests {
		r := &http.Request{Header: http.Header{"X-Forwarded-Proto": tt.proto}}
		if tt.tls {
			r.TLS = &tls.ConnectionState{}
		}
		if got := clientaddr.Scheme(r, tt.hops); got != tt.want {
			t.Errorf("%s: Scheme = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzClient(f *testing.F) {
	f.Add("192.0.2.1:1", "198.51.100.7:50123, [2001:db8::7]", 1)
	f.Add("[fe80::1%eth0]:1", ",,", 2)
	f.Add("", "unknown", 3)
	f.Fuzz(func(t *testing.T, remote, header string, hops int) {
		own := clientaddr.Client(remote, nil, 0)
		got := clientaddr.Client(remote, []string{header}, hops)
		if own.IsValid() && !got.IsValid() {
			t.Errorf("Client(%q, %q, %d) is no address", remote, header, hops)
		}
		if got.Zone() != "" || got.Is4In6() {
			t.Errorf("Client(%q, %q, %d) = %v: not in its one form", remote, header, hops, got)
		}
		// Entries of a client in front of the trusted ones change nothing.
		if _, err := netip.ParseAddr(strings.TrimSpace(header)); err == nil && hops == 1 {
			if forged := clientaddr.Client(remote, []string{"10.9.8.7, " + header}, 1); forged != got {
				t.Errorf("a forged entry changed %v to %v", got, forged)
			}
		}
	})
}
