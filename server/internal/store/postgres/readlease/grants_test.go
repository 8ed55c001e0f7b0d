package readlease

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hour is a Leading function.
func hour() time.Duration { return time.Hour }

// newGrants returns Grants that a leader has had for a while.
func newGrants(t *testing.T, leading func() time.Duration) *Grants {
	t.Helper()
	g, err := New(Options{Leading: leading})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(Quiet)
	return g
}

// grant makes a request of a node and grants a lease in the response.
func (g *Grants) grant(h *Holder) time.Duration {
	g.Arrived(h)
	return g.Grant(h, g.Mark(), time.Now())
}

// waits returns how long a change waits.
func waits(g *Grants) time.Duration {
	c := g.Change()
	defer c.End()
	began := time.Now()
	c.Wait()
	return time.Since(began)
}

// TestChangesWaitForLeases lets changes wait for leases that are confirmed to have ended, that are not, and that were
// replaced.
func TestChangesWaitForLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrants(t, hour)
		if d := waits(g); d != 0 {
			t.Errorf("without a lease a change waits %v", d)
		}
		time.Sleep(Quiet)
		lost, alive := new(Holder), new(Holder)
		for _, h := range []*Holder{lost, alive} {
			if d := g.grant(h); d <= Longest*9/10 || d >= Longest {
				t.Errorf("the lease is %v for the node, want a little less than %v", d, Longest)
			}
		}
		time.Sleep(Longest / 3)
		// The request confirms the response that has granted the lease, and the next one that it has ended.
		g.Arrived(alive)
		c := g.Change()
		if recalled, _ := g.Recalled(alive); !recalled {
			t.Error("a change does not recall a lease")
		}
		if due, _, _ := g.Due(alive, true); !due {
			t.Error("a change does not let the leader respond")
		}
		g.Arrived(alive)
		if recalled, _ := g.Recalled(alive); recalled {
			t.Error("a lease is recalled after its end was confirmed")
		}
		began := time.Now()
		c.Wait()
		if d := time.Since(began); d != Longest-Longest/3 {
			t.Errorf("a change waits %v for a lost node, want the rest of its lease, %v", d, Longest-Longest/3)
		}
		c.End()
		if d := waits(g); d != 0 {
			t.Errorf("the next change waits %v", d)
		}
	})
}

// TestConfirmationsEndWaits ends a change's wait by the request of the last node with a lease.
func TestConfirmationsEndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrants(t, hour)
		h := new(Holder)
		g.grant(h)
		g.Arrived(h)
		_, _, turned := g.Due(h, true)
		ended := make(chan time.Duration)
		go func() { ended <- waits(g) }()
		<-turned // as the leader, which waits before its response
		time.Sleep(time.Millisecond)
		g.Arrived(h)
		if d := <-ended; d != time.Millisecond {
			t.Errorf("the change waits %v, want until the confirmation", d)
		}
	})
}

// TestReplacedLeases replaces a lease by a later one, whose response may be lost.
func TestReplacedLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrants(t, hour)
		h := new(Holder)
		g.grant(h)
		g.Arrived(h)
		due, after, _ := g.Due(h, true)
		if due || after != Longest/3 {
			t.Errorf("a new lease is due for replacement = %v, or after %v; want after a third of it", due, after)
		}
		if due, after, _ := g.Due(h, false); due || after < Longest {
			t.Errorf("without reads a lease is due for replacement = %v, or after %v", due, after)
		}
		time.Sleep(after)
		if due, _, _ = g.Due(h, true); !due {
			t.Error("a lease is not replaced after a third of it")
		}
		if d := g.Grant(h, g.Mark(), time.Now()); d <= Longest*9/10 {
			t.Errorf("the next lease is %v", d)
		}
		if d := waits(g); d != Longest {
			t.Errorf("a change waits %v, want the whole of the second lease", d)
		}
	})
}

// TestNoLease requests leases that must not be granted.
func TestNoLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := time.Hour
		g := newGrants(t, func() time.Duration { return left })
		h := new(Holder)
		denied := func(when string) {
			t.Helper()
			if d := g.grant(h); d != 0 {
				t.Errorf("%s a lease of %v is granted", when, d)
			}
		}
		c := g.Change()
		denied("during a change")
		other := g.Change()
		other.End()
		time.Sleep(Quiet)
		denied("during the other of two changes")
		c.End()
		denied("at once after a change")
		time.Sleep(Quiet)
		mark := g.Mark()
		g.Change().End()
		time.Sleep(Quiet)
		if d := g.Grant(h, mark, time.Now()); d != 0 {
			t.Errorf("after a change since the mark a lease of %v is granted", d)
		}
		for left = range 2 {
			denied("by a node that hardly leads")
		}
		left = Longest / 2
		if d := g.grant(h); d > left {
			t.Errorf("a lease of %v is granted by a node that leads for %v", d, left)
		}
		left = time.Hour
		began := time.Now()
		g.Close()
		if d := time.Since(began); d != Longest/2 {
			t.Errorf("Close waits %v, want %v", d, Longest/2)
		}
		time.Sleep(time.Minute)
		denied("after Close")
		g.Close()
	})
}

// TestHeld reads by leases that are put, replaced, dropped and over.
func TestHeld(t *testing.T) {
	var h Lease[string]
	at := func(now time.Duration) func() time.Duration { return func() time.Duration { return now } }
	valid := func(want bool, by string, now time.Duration) {
		t.Helper()
		if got := h.Valid(by, at(now)); got != want {
			t.Errorf("Valid(%s) at %v = %v", by, now, got)
		}
	}
	valid(false, "", 0)
	h.Put("a", 10, 5)
	valid(true, "a", 14)
	valid(false, "a", 15)
	valid(false, "b", 12)
	h.Put("b", 20, 5)
	valid(false, "a", 21)
	valid(true, "b", 21)
	h.Drop()
	valid(false, "b", 21)
}

// TestNew requires Leading.
func TestNew(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("New without Leading has no error")
	}
}
