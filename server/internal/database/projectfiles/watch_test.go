package projectfiles

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/authz"
	"clave/server/internal/store/release"
)

// TestMain fails if the tests leak goroutines.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestDatabasesThatShareAFile changes a rules file that two databases have. Both are reloaded, and a third one with a
// file of its own is not.
func TestDatabasesThatShareAFile(t *testing.T) {
	dir := t.TempDir()
	shared := filepath.Join(dir, "shared.rules")
	if err := os.WriteFile(shared, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := make(chan string, 10)
	w := Watch([]release.Paths{{ID: "one", RulesFile: shared}, {ID: "two", RulesFile: shared}, {ID: "three", RulesFile: filepath.Join(dir, "own.rules")}, {ID: "none"}},
		func(_ context.Context, d release.Paths) { changed <- d.ID }, clock.System(), slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	if err := os.WriteFile(shared, []byte("b"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one", "two"} {
		select {
		case got := <-changed:
			if got != want {
				t.Errorf("%s is reloaded, want %s", got, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%s is not reloaded", want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("Run = %v", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// TestReloadRules reloads rules in production: good ones, ones with a mistake, a file that is gone, and a database
// without a file, for which nothing is reported.
func TestReloadRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "firestore.rules")
	const good = "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /a/{b} { allow read; } } }"
	for _, tt := range []struct{ name, file, text, want string }{
		{"good rules", path, good, "Rules reloaded: " + path},
		{"a mistake", path, "service", "Rules not changed:\n" + path + ":1:"},
		{"no file", path + ".none", "", "Rules not changed: " + path + ".none: cannot be read"},
		{"a database without rules", "", "", ""},
	} {
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var notices, log strings.Builder
		p := &Project{ID: "p", Production: true, Notices: &notices}
		p.ReloadRules(authz.NewRulesets(authz.RulesetsOptions{}), release.Paths{ID: "(default)", RulesFile: tt.file}, slog.New(slog.NewTextHandler(&log, nil)))
		if got := notices.String(); !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: the notices are %q, want %q", tt.name, got, tt.want)
		}
		if got := log.String(); strings.Contains(got, fmt.Sprintf("file=%s database=(default)", tt.file)) != (tt.want != "") {
			t.Errorf("%s: the log has %q", tt.name, got)
		}
	}
}
