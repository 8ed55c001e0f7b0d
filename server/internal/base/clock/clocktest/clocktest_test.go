package clocktest_test

import (
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
)

func TestManualFiresTimersWhenDue(t *testing.T) {
	h := clocktest.NewManual(time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC))
	early, _ := h.After(time.Second)
	late, stop := h.After(time.Minute)
	h.Advance(2 * time.Second)
	select {
	case <-early:
	default:
		t.Error("a timer of 1 s has not fired 2 s later")
	}
	stop()
	h.Advance(time.Hour)
	select {
	case <-late:
		t.Error("a stopped timer fired")
	default:
	}
	if got := h.Timers(); got != 0 {
		t.Errorf("Timers() = %d, want 0", got)
	}
}
