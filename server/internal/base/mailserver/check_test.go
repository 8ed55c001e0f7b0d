package mailserver_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"clave/server/internal/base/mailserver"
	"clave/server/test/kit/relay"
)

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name, url string
		want      error
	}{
		{"STARTTLS", "smtp://" + relay.New(t, "here", "PIPELINING", "STARTTLS") + "?from=a@b.do", nil},
		{"no STARTTLS", "smtp://u:hunter2@" + relay.New(t, "here", "PIPELINING", "AUTH PLAIN") + "?from=a@b.do", mailserver.ErrNoEncryption},
		{"no STARTTLS, none required", "smtp://" + relay.New(t, "here", "PIPELINING") + "?from=a@b.do&insecure=1", nil},
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
	if err := mailserver.Check(ctx, "smtp://"+relay.New(t)+"?from=a@b.do"); err == nil {
		t.Error("a server that does not respond: no error")
	}
}
