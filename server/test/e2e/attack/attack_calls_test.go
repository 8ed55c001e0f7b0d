package attack

import (
	"testing"

	"clave/server/test/kit/wait"

	"clave/server/test/e2e/harness"
)

// callsAttacked is the bound of open calls of a server with 512 MiB.
const callsAttacked = 4096

// unopened are connections on which calls begin that send no message.
type unopened struct {
	w     attackedPort
	head  []byte
	conns []*frames
}

// add opens a connection, begins a number of calls on it, and sends a ping. The server answers the ping when it has
// opened or refused the calls.
func (u *unopened) add(t *testing.T, calls uint32) *frames {
	t.Helper()
	f := u.w.dial(t)
	for i := range calls {
		_ = f.send(frameHeaders, flagEndHeaders, 2*i+1, u.head)
	}
	_ = f.send(framePing, 0, 0, make([]byte, 8))
	_ = f.w.Flush() // It fails if the server has closed the connection.
	return f
}

// open returns the number of calls that the server has neither answered nor reset, each connection having begun so
// many, and reports whether it has decided about all calls.
func (u *unopened) open(calls int) (open int, decided bool) {
	decided = true
	for _, f := range u.conns {
		if !f.closes(0) {
			decided = decided && f.pongs.Load() > 0
			open += calls - int(f.answered.Load())
		}
	}
	return open, decided
}

// close closes the connections.
func (u *unopened) close() {
	for _, f := range u.conns {
		_ = f.Close()
	}
}

// TestAttacksByUnopenedCalls begins calls on many connections and sends no message. Most must be refused, because each
// takes memory. A connection that sends many calls beyond the bound must be closed.
func TestAttacksByUnopenedCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("tens of thousands of calls are begun")
	}
	const conns, calls = 100, 256
	for _, w := range attackedPorts(t) {
		for _, method := range []string{"GetDocument", "RunQuery"} {
			all := &unopened{w: w, head: w.call(method)}
			for range conns {
				all.conns = append(all.conns, all.add(t, calls))
			}
			wait.Until(t, "the server has refused the calls beyond the bound", func() bool {
				open, decided := all.open(calls)
				// More were refused if calls of the last attack were still open. Others take their slots.
				if w.calls && decided && open < callsAttacked {
					all.conns = append(all.conns, all.add(t, calls))
				}
				return open <= callsAttacked && (!w.calls || open == callsAttacked)
			})
			if w.calls {
				if f := all.add(t, 10*calls); !f.closes(harness.WaitLimit) {
					t.Errorf("%s, %s: a connection is open after %d calls beyond the bound", w.name, method, 10*calls)
				}
			}
			w.serves(t, "calls of "+method+" without a message", mostAttacked)
			all.close()
		}
	}
}
