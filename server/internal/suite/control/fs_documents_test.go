package control_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/authz/authztest"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/suite/control"
)

// documents serves the control routes of an empty in-memory database, and returns its authorizer.
func documents(t *testing.T) (http.Handler, *authz.Authorizer) {
	t.Helper()
	az, _ := authztest.Open(t, authz.RulesetsOptions{})
	return control.New(control.Options{Authorizer: az}), az
}

// request sends a request and returns the status and the body.
func exchange(t *testing.T, h http.Handler, method, path, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
	return w.Code, w.Body.String()
}

// server is a caller whose access is not restricted by rules.
var server = token.Caller{Privileged: true, Project: "p"}

// set writes the document c/a with a field n.
func set(t *testing.T, az *authz.Authorizer, db resource.Database, n int) {
	t.Helper()
	w := document.Write{Name: resource.Document{DB: db, Path: "c/a"}, Fields: value.Map{"n": value.Int(n)}}
	if _, err := az.Commit(t.Context(), server, db, request.Commit{Writes: []document.Write{w}}); err != nil {
		t.Fatal(err)
	}
}

// stored returns the field n of the document c/a, or nil.
func stored(t *testing.T, az *authz.Authorizer, db resource.Database) value.Value {
	t.Helper()
	var n value.Value
	err := az.Get(t.Context(), server, db, []resource.Document{{DB: db, Path: "c/a"}}, request.At{}, func(authz.Snapshot) error { return nil },
		func(_ resource.Document, d *document.Document) error {
			if d != nil {
				n = d.Fields["n"]
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestClearDeletesOneDatabase(t *testing.T) {
	h, az := documents(t)
	db, other := resource.Database{Project: "p", ID: "(default)"}, resource.Database{Project: "p", ID: "other"}
	set(t, az, db, 1)
	set(t, az, other, 2)
	for _, path := range []string{"/emulator/v1/projects/%FF/databases/d/documents", "/emulator/v1/projects/p/databases/a%2Fb/documents"} {
		if status, body := exchange(t, h, "DELETE", path, ""); status != 400 {
			t.Errorf("DELETE %s: %d %s, want 400", path, status, body)
		}
	}
	if status, body := exchange(t, h, "DELETE", "/emulator/v1/projects/p/databases/%28default%29/documents", ""); status != 200 || strings.TrimSpace(body) != "{}" {
		t.Errorf("clear: %d %s", status, body)
	}
	if n := stored(t, az, db); n != nil {
		t.Errorf("after the clear n = %v", n)
	}
	if n := stored(t, az, other); n != value.Int(2) {
		t.Errorf("in the other database n = %v, want 2", n)
	}
}

func TestSnapshotsAreRestored(t *testing.T) {
	h, az := documents(t)
	db := resource.Database{Project: "p", ID: "(default)"}
	set(t, az, db, 1)
	status, body := exchange(t, h, "POST", "/emulator/v1/projects/p:snapshot", "")
	var kept struct{ Token string }
	if err := json.Unmarshal([]byte(body), &kept); status != 200 || err != nil || kept.Token == "" {
		t.Fatalf("snapshot: %d %s, %v", status, body, err)
	}
	for i := range 2 {
		set(t, az, db, 10+i)
		if status, body := exchange(t, h, "POST", "/emulator/v1/projects/p:restore", body); status != 200 {
			t.Fatalf("restore %d: %d %s", i, status, body)
		}
		if n := stored(t, az, db); n != value.Int(1) {
			t.Errorf("restored %d times, n = %v, want 1", i+1, n)
		}
	}
	for _, wrong := range []struct {
		path, body string
		status     int
	}{
		{"/emulator/v1/projects/p:restore", `{"token":"nope"}`, 404},
		{"/emulator/v1/projects/other:restore", body, 404},
		{"/emulator/v1/projects/p:restore", `{`, 400},
		{"/emulator/v1/projects/p:nope", `{}`, 404},
		{"/emulator/v1/projects/p:release", body, 200},
		{"/emulator/v1/projects/p:restore", body, 404},
	} {
		if status, answer := exchange(t, h, "POST", wrong.path, wrong.body); status != wrong.status {
			t.Errorf("%s %s: %d %s, want %d", wrong.path, wrong.body, status, answer, wrong.status)
		}
	}
}

// TestNamedSnapshots keeps states under names, which are bounded, replaced, and dropped with their project.
func TestNamedSnapshots(t *testing.T) {
	h, az := documents(t)
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	post := func(verb, body string, want int) string {
		t.Helper()
		status, text := exchange(t, h, http.MethodPost, "/emulator/v1/projects/p:"+verb, body)
		if status != want {
			t.Errorf("%s %s = %d %s, want %d", verb, body, status, text, want)
		}
		return text
	}
	set(t, az, db, 1)
	post("snapshot", `{"name": "a"}`, http.StatusOK)
	set(t, az, db, 2)
	post("snapshot", `{"name": "a"}`, http.StatusOK)
	set(t, az, db, 3)
	post("restore", `{"name": "a"}`, http.StatusOK)
	if got := stored(t, az, db); got != value.Int(2) {
		t.Errorf("n = %v after restore, want that of the later snapshot", got)
	}
	post("restore", `{"name": "b"}`, http.StatusNotFound)
	post("restore", `{}`, http.StatusBadRequest)
	post("restore", `{"name": "a", "token": "x"}`, http.StatusBadRequest)
	post("snapshot", `{"name": "`+strings.Repeat("x", 129)+`"}`, http.StatusBadRequest)
	for i := range 49 {
		post("snapshot", `{"name": "n`+strconv.Itoa(i)+`"}`, http.StatusOK)
	}
	post("snapshot", `{"name": "one more"}`, http.StatusTooManyRequests)
	post("release", `{"name": "a"}`, http.StatusOK)
	post("restore", `{"name": "a"}`, http.StatusNotFound)
	if status, text := exchange(t, h, http.MethodDelete, "/emulator/v1/projects/p", ""); status != http.StatusOK {
		t.Fatalf("dropping the project: %d %s", status, text)
	}
	post("restore", `{"name": "n1"}`, http.StatusNotFound)
}
