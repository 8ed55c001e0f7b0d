package readindex

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/postgres/readlease"
)

// A cluster in the time of synctest: a leader with an Issuer, and nodes that read by a Reader each. Rows arrive late,
// messages are late and lost, and nodes are stopped before they read their clocks. readlease has a model of the leases
// alone, in which leaders change and clocks differ too.

// The durations of a cluster: of its run, of a lease in PostgreSQL, and of the delays.
const (
	clusterTime  = 40 * time.Second
	clusterLease = 1500 * time.Millisecond
	slowMessage  = 60 * time.Millisecond
)

// cluster is a leader and what it has shown.
type cluster struct {
	mu      sync.Mutex
	rnd     *rand.Rand
	log     *fakeLog // of the leader
	shown   chan struct{}
	visible atomic.Int64
	issuer  *Issuer
	leases  *readlease.Grants
}

// upTo returns a random duration.
func (c *cluster) upTo(most time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Duration(c.rnd.Int64N(int64(most)))
}

// chance reports true once in n times.
func (c *cluster) chance(n int) bool { return c.upTo(time.Duration(n)) == 0 }

// Latest implements LeaderStack.
func (c *cluster) Latest(resource.Database) clock.Version { return clock.Version(c.visible.Load()) }

// Visible implements LeaderStack.
func (c *cluster) Visible() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown
}

// write writes rows until ctx is done.
func (c *cluster) write(ctx context.Context) {
	for seq := int64(1); ctx.Err() == nil; seq++ {
		time.Sleep(c.upTo(200 * time.Millisecond))
		if c.chance(5) {
			time.Sleep(c.upTo(2 * time.Second)) // in which leases last
		}
		change := c.leases.Change()
		time.Sleep(c.upTo(5 * time.Millisecond))
		shown := make(chan struct{})
		c.mu.Lock()
		c.shown = shown
		c.mu.Unlock()
		c.log.write(seq)
		change.Wait()
		c.visible.Store(seq)
		c.mu.Lock()
		c.shown = nil
		c.mu.Unlock()
		close(shown)
		change.End()
	}
}

// node is a node that follows.
type node struct {
	c      *cluster
	log    *fakeLog
	holder *readlease.Holder
	reader *Reader[*nodeStack]
	stack  atomic.Pointer[nodeStack]
	reads  int
}

// nodeStack is a stack that shows the rows of its node's replica.
type nodeStack struct {
	*fakeStack
	n *node
}

// Held implements Stack.
func (s *nodeStack) Held() error {
	now := s.n.log.Elapsed()
	s.n.log.mu.Lock()
	defer s.n.log.mu.Unlock()
	if now-s.n.log.contact >= clusterLease {
		return errors.New("no contact")
	}
	return nil
}

// Index implements Leader. The message or its answer may be lost with the stream.
func (n *node) Index(ctx context.Context, r Request) (Index, error) {
	lost := n.c.chance(50)
	if r.Wait { // one request at a time
		if n.holder == nil {
			n.holder = new(readlease.Holder)
		}
		r.Holder = n.holder
	}
	time.Sleep(n.c.upTo(2 * time.Millisecond))
	if n.c.chance(20) {
		time.Sleep(n.c.upTo(slowMessage))
	}
	if lost && r.Wait {
		n.holder = nil
	}
	if lost && n.c.chance(2) {
		return silent(ctx, r)
	}
	r.Received = time.Now()
	index, err := n.c.issuer.Issue(ctx, r)
	time.Sleep(n.c.upTo(2 * time.Millisecond))
	if n.c.chance(20) {
		time.Sleep(n.c.upTo(slowMessage))
	}
	if lost {
		return silent(ctx, r)
	}
	return index, err
}

// follow gives the rows that the leader has shown to the replica and its stack until ctx is done.
func (n *node) follow(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(time.Millisecond + n.c.upTo(10*time.Millisecond))
		n.log.mu.Lock()
		have, want := n.log.seq, n.log.confirmed
		n.log.mu.Unlock()
		for have < want {
			have++
			if s := n.stack.Load(); s != nil {
				select {
				case <-s.Ending():
				default:
					s.view.Store(have)
				}
			}
			n.log.write(have)
		}
	}
}

// read reads until ctx is done. A read must show all that was visible at the leader when it began.
func (n *node) read(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		time.Sleep(n.c.upTo(10 * time.Millisecond))
		s, ok := n.reader.Current()
		if !ok {
			continue
		}
		floor := n.c.visible.Load()
		if err := n.reader.Now(ctx, s); err != nil {
			continue
		}
		n.reads++
		if view := s.view.Load(); view < floor && s.Held() == nil {
			t.Errorf("a read shows row %d after row %d was visible", view, floor)
		}
	}
}

// TestReadsShowAllThatWasVisible runs clusters with random schedules.
func TestReadsShowAllThatWasVisible(t *testing.T) {
	var leased, indexed, rows int64
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) {
			c := &cluster{rnd: rand.New(rand.NewPCG(seed, 0)), log: newLog()}
			c.issuer, c.leases = newIssuer(t, c.log, c)
			ctx, cancel := context.WithTimeout(t.Context(), clusterTime)
			defer cancel()
			var running sync.WaitGroup
			running.Go(func() { c.write(ctx) })
			nodes := make([]*node, 2)
			for i := range nodes {
				n := &node{c: c, log: newLog()}
				n.log.stall = func() {
					if c.chance(200) {
						time.Sleep(c.upTo(time.Second))
					}
				}
				var err error
				n.reader, err = New(Options[*nodeStack]{Log: n.log, Leader: n, Open: func(context.Context) (*nodeStack, error) {
					s := &nodeStack{newStack("r"), n}
					seq, _ := n.log.Progress()
					s.view.Store(seq)
					n.stack.Store(s)
					return s, nil
				}})
				if err != nil {
					t.Fatal(err)
				}
				nodes[i] = n
				running.Go(func() {
					if err := n.reader.Run(ctx); err != nil {
						t.Error(err)
					}
				})
				running.Go(func() { n.follow(ctx) })
				running.Go(func() { n.read(ctx, t) })
			}
			running.Wait()
			for _, n := range nodes {
				l, i := n.reader.Counts()
				leased, indexed = leased+l, indexed+i
				if n.reads < 100 {
					t.Errorf("a node has served only %d reads", n.reads)
				}
			}
			rows += c.visible.Load()
		})
	}
	t.Logf("%d reads by leases, %d by read indexes, %d rows", leased, indexed, rows)
	if leased < 2000 || indexed < 1000 || rows < 200 {
		t.Errorf("there are only %d reads by leases, %d by read indexes, and %d rows", leased, indexed, rows)
	}
}
