package control_test

import (
	"net/http"
	"strings"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/observe/usage"
	"clave/server/internal/suite/control"
)

func TestUsageRoutes(t *testing.T) {
	m := usage.New(usage.Options{Clock: clock.System()})
	h := control.New(control.Options{Usage: m})
	m.Add("p", usage.Key{Call: "get", Pattern: "a", Caller: "admin"}, usage.Counts{Calls: 1, Documents: 2})
	const row = `"total":{"reads":2,"calls":1,"documents":2,"missing":0,"skipped":0,"entries":0,"minimum":0,"lookups":0,"writes":0,"deletes":0,"ttlDeletes":0,"sentBytes":0},"rows":[{"call":"get","pattern":"a","caller":"admin","reads":2,`
	if code, body := exchange(t, h, http.MethodGet, "/emulator/v1/projects/p:usage", ""); code != http.StatusOK || !strings.Contains(body, row) {
		t.Errorf("GET = %d, %s", code, body)
	}
	if code, body := exchange(t, h, http.MethodGet, "/emulator/v1/projects/q:usage", ""); code != http.StatusOK || !strings.Contains(body, `"rows":[]`) {
		t.Errorf("GET of another project = %d, %s", code, body)
	}
	if code, _ := exchange(t, h, http.MethodDelete, "/emulator/v1/projects/p:usage", ""); code != http.StatusOK || m.Report("p").Total.Reads != 0 {
		t.Errorf("DELETE = %d, %+v", code, m.Report("p"))
	}
}
