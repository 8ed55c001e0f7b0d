package meter_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"clave/server/clock"
	"clave/server/fault"
	"clave/server/meter"
)

func TestSamples(t *testing.T) {
	hand := clock.NewHand(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
	m := meter.New(hand, func() meter.Gauges { return meter.Gauges{Listeners: 3} })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- m.Run(ctx) }()
	for range 99 {
		call := m.Begin()
		hand.Advance(time.Millisecond)
		call.Query(2, nil)
	}
	call := m.Begin()
	hand.Advance(100 * time.Millisecond)
	call.Commit(5, nil)
	m.Begin().Commit(1, fault.E(fault.PermissionDenied, "no"))
	m.SignIn()
	past, now, _ := m.Samples()
	want := meter.Counts{Commits: 1, Writes: 5, Reads: 198, Queries: 99, Denials: 1, SignIns: 1}
	if len(past) != 0 || now.Counts != want || now.Listeners != 3 {
		t.Errorf("before the first sample: %+v, %+v, want %+v", past, now, want)
	}
	if l := now.Latency; l.P50 < 1 || l.P50 > 1.6 || l.P99 > 2 {
		t.Errorf("latencies %+v, want about 1 ms", l)
	}
	waits := func() { // until the meter waits for the next sample
		for hand.Timers() == 0 && t.Context().Err() == nil {
			runtime.Gosched()
		}
	}
	for range 400 {
		waits()
		hand.Advance(meter.Interval)
	}
	waits()
	past, now, _ = m.Samples()
	if len(past) != 360 || now.Counts != (meter.Counts{}) || past[359].Counts != (meter.Counts{}) {
		t.Errorf("after 400 samples: %d are kept, the last %+v, now %+v", len(past), past[len(past)-1], now)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	var none *meter.Meter
	none.Begin().Query(1, nil)
	none.SignIn()
}
