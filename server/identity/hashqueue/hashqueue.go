// Package hashqueue bounds how many passwords are hashed at once, so that a flood of sign-ins leaves processor time for everything else, and is fair:
// the clients that wait take turns, whatever the number of requests that each has.
package hashqueue

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// ErrFull is the error of a client that has too much in the queue.
var ErrFull = errors.New("too many passwords of one client wait to be hashed")

// Queue lets a number of workers hash passwords. It is safe for concurrent use.
type Queue struct {
	// perClient is how many requests of one client may wait; zero is any number.
	perClient int
	mu        struct {
		sync.Mutex
		// idle is how many more may be hashed at once.
		idle int
		// waiting has the requests of each client that wait, and turns the clients, the next first.
		waiting map[string][]chan struct{}
		turns   []string
	}
}

// New returns a queue for n workers; zero is half of the cores. perClient is how many requests of one client may wait; zero is any number.
func New(n, perClient int) *Queue {
	if n <= 0 {
		n = max(runtime.GOMAXPROCS(0)/2, 1)
	}
	q := &Queue{perClient: perClient}
	q.mu.idle = n
	q.mu.waiting = make(map[string][]chan struct{})
	return q
}

// Do runs work for a client when it is its turn. It returns the error of ctx when that ends first, and ErrFull at once for a client with too
// much in the queue; work has not run then.
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
		q.leave() // It became its turn meanwhile.
	}
	return ctx.Err()
}

// Waiting returns how many requests wait.
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

// leave gives the place to the client whose turn it is.
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
