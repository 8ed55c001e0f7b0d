package ports

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
)

// TestPortsInUse opens a port that another program has: a default port is replaced by another one, which is noted, and
// the error for one that was asked for names a remedy.
func TestPortsInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	var notices strings.Builder
	open := func(loose ...string) (net.Listener, error) {
		return Open(&config.Config{Loose: loose}, "auth", "127.0.0.1", port, &notices)
	}
	_, err = open()
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "for auth is taken by another program") || notices.Len() != 0 {
		t.Errorf("Open of a port in use = %v, want UNAVAILABLE with a remedy; notices %q", err, notices.String())
	}
	ln, err := open("auth")
	if err != nil {
		t.Fatal(err)
	}
	if want := "Port " + strconv.Itoa(port) + " for auth is taken; using "; !strings.HasPrefix(notices.String(), want) {
		t.Errorf("the notice is %q, want %q", notices.String(), want)
	}
	for range 2 { // its server may have closed it already
		if err := Closer(ln)(); err != nil {
			t.Errorf("Closer = %v", err)
		}
	}
}
