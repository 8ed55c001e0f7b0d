package engine_test

import (
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// TestAClockSetBackRepeatsNoVersion restarts a server on a machine whose clock was set back. No commit may get a
// version that a reader received before, and versions follow the clock again once it has caught up.
func TestAClockSetBackRepeatsNoVersion(t *testing.T) {
	s, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	noon := time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	manual := clocktest.NewManual(noon)
	first, err := engine.Open(t.Context(), engine.Options{Store: s, Clock: manual})
	if err != nil {
		t.Fatal(err)
	}
	put(t, first, set("c/a", n(1)))
	manual.Advance(time.Hour)
	first.Latest(testDB) // A reader of one o'clock.
	runFor(t, first, manual, 1)
	manual.Advance(30 * time.Second)
	seen := first.Latest(testDB)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	back, err := engine.Open(t.Context(), engine.Options{Store: s, Clock: clocktest.NewManual(noon.Add(10 * time.Minute))})
	if err != nil {
		t.Fatal(err)
	}
	if v := put(t, back, set("c/a", n(2))).Version; v <= seen {
		t.Errorf("after the clock was set back a commit has version %v, a reader had %v before", v.Time(), seen.Time())
	}
	wantN(t, back, request.At{}, "c/a", value.Int(2))
	wantN(t, back, request.At{ReadTime: seen}, "c/a", value.Int(1))
	if err := back.Close(); err != nil {
		t.Fatal(err)
	}

	afternoon := noon.Add(3 * time.Hour)
	well := open(t, engine.Options{Store: s, Clock: clocktest.NewManual(afternoon)})
	if v := put(t, well, set("c/a", n(3))).Version; v.Time().Sub(afternoon) > time.Second {
		t.Errorf("with a clock that is right a commit has version %v, want %v", v.Time(), afternoon)
	}
}
