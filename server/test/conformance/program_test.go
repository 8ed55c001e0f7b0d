package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"
	testprogram "clave/server/test/kit/program"
)

// addresses has the addresses of a started program.
type addresses struct{ firestore, auth string }

// start starts the program with flags, without rules and with the indexes of the recorded project, and waits until it
// answers. By default it runs in memory. If CLAVE_NODES is set, it runs as three nodes on one PostgreSQL, and requests
// go to the nodes in turn.
func start(t *testing.T, flags ...string) addresses {
	t.Helper()
	if os.Getenv("CLAVE_NODES") == "" {
		at := startOne(t, "", append([]string{"--memory"}, flags...))
		return addresses{"http://" + at.firestore, "http://" + at.auth}
	}
	store := pgtest.New(t).Database()
	var firestores, auths []string
	for range 3 {
		at := startOne(t, store, flags)
		firestores, auths = append(firestores, at.firestore), append(auths, at.auth)
	}
	return addresses{"http://" + link.NewBalancer(t, 0, firestores...).Addr(), "http://" + link.NewBalancer(t, 0, auths...).Addr()}
}

// startOne starts one program, waits until it answers, and returns its addresses. A non-empty store is the URL of its
// database.
func startOne(t *testing.T, store string, flags []string) addresses {
	t.Helper()
	path, err := testprogram.Clave()
	if err != nil {
		t.Fatal(err)
	}
	dir, ports := t.TempDir(), testprogram.FreePorts(t, 3)
	indexes, err := os.ReadFile("testdata/indexes.json")
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`{"firestore": {"indexes": "indexes.json"}, "emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}}}`, ports[0], ports[1], ports[2])
	for name, text := range map[string]string{"indexes.json": string(indexes), "firebase.json": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const limit = 10 * time.Minute // of the whole test, in case the program hangs
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	cmd := exec.CommandContext(ctx, path, append([]string{"start", "--only", "firestore,auth"}, flags...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if store != "" {
		cmd.Env = append(os.Environ(), "CLAVE_STORE="+store)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
	at := addresses{fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[2])}
	if err := testprogram.AwaitHealth(ctx, at.firestore); err != nil {
		t.Fatalf("%v does not answer: %v", cmd.Args, err)
	}
	return at
}

// object is a JSON object.
type object = map[string]any

// dig returns the value at a path in earlier answers. $claims decodes a JWT.
func dig(t *testing.T, answers map[string]any, path string) any {
	t.Helper()
	parts := strings.Split(path, ".")
	v := answers[parts[0]]
	for _, name := range parts[1:] {
		switch in := v.(type) {
		case object:
			v = in[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(in) {
				t.Fatalf("no element at %s", path)
			}
			v = in[i]
		case string:
			if name == "$claims" {
				v = claimsOf(in)
			}
		default:
			v = nil
		}
	}
	if v == nil {
		t.Fatalf("an earlier answer has nothing at %s", path)
	}
	return v
}

// replaced returns a copy of a value with replacements. by returns a replacement and true, or false. It is called for a
// list or an object before its elements.
func replaced(v any, by func(v any) (any, bool)) any {
	if other, ok := by(v); ok {
		return other
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = replaced(v[i], by)
		}
		return out
	case object:
		out := make(object, len(v))
		for k, e := range v {
			out[k] = replaced(e, by)
		}
		return out
	}
	return v
}

// answer is the answer of a server.
type answer struct {
	status int
	text   string
	// json is the decoded body, or nil if it is not JSON. Numbers are json.Number.
	json any
	took time.Duration
}

// httpError returns the error of an answer: its own, or that of the first list element with an error.
func (a answer) httpError() object {
	list, ok := a.json.([]any)
	if !ok {
		list = []any{a.json}
	}
	for _, e := range list {
		if o, ok := e.(object); ok {
			if err, ok := o["error"].(object); ok {
				return err
			}
		}
	}
	return nil
}

// send sends a request. A body that is not a string is encoded as JSON.
func send(ctx context.Context, method, url string, body any, header http.Header) (answer, error) {
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(body)
	default:
		text, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		reader = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, url, reader)
	if err != nil {
		return answer{}, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		r.Header[name] = values
	}
	began := time.Now()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{status: res.StatusCode, text: string(text), took: time.Since(began)}
	if decode(text, &a.json) != nil {
		a.json = nil
	}
	return a, nil
}

// decode decodes JSON and keeps the spelling of numbers.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("more than one value")
	}
	return nil
}

// load decodes a file of testdata.
func load(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := decode(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// bearer returns the header of a bearer token.
func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// short formats a value for a message.
func short(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	const longest = 200
	if len(text) > longest {
		return string(text[:longest]) + "…"
	}
	return string(text)
}

// sameNumber reports whether two JSON numbers are equal.
func sameNumber(a, b json.Number) bool {
	x, errX := a.Float64()
	y, errY := b.Float64()
	return a == b || errX == nil && errY == nil && x == y
}
