package torture

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// documents is the maximum number of documents of a history.
const documents = 4

// state holds the numbers of the documents of a history.
type state [documents]int64

// operation is an operation of a client on the documents of a history.
type operation struct {
	// writes selects the documents that are set to value. If it is empty, the operation reads all documents.
	writes [documents]bool
	value  int64
	// swaps is set when the operation reads all documents and writes in one transaction.
	swaps bool
}

// model is a linearizable store of numbers: each operation takes effect at one moment between its call and its return.
var model = porcupine.Model{
	Init: func() any { return state{} },
	Step: func(s, input, output any) (bool, any) {
		now, op := s.(state), input.(operation)
		if read, ok := output.(state); ok && read != now {
			return false, s
		}
		for i, w := range op.writes {
			if w {
				now[i] = op.value
			}
		}
		return true, now
	},
	Equal: func(a, b any) bool { return a.(state) == b.(state) },
	DescribeOperation: func(input, output any) string {
		return fmt.Sprintf("%+v → %v", input, output)
	},
}

// history collects operations. It is safe for concurrent use.
type history struct {
	began time.Time
	// pace is the number of operations a second, so that it spans a round; 0 means no limit.
	pace float64
	mu   struct {
		sync.Mutex
		ops []porcupine.Operation
	}
}

// newHistory returns an empty history.
func newHistory() *history { return &history{began: time.Now()} }

// now returns the time since the history's beginning.
func (h *history) now() int64 { return int64(time.Since(h.began)) }

// add records an operation with the time of its call and its outcome. read holds the numbers that it has read, or is
// nil.
func (h *history) add(op operation, called int64, o outcome, read *state) {
	writes := op.writes != [documents]bool{}
	if o == refused || o == unknown && !writes {
		return
	}
	one := porcupine.Operation{Input: op, Call: called, Return: h.now()}
	switch {
	case o == unknown:
		one.Return = math.MaxInt64 // An operation with an unknown outcome may take effect at any time, or never.
	case read != nil:
		one.Output = *read
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	one.ClientId = len(h.mu.ops)
	h.mu.ops = append(h.mu.ops, one)
}

// full reports whether the history cannot take more operations now, because longer histories take too long to check.
func (h *history) full() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.mu.ops)
	return n >= mostInHistory || h.pace > 0 && float64(n) >= h.pace*(1+time.Since(h.began).Seconds())
}

// check reports whether the history is linearizable. The result is porcupine.Unknown if the check takes too long.
func (h *history) check() porcupine.CheckResult {
	h.mu.Lock()
	defer h.mu.Unlock()
	return porcupine.CheckOperationsTimeout(model, h.mu.ops, timeLimit)
}
