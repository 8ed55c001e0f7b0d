package events

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/fault"
)

// The secrets of the tests.
const (
	fileSecret        = "pablito clavó un clavito"
	environmentSecret = "el perro de san roque no tiene"
)

// readText reads an events file with a text.
func readText(t *testing.T, text string) ([]*Spec, error) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"events.json": text, "secret": "whsec_" + base64.StdEncoding.EncodeToString([]byte(fileSecret)) + "\n", "weak": strings.Repeat("QUJD", 10), "short": "abc"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"EVENTS_SECRET": environmentSecret}
	return ReadFile(filepath.Join(dir, "events.json"), "p", func(name string) string { return env[name] })
}

func TestReadFile(t *testing.T) {
	specs, err := readText(t, `{"triggers": [
		{"name": "a", "event": "written", "document": "orders/{id}", "url": "https://a.example/events?key=hidden", "oidc": {}, "timeout": "5s", "concurrency": 3, "attempts": 4, "age": "2h"},
		{"name": "b", "event": "created.withAuthContext", "database": "other", "url": "http://localhost:8081/", "hmac": {"secretFile": "secret"}, "content": "application/json"},
		{"name": "c", "event": "deleted", "url": "http://10.0.0.1/", "unencrypted": true, "hmac": {"secretEnv": "EVENTS_SECRET"}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := specs[0], specs[1], specs[2]
	if a.audience != "https://a.example/events?key=hidden" || a.timeout != 5*time.Second || a.parallel != 3 || a.attempts != 4 || a.age != 2*time.Hour || a.asJSON {
		t.Errorf("a = %+v", a)
	}
	if text := a.String(); text != "a to https://a.example/events" {
		t.Errorf("a is shown as %q", text)
	}
	if !b.asJSON || b.trigger.Database().ID != "other" || !bytes.Equal(b.secret, []byte(fileSecret)) || b.parallel != defaultParallel {
		t.Errorf("b = %+v", b)
	}
	if string(c.secret) != environmentSecret {
		t.Errorf("c has the secret %q", c.secret)
	}
}

func TestReadFileRefuses(t *testing.T) {
	for want, text := range map[string]string{
		"unknown field":                 `{"triggers": [{"name": "a", "evnt": "written"}]}`,
		"name of a-z":                   `{"triggers": [{"name": "A b"}]}`,
		"unknown event":                 `{"triggers": [{"name": "a", "event": "changed", "url": "https://a.example/"}]}`,
		"not encrypted":                 `{"triggers": [{"name": "a", "event": "written", "url": "http://a.example/"}]}`,
		"expected a url":                `{"triggers": [{"name": "a", "event": "written", "url": "https://user:password@a.example/"}]}`,
		"another trigger has this name": `{"triggers": [{"name": "a", "event": "written", "url": "https://a.example/"}, {"name": "a", "event": "written", "url": "https://a.example/"}]}`,
		"document pattern":              `{"triggers": [{"name": "a", "event": "written", "url": "https://a.example/", "document": "a/{b"}]}`,
		"at least 24 bytes":             `{"triggers": [{"name": "a", "event": "written", "url": "https://a.example/", "hmac": {"secretFile": "short"}}]}`,
		"easy to guess":                 `{"triggers": [{"name": "a", "event": "written", "url": "https://a.example/", "hmac": {"secretFile": "weak"}}]}`,
		"hmac.secretFile":               `{"triggers": [{"name": "a", "event": "written", "url": "https://a.example/", "hmac": {"secretFile": "nowhere"}}]}`,
		"secretFile or":                 `{"triggers": [{"name": "a", "event": "written", "url": "https://a.example/", "hmac": {}}]}`,
		"timeout":                       `{"triggers": [{"name": "a", "event": "written", "url": "https://a.example/", "timeout": "an hour"}]}`,
		"concurrency":                   `{"triggers": [{"name": "a", "event": "written", "url": "https://a.example/", "concurrency": 1000}]}`,
		"application/protobuf":          `{"triggers": [{"name": "a", "event": "written", "url": "https://a.example/", "content": "text/plain"}]}`,
		"unexpected end of JSO":         `{"triggers": [`,
	} {
		if _, err := readText(t, text); err == nil || fault.CodeOf(err) == fault.Internal || !strings.Contains(fault.FromError(err).Message, want) && !strings.Contains(want, "unexpected end") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzParse parses any text. An accepted file must have all settings of a receiver.
func FuzzParse(f *testing.F) {
	f.Add(`{"triggers": [{"name": "a", "event": "written", "document": "a/{b=**}", "url": "https://a.example/", "age": "1h"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		specs, err := parse([]byte(text), "p", func(string, string) ([]byte, error) { return make([]byte, minSecret), nil })
		for _, s := range specs {
			if err != nil || s.trigger == nil || s.target == nil || s.timeout <= 0 || s.age <= 0 || s.parallel <= 0 || s.attempts <= 0 {
				t.Errorf("%q: %+v, %v", text, s, err)
			}
		}
	})
}

// FuzzRecords parses any bytes as keys and records.
func FuzzRecords(f *testing.F) {
	f.Add([]byte("12345678rooms/a"), []byte(`{"header": {"Ce-Id": ["x"]}, "size": 3}`))
	f.Fuzz(func(t *testing.T, key, text []byte) {
		p, err := placeOf(key)
		if again := p.key("", "a"); err == nil && !bytes.Equal(again[2:], key) {
			t.Errorf("key %q comes back as %q", key, again)
		}
		_ = json.Unmarshal(text, &meta{}) // does not panic
	})
}

func TestProgress(t *testing.T) {
	var p progress
	a, b := p.begin(10, 2), p.begin(20, 1)
	p.begin(30, 0)
	c := p.begin(40, 1)
	want := func(v int64) {
		t.Helper()
		if int64(p.upto) != v {
			t.Errorf("complete until %d, want %d", p.upto, v)
		}
	}
	want(0)
	p.end(b)
	p.end(a)
	want(0)
	p.end(a)
	want(30)
	p.end(c)
	want(40)
}

func TestPause(t *testing.T) {
	for attempts, most := range map[int]time.Duration{1: firstPause, 2: 2 * firstPause, 5: 16 * firstPause, 20: maxPause, 1000: maxPause} {
		for range 100 {
			if d := pause(attempts); d < most/2 || d > most {
				t.Errorf("pause(%d) = %v, want %v to %v", attempts, d, most/2, most)
			}
		}
	}
}
