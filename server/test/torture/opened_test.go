package torture

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// openedPerNode is the number of connections to each node that are opened before a fault.
const openedPerNode = 8

// openedReaders are readers whose connections to the nodes were opened before a fault. A request on them reaches a node
// that is suspended, and waits there until it resumes.
type openedReaders []*work

// openedBefore opens connections to all nodes, and reads over each of them.
func (all *workload) openedBefore(t *testing.T) (readers openedReaders) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	for i, m := range all.members {
		for range openedPerNode {
			w := newWork(newClient(t, m.clients.Addr()), all.ledger)
			w.connect(t)
			if err := bridged(func() error { return w.rises(ctx) }); err != nil {
				t.Fatalf("a read at node %d before the fault: %v\n%s", i, err, all.logged())
			}
			readers = append(readers, w)
		}
	}
	return readers
}

// read reads the rising document over each connection, a few times one after the other. The returned function waits for
// the reads, reports wrong ones and returns the number of those that had an answer. A node that was suspended must not
// answer from the past.
func (readers openedReaders) read(t *testing.T) (wait func() int64) {
	t.Helper()
	var reading sync.WaitGroup
	var answered atomic.Int64
	for _, w := range readers {
		reading.Go(func() {
			for range 5 {
				call, cancel := context.WithTimeout(t.Context(), callTime)
				err := w.rises(call)
				cancel()
				switch {
				case err == nil:
					answered.Add(1)
				case status.Code(err) == codes.DeadlineExceeded:
					return // the next one would take as long
				}
			}
		})
	}
	return func() int64 {
		t.Helper()
		reading.Wait()
		for _, w := range readers {
			for _, wrong := range w.failures() {
				t.Errorf("over a connection that was open before the fault: %s", wrong)
			}
			_ = w.conn.Close() // it is not used again
		}
		return answered.Load()
	}
}
