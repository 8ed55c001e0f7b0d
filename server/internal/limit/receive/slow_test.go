package receive_test

import (
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/receive"
	"clave/server/test/kit/wait"
)

// TestSlowResponsesAreCounted counts writes: a fast one never, a slow one until its end, and those for which there is
// no room are ended. A request that waits ends a slow write.
func TestSlowResponsesAreCounted(t *testing.T) {
	b := receive.New(receive.Options{Bytes: mib, Wait: time.Millisecond})
	evicted := make(chan string, 4)
	evict := func(name string) func() { return func() { evicted <- name } }
	b.IfSlow(t.Context(), mib, nil, evict("fast"))()
	slow := b.IfSlow(t.Context(), mib, nil, evict("slow"))
	wait.Until(t, "the slow write is not counted", func() bool { return b.Used() == mib })
	beyond := b.IfSlow(t.Context(), mib, nil, evict("beyond"))
	if name := <-evicted; name != "beyond" {
		t.Errorf("%s was ended, want the write for which there is no room", name)
	}
	beyond()
	slow()
	if used := b.Used(); used != 0 {
		t.Errorf("after the writes %d bytes are held", used)
	}
	patient := receive.New(receive.Options{Bytes: mib, Wait: 20 * time.Second})
	slow = patient.IfSlow(t.Context(), mib, nil, evict("slow"))
	wait.Until(t, "the slow write is not counted", func() bool { return patient.Used() == mib })
	request := patient.Hold(nil)
	waiting := later(t.Context(), request, mib/2)
	if name := <-evicted; name != "slow" {
		t.Errorf("%s was ended, want the slow write", name)
	}
	slow()
	if err := <-waiting; err != nil {
		t.Errorf("the request that waited: %v", err)
	}
	request.Release()
	select {
	case name := <-evicted:
		t.Errorf("%s was ended, too", name)
	default:
	}
}

// TestWritesThatEndWhileTheyWaitAreNotEnded ends a write while its bytes wait for room.
func TestWritesThatEndWhileTheyWaitAreNotEnded(t *testing.T) {
	manual := clocktest.NewManual(begun)
	b := receive.New(receive.Options{Bytes: mib, Clock: manual})
	full := b.Hold(nil)
	take(t, full, mib)
	full.Complete()
	done := b.IfSlow(t.Context(), mib, nil, func() { t.Error("a write was ended after its end") })
	wait.Until(t, "the write does not wait", func() bool { return manual.Timers() > 0 })
	done()
	wait.Until(t, "the write waits further", func() bool { return manual.Timers() == 0 })
	full.Release()
	if err := b.Hold(nil).Take(t.Context(), mib); fault.Is(err, fault.Unavailable) {
		t.Errorf("the write holds its bytes: %v", err)
	}
}
