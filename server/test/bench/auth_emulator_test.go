package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
)

// TestAuthBesideTheEmulator runs the same calls against Clave, durable on disk, and against the official Auth emulator,
// in memory and warmed up, in turns. CLAVE_BENCH_FIREBASE is the path of firebase-tools' firebase.js.
func TestAuthBesideTheEmulator(t *testing.T) {
	tools := os.Getenv("CLAVE_BENCH_FIREBASE")
	if tools == "" {
		t.Skip("CLAVE_BENCH_FIREBASE is not set")
	}
	bin := buildClave(t)
	servers := []*authBeside{
		{name: "clave", run: func(config string) *exec.Cmd {
			return exec.Command(bin, "start", "--config", config, "--project", "demo-bench", "--only", "auth")
		}},
		{name: "clave signed", run: func(config string) *exec.Cmd {
			return exec.Command(bin, "start", "--config", config, "--project", "demo-bench", "--only", "auth", "--sign-tokens")
		}},
		{name: "clave memory", run: func(config string) *exec.Cmd {
			return exec.Command(bin, "start", "--config", config, "--project", "demo-bench", "--only", "auth", "--memory")
		}},
		{name: "emulator", run: func(config string) *exec.Cmd {
			return exec.Command("node", tools, "emulators:start", "--config", config, "--project", "demo-bench", "--only", "auth")
		}},
	}
	for _, s := range servers {
		s.start(t)
	}
	for _, op := range []string{"lookup", "refresh", "sign-in"} {
		for _, c := range []int{1, 16, 64} {
			for _, s := range servers {
				rate, cpu := s.repeat(t, op, c)
				t.Logf("%-8s c=%-2d %-13s %8.1f /s %7.0f µs CPU", op, c, s.name, rate, cpu)
			}
		}
	}
	for _, s := range servers {
		before := s.memory(t)
		s.fill(t, 100_000)
		t.Logf("%-13s RSS %d MiB, with 100,000 accounts %d MiB", s.name, before>>10, s.memory(t)>>10)
	}
}

// authBeside is one of the two compared servers.
type authBeside struct {
	*server
	*authServer
	name  string
	run   func(config string) *exec.Cmd
	calls map[string]func() error
}

// start starts the server, logs the time and processor time of the start, and creates a user.
func (s *authBeside) start(t *testing.T) {
	t.Helper()
	dir, address := t.TempDir(), freeAddress(t)
	file := filepath.Join(dir, "firebase.json")
	port := address[len("127.0.0.1:"):]
	text := fmt.Sprintf(`{"emulators": {"auth": {"host": "127.0.0.1", "port": %s}, "ui": {"enabled": false}, "hub": {"port": %s}, "logging": {"port": %s}}}`,
		port, freeAddress(t)[len("127.0.0.1:"):], freeAddress(t)[len("127.0.0.1:"):])
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := s.run(file)
	cmd.Dir = dir
	began := time.Now()
	s.server = start(t, cmd, address)
	s.authServer = &authServer{url: "http://" + address, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}}}
	user := map[string]any{"email": "a@example.com", "password": "secret1", "returnSecureToken": true}
	made, err := s.call(toolkit+"signUp", user)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%-13s answers after %.2f s and %.2f s CPU", s.name, time.Since(began).Seconds(), float64(s.ticks(t))/100)
	s.calls = map[string]func() error{
		"sign-in": func() error { _, err := s.call(toolkit+"signInWithPassword", user); return err },
		"lookup": func() error {
			_, err := s.call(toolkit+"lookup", map[string]any{"idToken": made["idToken"]})
			return err
		},
		"refresh": func() error {
			_, err := s.call(refresh, map[string]any{"grant_type": "refresh_token", "refresh_token": made["refreshToken"]})
			return err
		},
	}
}

// repeat runs c clients that repeat a call, after a second to warm up. It returns the rate and the server's processor
// time for each call in microseconds.
func (s *authBeside) repeat(t *testing.T, op string, c int) (rate, cpu float64) {
	t.Helper()
	work := times(c, func(context.Context, *firestore.Client) error { return s.calls[op]() })
	work(t, nil, time.Second)
	before, began := s.ticks(t), time.Now()
	rate = work(t, nil, duration())
	return rate, float64(s.ticks(t)-before) * tick / (rate * time.Since(began).Seconds())
}

// fill imports accounts.
func (s *authBeside) fill(t *testing.T, n int) {
	t.Helper()
	const batch = 1000
	for i := 0; i < n; i += batch {
		users := make([]map[string]any, batch)
		for j := range users {
			uid := fmt.Sprintf("user%06d", i+j)
			users[j] = map[string]any{"localId": uid, "email": uid + "@example.com", "passwordHash": "aGFzaA==", "salt": "c2FsdA=="}
		}
		body, err := json.Marshal(map[string]any{"users": users})
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			s.url+"/identitytoolkit.googleapis.com/v1/projects/demo-bench/accounts:batchCreate", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer owner")
		r.Header.Set("Content-Type", "application/json")
		answer, err := s.authServer.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Error []any }
		if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || answer.StatusCode != http.StatusOK || len(got.Error) > 0 {
			t.Fatalf("batchCreate: %s %v %v", answer.Status, err, got.Error)
		}
		_ = answer.Body.Close()
	}
}
