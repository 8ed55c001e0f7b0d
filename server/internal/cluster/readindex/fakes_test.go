package readindex

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/resource"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// db is the database of the tests.
var db = resource.Database{Project: "p", ID: resource.DefaultDatabase}

// fakeLog is a log that tests write. It implements Log and LeaderLog.
type fakeLog struct {
	mu        sync.Mutex
	seq       int64
	confirmed int64
	contact   time.Duration
	changed   chan struct{}
	held      error
	began     time.Time
	// stall is called before the clock is read.
	stall func()
}

// newLog returns a log without rows.
func newLog() *fakeLog {
	return &fakeLog{changed: make(chan struct{}), began: clock.System().Now(), stall: func() {}}
}

// write gives the log a row.
func (l *fakeLog) write(seq int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq = seq
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *fakeLog) Progress() (int64, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq, l.changed
}

func (l *fakeLog) Reach(ctx context.Context, seq int64, began time.Duration) error {
	l.mu.Lock()
	l.confirmed = max(l.confirmed, seq)
	l.mu.Unlock()
	for {
		have, changed := l.Progress()
		if have >= seq {
			l.mu.Lock()
			l.contact = max(l.contact, began)
			l.mu.Unlock()
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *fakeLog) Ahead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq > l.confirmed
}

func (l *fakeLog) Elapsed() time.Duration {
	l.stall()
	return clock.System().Now().Sub(l.began)
}

func (l *fakeLog) Held() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// fakeLeader is a leader that answers by a function. requests counts its requests, those with Wait not included.
type fakeLeader struct {
	requests atomic.Int64
	answer   func(ctx context.Context, r Request) (Index, error)
}

func (l *fakeLeader) Index(ctx context.Context, r Request) (Index, error) {
	if !r.Wait {
		l.requests.Add(1)
	}
	return l.answer(ctx, r)
}

// silent is the answer of a leader that is lost.
func silent(ctx context.Context, _ Request) (Index, error) {
	<-ctx.Done()
	return Index{}, ctx.Err()
}

// fakeStack is a stack whose rules and contact tests set. view is the last row that it shows.
type fakeStack struct {
	rules  atomic.Pointer[string]
	view   atomic.Int64
	lost   atomic.Bool
	once   sync.Once
	ending chan struct{}
	closed chan struct{}
	mu     sync.Mutex
	at     clock.Version
}

// newStack returns a stack with rules.
func newStack(rules string) *fakeStack {
	s := &fakeStack{ending: make(chan struct{}), closed: make(chan struct{})}
	s.rules.Store(&rules)
	return s
}

func (s *fakeStack) Databases() []resource.Database { return []resource.Database{db} }
func (s *fakeStack) Rules() string                  { return *s.rules.Load() }
func (s *fakeStack) End()                           { s.once.Do(func() { close(s.ending) }) }
func (s *fakeStack) Ending() <-chan struct{}        { return s.ending }
func (s *fakeStack) Close()                         { s.End(); close(s.closed) }

func (s *fakeStack) Advance(versions map[resource.Database]clock.Version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = max(s.at, versions[db])
}

func (s *fakeStack) Held() error {
	if s.lost.Load() {
		return errors.New("no contact")
	}
	return nil
}

// newReader returns a reader whose stacks, with the rules r, are sent to a channel.
func newReader(t *testing.T, log *fakeLog, leader Leader) (*Reader[*fakeStack], <-chan *fakeStack) {
	t.Helper()
	stacks := make(chan *fakeStack, 100)
	r, err := New(Options[*fakeStack]{Log: log, Leader: leader, TextEnded: "ended", TextNoLeader: "no leader", Open: func(context.Context) (*fakeStack, error) {
		s := newStack("r")
		stacks <- s
		return s, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r, stacks
}

// running runs a reader until stop is called.
func running(t *testing.T, r *Reader[*fakeStack]) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() {
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	return func() {
		cancel()
		run.Wait()
	}
}

// serving waits until a reader serves reads, and returns its stack.
func serving(t *testing.T, r *Reader[*fakeStack]) *fakeStack {
	t.Helper()
	for range 1000 {
		if s, ok := r.Current(); ok {
			return s
		}
		time.Sleep(10 * time.Millisecond) // of the time of synctest
	}
	t.Fatal("the reader serves no reads")
	return nil
}
