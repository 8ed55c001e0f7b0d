// Package hashqueue bounds the number of passwords that are hashed at once, so that a flood of sign-ins leaves
// processor time for other work. The queue is fair: waiting clients take turns, whatever the number of requests of
// each.
package hashqueue

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// ErrFull is the error for a client that has too many requests in the queue.
var ErrFull = errors.New("too many passwords of one client are waiting to be hashed")

// Queue lets a number of workers hash passwords. It is safe for concurrent use.
type Queue struct {
	// perClient is the maximum number of waiting requests of one client; zero means no limit.
	perClient int
	mu        struct {
		sync.Mutex
		// idle is the number of free workers.
		idle int
		// waiting holds the waiting requests of each client, and turns the clients in the order of their turns.
		waiting map[string][]chan struct{}
		turns   []string
	}
}

// New returns a queue for n workers; zero means half of the cores. perClient is the maximum number of waiting requests
// of one client; zero means no limit.
func New(n, perClient int) *Queue {
	if n <= 0 {
		n = max(runtime.GOMAXPROCS(0)/2, 1)
	}
	q := &Queue{perClient: perClient}
	q.mu.idle = n
	q.mu.waiting = make(map[string][]chan struct{})
	return q
}

// Do runs work when it is the client's turn. It returns the error of ctx if that ends first, and ErrFull at once if the
// client has too many requests in the queue. In both cases work does not run.
func (q *Queue) Do(ctx context.Context, client string, work func()) error {
	if err := q.enter(ctx, client); err != nil {
		return err
	}
	defer q.leave()
	work()
	return nil
}

// enter waits until it is the client's turn.
func (q *Queue) enter(ctx context.Context, client string) error {
	q.mu.Lock()
	if q.mu.idle > 0 {
		q.mu.idle--
		q.mu.Unlock()
		return nil
	}
	list := q.mu.waiting[client]
	if q.perClient > 0 && len(list) >= q.perClient {
		q.mu.Unlock()
		return ErrFull
	}
	turn := make(chan struct{})
	if len(list) == 0 {
		q.mu.turns = append(q.mu.turns, client)
	}
	q.mu.waiting[client] = append(list, turn)
	q.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	if !q.withdraw(client, turn) {
		q.leave() // The client's turn came at the same time.
	}
	return ctx.Err()
}

// Waiting returns the number of waiting requests.
func (q *Queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, list := range q.mu.waiting {
		n += len(list)
	}
	return n
}

// withdraw takes a request out of the queue and reports whether it was still there.
func (q *Queue) withdraw(client string, turn chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.mu.waiting[client], turn)
	if i < 0 {
		return false
	}
	q.mu.waiting[client] = slices.Delete(q.mu.waiting[client], i, i+1)
	if len(q.mu.waiting[client]) == 0 {
		delete(q.mu.waiting, client)
		q.mu.turns = slices.DeleteFunc(q.mu.turns, func(c string) bool { return c == client })
	}
	return true
}

// leave passes the worker on to the client whose turn it is.
func (q *Queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.mu.turns) == 0 {
		q.mu.idle++
		return
	}
	client := q.mu.turns[0]
	q.mu.turns = q.mu.turns[1:]
	list := q.mu.waiting[client]
	close(list[0])
	if len(list) == 1 {
		delete(q.mu.waiting, client)
		return
	}
	q.mu.waiting[client] = list[1:]
	q.mu.turns = append(q.mu.turns, client)
}
