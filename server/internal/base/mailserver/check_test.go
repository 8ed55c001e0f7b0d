package mailserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"clave/server/internal/base/mailserver"
)

// relay is a mail server that responds to EHLO with extensions, until the test ends. With none it does not respond.
func relay(t *testing.T, extensions ...string) (address string) {
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
		if len(extensions) > 0 {
			fmt.Fprint(conn, "220 here\r\n")
		}
		lines := bufio.NewScanner(conn)
		for lines.Scan() {
			switch verb, _, _ := strings.Cut(lines.Text(), " "); {
			case verb == "EHLO" && len(extensions) > 0:
				fmt.Fprintf(conn, "250-%s\r\n250 OK\r\n", strings.Join(extensions, "\r\n250-"))
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

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name, url string
		want      error
	}{
		{"STARTTLS", "smtp://" + relay(t, "here", "PIPELINING", "STARTTLS") + "?from=a@b.do", nil},
		{"no STARTTLS", "smtp://u:hunter2@" + relay(t, "here", "PIPELINING", "AUTH PLAIN") + "?from=a@b.do", mailserver.ErrNoEncryption},
		{"no STARTTLS, none required", "smtp://" + relay(t, "here", "PIPELINING") + "?from=a@b.do&insecure=1", nil},
		{"TLS from the start", "smtps://127.0.0.1:1?from=a@b.do", nil},
	} {
		if err := mailserver.Check(t.Context(), tt.url); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestCheckOfAServerThatIsNotThere checks servers that refuse the connection or do not respond.
func TestCheckOfAServerThatIsNotThere(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := ln.Addr().String()
	_ = ln.Close()
	if err := mailserver.Check(t.Context(), "smtp://u:hunter2@"+gone+"?from=a@b.do"); err == nil || errors.Is(err, mailserver.ErrNoEncryption) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a server that is not there: %v, want an error without the password", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := mailserver.Check(ctx, "smtp://"+relay(t)+"?from=a@b.do"); err == nil {
		t.Error("a server that does not respond: no error")
	}
}
