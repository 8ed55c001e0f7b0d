package main

import (
	"strings"
	"testing"

	"clave/server/test/kit/relay"
)

// TestARelayWithoutSTARTTLSIsFoundAtTheStart starts a server whose mail server could send no e-mail.
func TestARelayWithoutSTARTTLSIsFoundAtTheStart(t *testing.T) {
	t.Chdir(t.TempDir())
	code, text := output(t, "start", "--memory", "--project", "demo-mail", "--mail", "smtp://u:hunter2@"+relay.New(t, "here", "PIPELINING")+"?from=a@b.do")
	if code != 1 || !strings.Contains(text, "STARTTLS") || strings.Contains(text, "hunter2") {
		t.Errorf("clave start: %d %q, want 1 and STARTTLS, without the password", code, text)
	}
}
