package control_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/suite/control"
)

// TestFaultRoutes sets faults of a project, among them those of the documentation, and wrong ones.
func TestFaultRoutes(t *testing.T) {
	page, err := os.ReadFile("../../../doc/lab.md")
	if err != nil {
		t.Fatal(err)
	}
	faults := faultinject.New(clock.System())
	h := control.New(control.Options{Faults: faults})
	const path = "/emulator/v1/projects/p:faults"
	for _, example := range []struct {
		label string
		n     int
	}{{"json auth faults", 1}, {"json faults", 2}} {
		_, body, _ := strings.Cut(string(page), "```"+example.label+"\n")
		body, _, _ = strings.Cut(body, "```")
		if status, text := exchange(t, h, http.MethodPut, path, body); status != http.StatusOK || len(faults.Project("p")) != example.n {
			t.Fatalf("%s: %d %s", example.label, status, text)
		}
	}
	for _, body := range []string{"", `{"faults": [{}]}`, `{"faults": [{"calls": "writes", "eror": "ABORTED"}]}`, `{"faults": [{"lost": true}]}`, `{"faults": [{"method": "lookup", "error": "INTERNAL"}]}`, `{"faults": [{"calls": "auth", "error": "no name"}]}`} {
		if status, text := exchange(t, h, http.MethodPut, path, body); status != http.StatusBadRequest || len(faults.Project("p")) != 2 {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	if err := faults.AfterOf(t.Context(), "p", "Commit"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a write whose answer is lost: %v", err)
	}
	if status, text := exchange(t, h, http.MethodGet, path, ""); status != http.StatusOK || !strings.Contains(text, `"affected":1`) {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := exchange(t, h, http.MethodDelete, path, ""); status != http.StatusOK || len(faults.Project("p")) != 0 {
		t.Errorf("%d, %d faults are left", status, len(faults.Project("p")))
	}
}
