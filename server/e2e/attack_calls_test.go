package e2e

import (
	"testing"

	"clave/server/testwait"
)

// TestAttacksByUnopenedCalls begins calls on many connections and sends no message. Most must be refused, because each
// takes memory.
func TestAttacksByUnopenedCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("tens of thousands of calls are begun")
	}
	const conns, calls = 100, 256
	const most = 4096 // those of 512 MiB
	for _, w := range attackedPorts(t) {
		for _, method := range []string{"GetDocument", "RunQuery"} {
			head := w.call(method)
			var all []*frames
			for range conns {
				f := w.dial(t)
				for i := range uint32(calls) {
					_ = f.send(frameHeaders, flagEndHeaders, 2*i+1, head)
				}
				_ = f.w.Flush() // It fails if the server has closed the connection.
				all = append(all, f)
			}
			testwait.Until(t, "the server has refused the calls beyond the bound", func() bool {
				open := 0
				for _, f := range all {
					if !f.closes(0) {
						open += calls - int(f.answered.Load())
					}
				}
				return open <= most
			})
			if w.calls {
				f := w.dial(t)
				for i := range uint32(10 * calls) {
					_ = f.send(frameHeaders, flagEndHeaders, 2*i+1, head)
				}
				_ = f.w.Flush()
				if !f.closes(waitLimit) {
					t.Errorf("%s: a connection is open after %d calls beyond the bound", w.name, 10*calls)
				}
			}
			w.serves(t, "calls of "+method+" without a message", mostAttacked)
			for _, f := range all {
				_ = f.Close()
			}
		}
	}
}
