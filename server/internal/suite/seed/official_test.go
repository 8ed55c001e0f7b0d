package seed_test

import (
	"testing"

	"clave/server/internal/model/resource"
	"clave/server/internal/suite/seed"
	"clave/server/test/e2e/harness"
)

// TestOfficialEmulator applies the documents of a seed to the official emulator.
func TestOfficialEmulator(t *testing.T) {
	target := seed.Emulator(harness.StartOfficialEmulator(t), "", resource.Database{Project: "demo-seeds", ID: resource.DefaultDatabase})
	s := mustLoad(t, target, school(t))
	s.Users, s.Tenants = nil, nil
	apply(t, target, s, false)
	apply(t, target, mustLoad(t, target, "documents: {users: {ann: {n: 1}, carl: {}}}"), false)
	apply(t, target, s, true)
	if got := compare(t, target, s, true); got != "" {
		t.Errorf("differences after the seed was applied:\n%s", got)
	}
}
