package readlease

import (
	"fmt"
	"testing"
	"time"
)

// simStack is the stack of parts that serve a follower's reads (app.followed). It shows the rows of the replica that
// were fed to it. A node that was out of contact for a lease closes its stack: it begins to end, is fed no more, and is
// replaced by another one, while the reads in progress continue on it. The node stops between any two of these steps.
type simStack struct {
	// view is the last row that its readers see.
	view int64
	// ending is set when it begins to end, and cut when it is fed no more.
	ending, cut bool
}

// simIndexed is a read that requests a read index from a leader.
type simIndexed struct {
	to    *simLead
	stack *simStack
	// floor is the row that was visible when it began, at sent by the node's clock.
	floor int64
	sent  time.Duration
	// at is the arrival of the request, and of the response once it is answered with a row. limit is when it is given up.
	at, limit int64
	answered  bool
	seq       int64
	reached   bool
}

// reach gives a row, which a leader has named in the response to a request of the time began, to the replica and its
// stack. It reports whether the readers of a stack see the row.
func (n *simNode) reach(stack *simStack, seq int64, began time.Duration) bool {
	n.seq = max(n.seq, seq)
	if n.stack != nil && !n.stack.cut {
		n.stack.view = n.seq
	}
	n.contact = max(n.contact, began)
	return stack != nil && (!stack.ending || n.s.fault == readsWhileClosing)
}

// heldLately reports whether the node was in contact within a lease.
func (n *simNode) heldLately() bool { return n.elapsed()-n.contact < modelLease }

// closing is a step in which a stack is opened or closes. It returns false if there is nothing to do.
func (n *simNode) closing() bool {
	s := n.s
	switch stack := n.stack; {
	case stack == nil:
		n.stack = &simStack{view: n.seq}
		n.contact = n.elapsed()
	case !stack.ending && !stack.cut && !n.heldLately():
		if s.fault == feedEndsFirst {
			stack.cut = true
		} else {
			stack.ending = true
		}
	case stack.ending != stack.cut && s.chance(3):
		stack.ending, stack.cut = true, true
	case stack.ending && stack.cut && s.chance(20):
		s.closed++
		n.stack = nil
		n.run++
	default:
		return false
	}
	return true
}

// index answers the requests for read indexes that have arrived at a leader.
func (l *simLead) index() {
	s := l.n.s
	for _, n := range s.nodes {
		if q := n.asked; q != nil && q.to == l && !q.answered && q.at <= s.now && s.now >= l.readyAt && l.n.elapsed() < l.until {
			q.answered, q.seq, q.at = true, l.n.seq, s.delay()
		}
	}
}

// indexing is a step of a read with a read index.
func (n *simNode) indexing() {
	s := n.s
	switch q := n.asked; {
	case q == nil:
		if l := s.owner.lead; l != nil && n.stack != nil && !n.stack.ending {
			n.asked = &simIndexed{to: l, stack: n.stack, floor: s.visible, sent: n.elapsed(), at: s.delay(), limit: s.now + 300}
		}
	case q.reached:
		n.asked = nil
		s.indexed++
		n.returns("a read by a read index", q.stack, q.floor)
	case q.answered && q.at <= s.now:
		if q.reached = n.reach(q.stack, q.seq, q.sent); !q.reached {
			n.asked = nil // it is forwarded
		}
	case q.limit <= s.now:
		n.asked = nil
	}
}

// returns ends a read on a stack, which must see the row floor. Without contact it fails.
func (n *simNode) returns(what string, stack *simStack, floor int64) {
	if n.heldLately() && stack.view < floor && n.s.wrong == "" {
		n.s.wrong = fmt.Sprintf("tick %d: %s returned row %d after row %d was visible", n.s.now, what, stack.view, floor)
	}
}

// TestModel runs models with random schedules.
func TestModel(t *testing.T) {
	leased, indexed, closed, rows := 0, 0, 0, int64(0)
	for seed := range uint64(300) {
		s := newSim(seed, correct)
		if wrong := s.run(); wrong != "" {
			t.Errorf("seed %d: %s", seed, wrong)
		}
		leased, indexed, closed, rows = leased+s.leased, indexed+s.indexed, closed+s.closed, rows+s.visible
	}
	t.Logf("%d reads by leases, %d by read indexes, %d stacks that closed, %d rows", leased, indexed, closed, rows)
	if leased < 10_000 || indexed < 10_000 || closed < 500 || rows < 5_000 {
		t.Errorf("there are only %d reads by leases, %d by read indexes, %d stacks that closed and %d rows", leased, indexed, closed, rows)
	}
}

// TestModelDetectsFaults runs models of nodes with a fault until one is detected.
func TestModelDetectsFaults(t *testing.T) {
	for fault := correct + 1; fault < lastBroken; fault++ {
		found := false
		for seed := uint64(0); seed < 3000 && !found; seed++ {
			wrong := newSim(seed, fault).run()
			if found = wrong != ""; found {
				t.Logf("fault %d: seed %d: %s", fault, seed, wrong)
			}
		}
		if !found {
			t.Errorf("fault %d is not detected", fault)
		}
	}
}
