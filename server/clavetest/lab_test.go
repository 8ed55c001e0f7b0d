package clavetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/clavetest"
)

// TestFaults makes calls of the Go SDK fail: a read before it is served, and a write whose answer is lost.
func TestFaults(t *testing.T) {
	s, client := start(t)
	set(t, client, "notes/a")
	s.SetFaults(t, clavetest.Fault{Calls: "reads", Error: "ABORTED", Times: 1})
	if _, err := client.Doc("notes/a").Get(t.Context()); status.Code(err) != codes.Aborted {
		t.Errorf("the first read: %v, want ABORTED", err)
	}
	if _, err := client.Doc("notes/a").Get(t.Context()); err != nil {
		t.Errorf("the second read: %v", err)
	}
	s.SetFaults(t, clavetest.Fault{Calls: "writes", Lost: true, Times: 1, Error: "INTERNAL"})
	if _, err := client.Doc("notes/b").Create(t.Context(), map[string]any{"n": 1}); status.Code(err) != codes.Internal {
		t.Errorf("a write whose answer is lost: %v, want INTERNAL", err)
	}
	if _, err := client.Doc("notes/b").Get(t.Context()); err != nil {
		t.Errorf("the write did not happen: %v", err)
	}
	s.SetFaults(t, clavetest.Fault{Calls: "writes", Error: "INTERNAL"})
	s.EndFaults(t)
	set(t, client, "notes/c")
}

// TestFaultsOfAuth makes calls of Auth fail with an error of its API, loses the answer of a sign-up, and takes the
// project offline.
func TestFaultsOfAuth(t *testing.T) {
	s, _ := start(t)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // so that no request is repeated
	var authorization string                                                    // of servers
	signUp := func() string {
		t.Helper()
		at := "http://" + s.Auth + "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any"
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(`{"email": "ann@example.org", "password": "secret of ann"}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		if authorization != "" {
			request.Header.Set("Authorization", authorization)
		}
		answer, err := client.Do(request)
		if err != nil {
			return "no answer"
		}
		defer func() { _ = answer.Body.Close() }()
		var body struct {
			Error struct{ Message string }
		}
		if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
			return "broken"
		}
		return fmt.Sprint(answer.StatusCode, " ", body.Error.Message)
	}
	var got []string
	s.SetFaults(t, clavetest.Fault{Calls: "auth", Method: "signUp", Error: "TOO_MANY_ATTEMPTS_TRY_LATER", Times: 1}, clavetest.Fault{Calls: "auth", Error: "RESOURCE_EXHAUSTED", Times: 1})
	got = append(got, signUp(), signUp())
	s.SetFaults(t, clavetest.Fault{Offline: true})
	got = append(got, signUp())
	s.SetFaults(t, clavetest.Fault{Calls: "auth", Method: "lookup", Error: "INTERNAL"}, clavetest.Fault{Calls: "auth", Lost: true, Times: 1})
	got = append(got, signUp(), signUp())
	authorization = "Bearer owner"
	s.SetFaults(t, clavetest.Fault{Offline: true})
	got = append(got, signUp())
	want := []string{"400 TOO_MANY_ATTEMPTS_TRY_LATER", "429 Injected by a fault of the project.", "broken", "broken", "400 EMAIL_EXISTS", "no answer"}
	if !slices.Equal(got, want) {
		t.Errorf("the sign-ups end with %q, want %q", got, want)
	}
}

// TestStreamsDrop drops the stream of a live query of the Go SDK, also after a time, and takes the project offline: the
// SDK recovers each time and sees what was written meanwhile.
func TestStreamsDrop(t *testing.T) {
	s, client := start(t)
	snapshots := client.Collection("notes").Snapshots(t.Context())
	defer snapshots.Stop()
	await := func(size int) {
		t.Helper()
		for {
			got, err := snapshots.Next()
			if err != nil {
				t.Fatal(err)
			}
			if got.Size == size {
				return
			}
		}
	}
	await(0)
	if n := s.DropStreams(t, ""); n != 1 {
		t.Errorf("%d streams were dropped, want 1", n)
	}
	set(t, client, "notes/a")
	await(1)
	s.SetFaults(t, clavetest.Fault{Calls: "streams", After: 1, Times: 3})
	s.DropStreams(t, "INTERNAL")
	set(t, client, "notes/b")
	await(2)
	s.SetFaults(t, clavetest.Fault{Offline: true})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // the SDK repeats the read until then
	defer cancel()
	if _, err := client.Doc("notes/a").Get(ctx); err == nil {
		t.Error("a read offline succeeded")
	}
	s.EndFaults(t)
	set(t, client, "notes/c")
	await(3)
	s.SetFaults(t, clavetest.Fault{ReadOnly: true, Error: "INTERNAL"})
	if _, err := client.Doc("notes/a").Set(t.Context(), map[string]any{"n": 2}); status.Code(err) != codes.Internal {
		t.Errorf("a write while read-only: %v", err)
	}
	if _, err := client.Doc("notes/a").Get(t.Context()); err != nil {
		t.Errorf("a read while read-only: %v", err)
	}
}

// TestClock pins the clock of the project, advances it and resets it: server timestamps and the rules follow.
func TestClock(t *testing.T) {
	s, client := start(t)
	stamp := func(path string) time.Time {
		t.Helper()
		if _, err := client.Doc(path).Set(t.Context(), map[string]any{"at": firestore.ServerTimestamp}); err != nil {
			t.Fatal(err)
		}
		d, err := client.Doc(path).Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		at, _ := d.Data()["at"].(time.Time)
		return at
	}
	birthday := time.Date(2030, 2, 28, 23, 59, 0, 0, time.UTC)
	s.PinClock(t, birthday)
	if at := stamp("notes/a"); !at.Equal(birthday) {
		t.Errorf("pinned at %s, a server timestamp is %s", birthday, at)
	}
	s.Advance(t, 2*time.Minute)
	if at := stamp("notes/a"); !at.Equal(birthday.Add(2 * time.Minute)) {
		t.Errorf("advanced by two minutes, a server timestamp is %s", at)
	}
	past := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	s.SetClock(t, past)
	if at := stamp("notes/a"); at.Before(past) || at.After(past.Add(time.Hour)) {
		t.Errorf("set to %s, a server timestamp is %s", past, at)
	}
	s.ResetClock(t)
	if at := stamp("notes/a"); time.Since(at).Abs() > time.Hour {
		t.Errorf("after the reset, a server timestamp is %s", at)
	}
}

// TestRulesSeeTheClock lets rules compare the time of the request with that at which the clock stands still.
func TestRulesSeeTheClock(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "firestore.rules")
	if err := os.WriteFile(rules, []byte(`service cloud.firestore { match /databases/{d}/documents {
		match /{path=**} { allow read: if request.time == timestamp.date(2030, 1, 1); allow write: if request.time > timestamp.date(2030, 1, 1); }
	} }`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := clavetest.Start(t, clavetest.Options{RulesFile: rules})
	read := func() int {
		t.Helper()
		response, err := http.Get("http://" + s.Firestore + "/v1/projects/" + s.ProjectID + "/databases/(default)/documents/a/b")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	if got := read(); got != http.StatusForbidden {
		t.Errorf("a read now: %d", got)
	}
	s.PinClock(t, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	if got := read(); got != http.StatusNotFound {
		t.Errorf("a read in 2030: %d", got)
	}
}
