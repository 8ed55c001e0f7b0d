package control_test

import (
	"net/http"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/observe/usage"
	"clave/server/internal/suite/control"
)

func TestUsageRoutes(t *testing.T) {
	m := usage.New(usage.Options{Clock: clock.System()})
	h := control.New(control.Options{Usage: m})
	m.Add("p", usage.Key{Call: "get", Pattern: "a", Caller: "admin", Rule: usage.Rule{Line: 5, Match: "/a/{id}"}}, usage.Counts{Calls: 1, Documents: 2})
	const row = `"total":{"reads":2,"calls":1,"documents":2,"missing":0,"skipped":0,"entries":0,"minimum":0,"lookups":0,"writes":0,"deletes":0,"ttlDeletes":0,"denials":0,"sentBytes":0},"rows":[{"call":"get","pattern":"a","caller":"admin","rule":{"line":5,"match":"/a/{id}"},"reads":2,`
	if code, body := exchange(t, h, http.MethodGet, "/emulator/v1/projects/p:usage", ""); code != http.StatusOK || !strings.Contains(body, row) || !strings.Contains(body, `"rules":[{"line":5,"match":"/a/{id}","reads":2,`) {
		t.Errorf("GET = %d, %s", code, body)
	}
	if code, body := exchange(t, h, http.MethodGet, "/emulator/v1/projects/q:usage", ""); code != http.StatusOK || !strings.Contains(body, `"rows":[]`) {
		t.Errorf("GET of another project = %d, %s", code, body)
	}
	if code, body := exchange(t, h, http.MethodGet, "/emulator/v1/usage", ""); code != http.StatusOK || !strings.Contains(body, row) {
		t.Errorf("GET of all projects = %d, %s", code, body)
	}
	if code, _ := exchange(t, h, http.MethodDelete, "/emulator/v1/projects/p:usage", ""); code != http.StatusOK || m.Report("p").Total.Reads != 0 {
		t.Errorf("DELETE = %d, %+v", code, m.Report("p"))
	}
}

// TestStoredUsage counts what the documents of one project and of all projects occupy.
func TestStoredUsage(t *testing.T) {
	_, az := documents(t)
	h := control.New(control.Options{Authorizer: az, Usage: usage.New(usage.Options{Clock: clock.System()})})
	for _, project := range []string{"p", "q"} {
		for _, id := range []string{"(default)", "second"} {
			set(t, az, resource.Database{Project: project, ID: id}, 7)
		}
	}
	// c/a has 16 + 2 + 2 bytes for its name, 2 + 8 for the field n, and 32; each of two entries of n has as many.
	const each, total = `"documents":2,"documentBytes":124,"indexBytes":248`, `"stored":{"total":{"documents":4,"documentBytes":248,"indexBytes":496}`
	if code, body := exchange(t, h, http.MethodGet, "/emulator/v1/projects/p:usage?stored=true", ""); code != http.StatusOK || !strings.Contains(body, `"patterns":[{"pattern":"c",`+each+"}]") {
		t.Errorf("GET = %d, %s, want %s", code, body, each)
	}
	if code, body := exchange(t, h, http.MethodGet, "/emulator/v1/usage?stored=true", ""); code != http.StatusOK || !strings.Contains(body, total) {
		t.Errorf("GET of all projects = %d, %s, want %s", code, body, total)
	}
	if code, body := exchange(t, h, http.MethodGet, "/emulator/v1/projects/p:usage", ""); code != http.StatusOK || strings.Contains(body, "stored") {
		t.Errorf("GET without stored = %d, %s", code, body)
	}
	if code, body := exchange(t, h, http.MethodGet, "/emulator/v1/projects/p:usage?stored=yes", ""); code != http.StatusBadRequest {
		t.Errorf("GET with another value = %d, %s", code, body)
	}
	few, err := az.Stored(t.Context(), token.Caller{Privileged: true}, "", 3)
	if err != nil || !few.Partial || few.Total.Documents != 3 {
		t.Errorf("at most 3 of 4 documents: %+v, %v", few, err)
	}
	if _, err := az.Stored(t.Context(), token.Caller{UID: "ann"}, "p", 3); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("for a user: %v", err)
	}
}
