package triggers

import (
	"strings"
	"testing"
)

func TestPatternMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"c/{id}", "c/a", true},
		{"c/{id}", "c/a/s/b", false},
		{"c/{id}", "d/a", false},
		{"c/{id=*}", "c/a", true},
		{"c/*", "c/a", true},
		{"/c/{id}", "c/a", true},
		{"c/a", "c/a", true},
		{"c/a", "c/ab", false},
		{"c/pre*", "c/prefix", true},
		{"c/pre*", "c/other", false},
		{"c/*x*y", "c/axby", true},
		{"c/*x*y", "c/y", false},
		{"c/a*a", "c/a", false},
		{"c/{id}/s/{sub}", "c/a/s/b", true},
		{"{path=**}", "c/a/s/b", true},
		{"**", "c/a", true},
		{"c/{path=**}", "c/a/s/b", true},
		{"c/{path=**}/s/{sub}", "c/a/b/c/s/d", true},
		{"c/{path=**}/s/{sub}", "c/a/s/d", true},
		{"c/{path=**}/s/{sub}", "c/a/t/d", false},
		{"{a=**}/s/{b=**}", "c/a/s/d/s/e", true},
	} {
		p, err := parsePattern(c.pattern)
		if err != nil {
			t.Errorf("parsePattern(%q) = %v", c.pattern, err)
			continue
		}
		if got := p.match(c.path); got != c.want {
			t.Errorf("%q matches %q = %t, want %t", c.pattern, c.path, got, c.want)
		}
	}
	if p := exactPattern("c/{id}"); p.match("c/a") || !p.match("c/{id}") {
		t.Error("an exact pattern takes names literally")
	}
}

func TestPatternRefusals(t *testing.T) {
	for _, text := range []string{"", "c//d", "c/{}", "c/{=**}", "c/{id", "c/id}", "c/pre{id}", "c/{id=a}", "c/{a{b}}"} {
		if _, err := parsePattern(text); err == nil {
			t.Errorf("parsePattern(%q) = nil, want a refusal", text)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("c/{id}", "c/a")
	f.Add("{a=**}/s/*x*", "c/a/s/yxz")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if p, err := parsePattern(pattern); err == nil {
			p.match(path)
		}
		if !exactPattern(path).match(strings.Trim(path, "/")) {
			t.Errorf("exactPattern(%q) does not match itself", path)
		}
	})
}

func FuzzRegistration(f *testing.F) {
	f.Add(`{"eventTrigger":{"resource":"projects/p/databases/(default)/documents/c/{id}","eventType":"providers/cloud.firestore/eventTypes/document.write","service":"firestore.googleapis.com"}}`)
	f.Add(`{"eventType":"google.cloud.firestore.document.v1.written","database":"(default)","document":{"value":"c/{id}","matchType":"PATH_PATTERN"}}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, parse := range []func(string, string, []byte) (*Trigger, error){ParseFirst, ParseSecond} {
			if trigger, err := parse("p", "k", []byte(body)); err == nil && trigger.Database().Project != "p" {
				t.Errorf("a trigger of %v, want project p", trigger.Database())
			}
		}
	})
}
