// Package relay makes mail servers for tests that negotiate and accept no e-mail.
package relay

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
)

// New starts a mail server that responds to EHLO with extensions, for one client and until the test ends, and returns
// its address. Without extensions it does not respond.
func New(t testing.TB, extensions ...string) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		if len(extensions) > 0 {
			_, _ = fmt.Fprint(conn, "220 here\r\n")
		}
		lines := bufio.NewScanner(conn)
		for lines.Scan() {
			switch verb, _, _ := strings.Cut(lines.Text(), " "); {
			case verb == "EHLO" && len(extensions) > 0:
				_, _ = fmt.Fprintf(conn, "250-%s\r\n250 OK\r\n", strings.Join(extensions, "\r\n250-"))
			case verb == "QUIT":
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = ln.Close()
		<-done
	})
	return ln.Addr().String()
}
