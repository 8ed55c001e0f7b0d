package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"clave/server/test/kit/relay"
)

// TestARelayWithoutSTARTTLSIsFoundAtTheStart starts a service whose mail server could send no e-mail.
func TestARelayWithoutSTARTTLSIsFoundAtTheStart(t *testing.T) {
	env := map[string]string{
		"ADMIN_SIGNUP_CODE": code, "MAIL_URL": "smtp://u:hunter2@" + relay.New(t, "here", "PIPELINING") + "?from=a@b.do", "PUBLIC_URL": "https://www.example.org",
		"UNSUBSCRIBE_KEY": "la clave de los enlaces de baja!",
	}
	err := run(t.Context(), []string{"--project", "p"}, func(name string) string { return env[name] }, io.Discard, io.Discard)
	if got := fmt.Sprint(err); !strings.Contains(got, "STARTTLS") || strings.Contains(got, "hunter2") {
		t.Errorf("the service: %s, want STARTTLS without the password", got)
	}
}
