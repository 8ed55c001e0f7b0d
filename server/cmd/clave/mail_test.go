package main

import (
	"io"
	"net"
	"strings"
	"testing"
)

// TestARelayWithoutSTARTTLSIsFoundAtTheStart starts a server whose mail server could send no e-mail.
func TestARelayWithoutSTARTTLSIsFoundAtTheStart(t *testing.T) {
	t.Chdir(t.TempDir())
	code, text := output(t, "start", "--memory", "--project", "demo-mail", "--mail", "smtp://u:hunter2@"+plainRelay(t)+"?from=a@b.do")
	if code != 1 || !strings.Contains(text, "STARTTLS") || strings.Contains(text, "hunter2") {
		t.Errorf("clave start: %d %q, want 1 and STARTTLS, without the password", code, text)
	}
}

// plainRelay is a mail server that offers no STARTTLS to its one client, until the test ends.
func plainRelay(t *testing.T) (address string) {
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
		defer conn.Close()
		_, _ = io.WriteString(conn, "220 here\r\n250-here\r\n250 PIPELINING\r\n")
		_, _ = io.Copy(io.Discard, conn)
	}()
	t.Cleanup(func() {
		_ = ln.Close()
		<-done
	})
	return ln.Addr().String()
}
