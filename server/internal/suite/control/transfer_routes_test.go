package control_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/suite/control"
	"clave/server/internal/suite/transfer"
)

func TestExportAndImportRoutes(t *testing.T) {
	_, az := documents(t)
	h := control.New(control.Options{Transfer: transfer.New(transfer.Options{Authorizer: az})})
	from, to := resource.Database{Project: "p", ID: "(default)"}, resource.Database{Project: "q", ID: "named"}
	set(t, az, from, 7)
	dir := t.TempDir()
	for range 2 { // the second replaces the first
		body := fmt.Sprintf(`{"database":%q,"export_directory":%q,"export_name":"seed"}`, from, dir)
		if code, text := exchange(t, h, http.MethodPost, "/emulator/v1/projects/p:export", body); code != 200 || strings.TrimSpace(text) != "{}" {
			t.Fatalf("export: %d %s", code, text)
		}
	}
	body := fmt.Sprintf(`{"database":%q,"export_directory":%q}`, to, filepath.Join(dir, "seed", "seed.overall_export_metadata"))
	if code, text := exchange(t, h, http.MethodPost, "/emulator/v1/projects/q:import", body); code != 200 || strings.TrimSpace(text) != "{}" {
		t.Fatalf("import: %d %s", code, text)
	}
	if got := stored(t, az, to); got != value.Int(7) {
		t.Errorf("the document is %v in the other database, want 7", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "precious"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		verb, body string
		code       int
	}{
		{"export", `{`, 400},
		{"export", `{}`, 400},
		{"export", fmt.Sprintf(`{"database":%q,"export_directory":"/no/such/folder","export_name":"x"}`, from), 400},
		{"export", fmt.Sprintf(`{"database":%q,"export_directory":%q,"export_name":"../x"}`, from, dir), 400},
		{"export", fmt.Sprintf(`{"database":%q,"export_directory":%q,"export_name":"."}`, from, dir), 400},
		{"import", fmt.Sprintf(`{"database":%q,"export_directory":"/no/such/file"}`, from), 404},
	} {
		if code, text := exchange(t, h, http.MethodPost, "/emulator/v1/projects/p:"+c.verb, c.body); code != c.code {
			t.Errorf("%s %s: %d %s, want %d", c.verb, c.body, code, text, c.code)
		}
	}
}

// TestPagesMayNotTransfer sends requests as web pages do.
func TestPagesMayNotTransfer(t *testing.T) {
	_, az := documents(t)
	h := control.New(control.Options{Transfer: transfer.New(transfer.Options{Authorizer: az})})
	dir := t.TempDir()
	body := fmt.Sprintf(`{"database":"projects/p/databases/(default)","export_directory":%q,"export_name":"seed"}`, dir)
	code, _ := exchange(t, originally(h), http.MethodPost, "/emulator/v1/projects/p:export", body)
	if entries, err := os.ReadDir(dir); code != 403 || err != nil || len(entries) > 0 {
		t.Errorf("a page's export: %d, made %v %v", code, entries, err)
	}
}

// originally adds a page's Origin header to requests.
func originally(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Origin", "https://elsewhere.example")
		h.ServeHTTP(w, r)
	})
}
