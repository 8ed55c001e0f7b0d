package meter_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/observe/meter"
)

func TestSamples(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
	m := meter.New(manual, func(context.Context) meter.Gauges { return meter.Gauges{Listeners: 3} })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- m.Run(ctx) }()
	for range 99 {
		call := m.Begin()
		manual.Advance(time.Millisecond)
		call.Query(2, nil)
	}
	call := m.Begin()
	manual.Advance(100 * time.Millisecond)
	call.Commit(5, nil)
	m.Begin().Commit(1, fault.E(fault.PermissionDenied, "no"))
	m.SignIn()
	past, now := m.Samples(t.Context())
	want := meter.Counts{Commits: 1, Writes: 5, Reads: 198, Queries: 99, Denials: 1, SignIns: 1}
	if len(past) != 0 || now.Counts != want || now.Listeners != 3 {
		t.Errorf("before the first sample: %+v, %+v, want %+v", past, now, want)
	}
	if l := now.Latency; l.P50 < 1 || l.P50 > 1.6 || l.P99 > 2 {
		t.Errorf("latencies %+v, want about 1 ms", l)
	}
	waits := func() { // returns when the meter waits for the next sample
		for manual.Timers() == 0 && t.Context().Err() == nil {
			runtime.Gosched()
		}
	}
	for range 400 {
		waits()
		manual.Advance(meter.Interval)
	}
	waits()
	past, now = m.Samples(t.Context())
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

// TestSlowQueries checks that the latest slow queries are kept, and the uses of indexes counted.
func TestSlowQueries(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
	m := meter.New(manual, nil)
	for i := range 120 {
		call := m.Begin()
		manual.Advance(meter.Slow - time.Millisecond)
		call.Slow(func() meter.Query { t.Error("a quick query was described"); return meter.Query{} })
		manual.Advance(time.Millisecond)
		call.Slow(func() meter.Query { return meter.Query{Results: int64(i)} })
	}
	if got := m.SlowQueries(); len(got) != 100 || got[0].Results != 119 || got[99].Results != 20 || got[0].Took != 100 || !got[0].Time.Equal(manual.Now()) {
		t.Errorf("%d slow queries, the first %+v", len(got), got[0])
	}
	one, other := meter.Index{Collection: "a"}, meter.Index{Collection: "b"}
	m.Used(one, one)
	m.Used()
	if use := m.Uses(one); use.Count != 2 || !use.Last.Equal(manual.Now()) || m.Uses(other).Count != 0 {
		t.Errorf("uses %+v and %+v", use, m.Uses(other))
	}
	var none *meter.Meter
	none.Used(one)
	none.Begin().Slow(nil)
}

// TestCalls counts calls by method. Unknown names are counted together.
func TestCalls(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
	m := meter.New(manual, nil)
	calls := m.Calls("rest", []string{"Get"}, []string{"Listen"})
	if m.Calls("rest", nil, nil) != calls {
		t.Error("a transport that is there already is made again")
	}
	under := calls.Begin("Get")
	manual.Advance(20 * time.Millisecond)
	under.End(fault.NotFound)
	calls.Begin("Listen")
	for _, name := range []string{"made up", "", "Other"} {
		calls.Begin(name).End(fault.Code(99))
	}
	got := make(map[string]meter.MethodCounts)
	for _, c := range m.Called() {
		got[c.Method] = c
	}
	if len(got) != 3 || got["Get"].Codes[fault.NotFound] != 1 || got["Get"].Open != 0 || got["Get"].Took.Sum != 0.02 {
		t.Errorf("counted %+v", got)
	}
	if got["Listen"].Open != 1 || got["Listen"].Took != nil || got[meter.Other].Codes[fault.Unknown] != 3 {
		t.Errorf("streams and other names: %+v", got)
	}
	m.Limited("made up")
	m.Limited("hash")
	m.Decide(7, meter.Allowed)
	m.Decide(2, meter.Failed)
	m.CommitsWritten(3, time.Millisecond)
	m.Sent(-time.Second)
	all := m.All()
	if all.Limits[meter.Other] != 1 || all.Limits["hash"] != 1 || all.Decisions[2][meter.Failed] != 1 {
		t.Errorf("limits and decisions: %+v", all)
	}
	if all.Groups.Sum != 3 || all.Syncs.Sum != 0.001 || all.Fanout.Sum != 0 || all.Fanout.Counts[0] != 1 {
		t.Errorf("groups, their writing and the way to listeners: %+v", all)
	}
	var none *meter.Meter
	none.Calls("rest", nil, nil).Begin("Get").End(fault.OK)
	none.Limited("hash")
	none.Decide(0, meter.Allowed)
}
