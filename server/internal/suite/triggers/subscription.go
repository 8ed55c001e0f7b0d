package triggers

import (
	"context"
	"errors"
	"sync"

	"clave/server/internal/model/resource"
)

// subscription turns the commits of one database into events.
type subscription struct {
	dispatcher *Dispatcher
	database   resource.Database
	source     Subscription
	mu         struct {
		sync.Mutex
		// barriers are closed once all commits that were acknowledged before they were added have become events.
		barriers []chan struct{}
		// interrupt ends the wait for commits; nil while run does not wait.
		interrupt context.CancelFunc
		ended     bool
	}
}

// run enqueues the events of commits until ctx ends or the source is closed.
func (f *subscription) run(ctx context.Context) {
	var deliveries sync.WaitGroup
	defer deliveries.Wait()
	defer f.end()
	for {
		commits, barriers, err := f.next(ctx)
		switch {
		case ctx.Err() != nil || errors.Is(err, ErrClosed):
			return
		case errors.Is(err, context.Canceled):
			f.release(barriers)
		case err != nil:
			f.dispatcher.o.Log.Error("some commits were not delivered to triggers", "database", f.database.String(), "error", err)
			f.source.Close()
			f.source = f.dispatcher.o.Source.Follow(f.database)
		default:
			for _, c := range commits {
				for i := range c.Changes {
					f.dispatcher.enqueue(ctx, &deliveries, c.Version, &c.Changes[i])
				}
			}
		}
	}
}

// next waits for commits. If there are none and a caller waits at a barrier, it returns context.Canceled and the number
// of barriers that existed before the check.
func (f *subscription) next(ctx context.Context) (commits []Commit, barriers int, err error) {
	wait, cancel := context.WithCancel(ctx)
	defer cancel()
	f.mu.Lock()
	f.mu.interrupt = cancel
	if barriers = len(f.mu.barriers); barriers > 0 {
		cancel()
	}
	f.mu.Unlock()
	commits, err = f.source.Next(wait)
	f.mu.Lock()
	f.mu.interrupt = nil
	f.mu.Unlock()
	return commits, barriers, err
}

// release closes the channels of the first n barriers.
func (f *subscription) release(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.mu.barriers[:n] {
		close(b)
	}
	f.mu.barriers = f.mu.barriers[n:]
}

// end releases all barriers: there will be no more events.
func (f *subscription) end() {
	f.source.Close()
	f.mu.Lock()
	f.mu.ended = true
	n := len(f.mu.barriers)
	f.mu.Unlock()
	f.release(n)
	f.dispatcher.ended(f)
}

// barrier waits until the commits that were acknowledged before the call have become events.
func (f *subscription) barrier(ctx context.Context) error {
	f.mu.Lock()
	if f.mu.ended {
		f.mu.Unlock()
		return nil
	}
	b := make(chan struct{})
	f.mu.barriers = append(f.mu.barriers, b)
	if f.mu.interrupt != nil {
		f.mu.interrupt()
	}
	f.mu.Unlock()
	select {
	case <-b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
