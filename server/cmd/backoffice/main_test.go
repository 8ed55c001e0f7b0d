package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"clave/server/backoffice"
)

func TestRunRefusesWhatIsUnsafe(t *testing.T) {
	tests := []struct {
		name string
		args []string
		env  map[string]string
		want string
	}{
		{"no project", nil, map[string]string{"ADMIN_SIGNUP_CODE": "c"}, "project id"},
		{"no code", []string{"--project", "p"}, nil, "set ADMIN_SIGNUP_CODE"},
		{"the demonstration's code", []string{"--project", "p"}, map[string]string{"ADMIN_SIGNUP_CODE": backoffice.DemoCode}, "public"},
		{"half an emulator", []string{"--project", "p"}, map[string]string{"FIRESTORE_EMULATOR_HOST": "x", "ADMIN_SIGNUP_CODE": backoffice.DemoCode}, "public"},
		{"a word too many", []string{"serve"}, nil, "unexpected argument"},
		{"fewer than no proxies", []string{"--proxy-hops", "-1"}, nil, "negative"},
		{"a port that is none", []string{"--listen", "127.0.0.1:x", "--project", "p"}, map[string]string{"ADMIN_SIGNUP_CODE": "c"}, "listen on"},
	}
	for _, tt := range tests {
		err := run(t.Context(), tt.args, func(name string) string { return tt.env[name] }, io.Discard, io.Discard)
		if got := fmt.Sprint(err); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %q in it", tt.name, got, tt.want)
		}
	}
}

func TestRunServesUntilStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	env := map[string]string{"ADMIN_SIGNUP_CODE": "clave de sol", "GCLOUD_PROJECT": "p"}
	go func() {
		ended <- run(ctx, []string{"--listen", "127.0.0.1:0"}, func(name string) string { return env[name] }, writer, io.Discard)
	}()
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatal(errors.Join(err, <-ended))
	}
	url := strings.TrimSpace(line[strings.Index(line, "http"):])
	answer, err := http.Post(url+"/api/admin/codigo", "application/json", strings.NewReader(`{"code":"clave de sol"}`))
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
