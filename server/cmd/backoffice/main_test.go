package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"clave/server/backoffice"
)

// code is a sign-up code that is valid in production.
const code = "clave de sol en segunda"

func TestRunRefusesUnsafeSettings(t *testing.T) {
	tests := []struct {
		name string
		args []string
		env  map[string]string
		want string
	}{
		{"no project", nil, map[string]string{"ADMIN_SIGNUP_CODE": "c"}, "project id"},
		{"a short code", []string{"--project", "p"}, map[string]string{"ADMIN_SIGNUP_CODE": "clave de sol"}, "16 characters"},
		{"demo data in production", []string{"--project", "p", "--seed", "."}, map[string]string{"ADMIN_SIGNUP_CODE": code}, "development servers"},
		{"a server without a key", []string{"--project", "p", "--server", "https://data.example.org"}, nil, "--credentials"},
		{"a server and an emulator", []string{"--project", "p", "--server", "https://data.example.org", "--credentials", "x"}, map[string]string{"FIREBASE_AUTH_EMULATOR_HOST": "x"}, "accept unsigned tokens"},
		{"a key that is not there", []string{"--project", "p", "--server", "https://data.example.org", "--credentials", "nowhere.json"}, nil, "nowhere.json"},
		{"an invalid key", []string{"--project", "p", "--server", "https://data.example.org", "--credentials", "main.go"}, nil, "main.go"},
		{"no code", []string{"--project", "p"}, nil, "set ADMIN_SIGNUP_CODE"},
		{"the demonstration's code", []string{"--project", "p"}, map[string]string{"ADMIN_SIGNUP_CODE": backoffice.DemoCode}, "public"},
		{"half an emulator", []string{"--project", "p"}, map[string]string{"FIRESTORE_EMULATOR_HOST": "x", "ADMIN_SIGNUP_CODE": backoffice.DemoCode}, "public"},
		{"a word too many", []string{"serve"}, nil, "unexpected argument"},
		{"fewer than no proxies", []string{"--proxy-hops", "-1"}, nil, "negative"},
		{"an invalid port", []string{"--listen", "127.0.0.1:x", "--project", "p"}, map[string]string{"ADMIN_SIGNUP_CODE": code}, "listen on"},
	}
	for _, tt := range tests {
		err := run(t.Context(), tt.args, func(name string) string { return tt.env[name] }, io.Discard, io.Discard)
		if got := fmt.Sprint(err); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %q in it", tt.name, got, tt.want)
		}
	}
}

// TestExitCodes expects different codes for a wrong command line and for a failure.
func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"--fly"}, exitUsage},
		{[]string{"serve"}, exitUsage},
		{[]string{"--proxy-hops", "-1"}, exitUsage},
		{[]string{"--project", "p", "--server", "https://data.example.org", "--credentials", "nowhere.json"}, exitFailure},
	} {
		err := run(t.Context(), tt.args, func(string) string { return "" }, io.Discard, io.Discard)
		if code := exitCode(err); code != tt.want {
			t.Errorf("backoffice %q: exit code %d (%v), want %d", tt.args, code, err, tt.want)
		}
	}
}

func TestRunServesUntilStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	env := map[string]string{"ADMIN_SIGNUP_CODE": code, "GCLOUD_PROJECT": "p"}
	go func() {
		ended <- run(ctx, []string{"--listen", "127.0.0.1:0"}, func(name string) string { return env[name] }, writer, io.Discard)
	}()
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatal(errors.Join(err, <-ended))
	}
	url := strings.TrimSpace(line[strings.Index(line, "http"):])
	answer, err := http.Post(url+"/api/admin/codigo", "application/json", strings.NewReader(`{"code":"`+code+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("the right code: %s, %v", answer.Status, err)
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	if err := <-ended; err != nil {
		t.Errorf("run ended with %v", err)
	}
}

func TestHelp(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"--help"}, func(string) string { return "" }, &out, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help ended with %v", err)
	}
	for _, want := range []string{"ADMIN_SIGNUP_CODE", "-proxy-hops", "-server", "-seed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("--help misses %s:\n%s", want, &out)
		}
	}
}

// TestCloudRun checks that the service listens on Cloud Run's port.
func TestCloudRun(t *testing.T) {
	s, err := parse([]string{"--project", "p"}, func(name string) string { return map[string]string{"PORT": "8080"}[name] }, io.Discard)
	if err != nil || s.listen != ":8080" {
		t.Errorf("with PORT=8080 the service listens on %q, %v", s.listen, err)
	}
}

// TestMail checks how MAIL_URL and PUBLIC_URL determine the sending of e-mails.
func TestMail(t *testing.T) {
	const server, key = "smtp://mail.example.org?from=a@b.do", "la clave de los enlaces de baja!"
	development := map[string]string{"FIREBASE_AUTH_EMULATOR_HOST": "x", "FIRESTORE_EMULATOR_HOST": "x"}
	for _, tt := range []struct {
		name        string
		development bool
		env         map[string]string
		sends       bool
		want        string
	}{
		{"production without a mail server", false, nil, false, ""},
		{"a development server without a mail server", true, nil, true, ""},
		{"a mail server", false, map[string]string{"MAIL_URL": server, "UNSUBSCRIBE_KEY": key, "PUBLIC_URL": "https://www.example.org"}, true, ""},
		{"no key", false, map[string]string{"MAIL_URL": server, "PUBLIC_URL": "https://www.example.org"}, false, "UNSUBSCRIBE_KEY"},
		{"no address", false, map[string]string{"MAIL_URL": server, "UNSUBSCRIBE_KEY": key}, false, "PUBLIC_URL"},
		{"an invalid address", false, map[string]string{"MAIL_URL": server, "UNSUBSCRIBE_KEY": key, "PUBLIC_URL": "www.example.org"}, false, "PUBLIC_URL"},
		{"an invalid mail server", true, map[string]string{"MAIL_URL": "mail.example.org"}, false, "MAIL_URL: the mail server must be"},
	} {
		env := func(name string) string {
			if value, ok := development[name]; ok && tt.development {
				return value
			}
			return tt.env[name]
		}
		s, err := parse([]string{"--project", "p"}, env, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		err = s.openMail(env, io.Discard)
		if tt.want == "" && err != nil || tt.want != "" && !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.want)
		}
		if got := s.options.Mail != nil && s.options.PublicURL != ""; got != tt.sends {
			t.Errorf("%s: sends e-mails = %v, want %v", tt.name, got, tt.sends)
		}
	}
}
