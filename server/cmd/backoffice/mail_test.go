package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// TestARelayWithoutSTARTTLSIsFoundAtTheStart starts a service whose mail server could send no e-mail.
func TestARelayWithoutSTARTTLSIsFoundAtTheStart(t *testing.T) {
	env := map[string]string{
		"ADMIN_SIGNUP_CODE": code, "MAIL_URL": "smtp://u:hunter2@" + plainRelay(t) + "?from=a@b.do", "PUBLIC_URL": "https://www.example.org",
		"UNSUBSCRIBE_KEY": "la clave de los enlaces de baja!",
	}
	err := run(t.Context(), []string{"--project", "p"}, func(name string) string { return env[name] }, io.Discard, io.Discard)
	if got := fmt.Sprint(err); !strings.Contains(got, "STARTTLS") || strings.Contains(got, "hunter2") {
		t.Errorf("the service: %s, want STARTTLS without the password", got)
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
