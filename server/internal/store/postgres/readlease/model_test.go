package readlease

import (
	"math/rand/v2"
	"time"
)

// A model of a cluster, in which nodes follow a leader by the code of this package. Time passes in ticks. In each tick
// each running node does at most one step, in random order, so that nodes may be stopped between any two steps.
// Messages are delayed and lost with their connections, clocks run at different rates, leaders are killed, stopped,
// restarted in place and hand over. A read at a follower with a lease must return all that any node had shown when it
// began. So must a read at a follower that has requested a read index.

// tick is the unit of the model's time. The durations keep the relations of the real ones.
const (
	tick        = time.Millisecond
	modelLease  = 120 * tick // of the leader, in PostgreSQL
	modelRenew  = 30 * tick
	modelRead   = 30 * tick // Options.Longest
	modelQuiet  = 2 * tick
	modelDefer  = 40 * tick
	modelLength = 3000
)

// broken selects a fault of the model's nodes, which a model must detect.
type broken int

// The faults.
const (
	correct broken = iota
	changesDoNotWait
	lateDrop          // the lease is dropped after the request that confirms it
	countsFromReceipt // a node measures its lease from the response
	forgetsHolders    // the leader takes the end of a connection for a confirmation
	grantsTooLong     // a leader grants without regard to its own lease
	restartsAtOnce    // a leader that is restarted shows rows while leases of its last run last
	handsOverAtOnce   // a leader releases its lease while read leases last
	lateMark          // a leader marks the moment after it has read its last row
	slowClock         // a node's clock is slower than the margin allows for
	readsWhileClosing // a stack that closes serves the reads that have reached their index
	feedEndsFirst     // a stack is fed no more rows before it begins to close
	lastBroken
)

// sim is the model.
type sim struct {
	rnd   *rand.Rand
	fault broken
	now   int64 // ticks
	nodes []*simNode
	// PostgreSQL: the last row of the log, the epoch of the leader, its node, and the end of its lease.
	log, epoch, until int64
	owner             *simNode
	// visible is the last row that any node has shown.
	visible int64
	// leased counts reads with a lease, indexed those with a read index, and closed the stacks that were closed. wrong
	// describes the first wrong read.
	leased, indexed, closed int
	wrong                   string
	deep                    bool // within a step of a node that is stopped in it
}

// simNode is a node: a follower, unless lead is set.
type simNode struct {
	s       *sim
	rate    float64
	paused  int64 // until when it is stopped
	seq     int64 // the last row that its replica has
	stack   *simStack
	asked   *simIndexed
	contact time.Duration // the start of the last exchange with a leader, by its clock
	lead    *simLead
	held    Lease[int64]
	run     int64
	read    simRead
	stream  *simStream
	sent    time.Duration
	waiting bool
	answer  *simMessage // a response whose row is being applied
	lateOut bool
}

// simRead is a read in progress.
type simRead struct {
	active bool
	stack  *simStack
	floor  int64
}

// simLead is a leader.
type simLead struct {
	g             *Grants
	n             *simNode
	epoch         int64
	until, asked  time.Duration // by its clock
	renewAt       int64         // when PostgreSQL gets the request for renewal; 0 without one
	renewedAt     int64         // when its response arrives
	renewed       bool
	next          time.Duration
	readyAt       int64
	row, insertAt int64 // the row of the change in progress and when PostgreSQL gets it
	inserted      bool
	change        Change
	leaving       bool
	streams       []*simStream
}

// simStream is a connection of a follower to a leader.
type simStream struct {
	to       *simLead
	from     *simNode
	holder   *Holder
	request  *simMessage // on its way, or deferred by the leader
	response *simMessage
	arrived  bool
	received time.Time
	limit    int64
	marked   bool
	mark     Mark
	seq      int64
}

// simMessage is a message.
type simMessage struct {
	at    int64 // its arrival
	after int64
	lease time.Duration
	seq   int64
}

// Now implements clock.Clock.
func (n *simNode) Now() time.Time { return time.Unix(1000, 0).Add(n.elapsed()) }

// After implements clock.Clock; the model never waits.
func (n *simNode) After(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }

// elapsed returns the time of a node's clock.
func (n *simNode) elapsed() time.Duration {
	return time.Duration(float64(n.s.now) * n.rate * float64(tick))
}

// newSim returns a model whose first node leads.
func newSim(seed uint64, fault broken) *sim {
	s := &sim{rnd: rand.New(rand.NewPCG(seed, 0)), fault: fault}
	for range 3 {
		rate := 1 + (s.rnd.Float64()-0.5)/100
		if fault == slowClock {
			rate = 0.5 + s.rnd.Float64()
		}
		s.nodes = append(s.nodes, &simNode{s: s, rate: rate})
	}
	s.take(s.nodes[0])
	return s
}

// chance reports true once in n times.
func (s *sim) chance(n int) bool { return s.rnd.IntN(n) == 0 }

// delay returns the arrival time of a message.
func (s *sim) delay() int64 {
	if s.chance(20) {
		return s.now + s.rnd.Int64N(60)
	}
	return s.now + 1 + s.rnd.Int64N(2)
}

// take lets a node take PostgreSQL's lease if it is free, or its own.
func (s *sim) take(n *simNode) {
	own := s.owner == n && s.now <= s.until
	if s.now <= s.until && !own && s.owner != nil {
		return
	}
	s.epoch++
	s.owner, s.until = n, s.now+int64(modelLease/tick)
	l := &simLead{n: n, epoch: s.epoch, until: n.elapsed() + modelLease - modelLease/6, next: n.elapsed() + modelRenew, readyAt: s.now}
	if own && s.fault != restartsAtOnce {
		l.readyAt += int64(modelRead / tick)
	}
	l.g, _ = New(Options{Clock: n, Longest: modelRead, Quiet: modelQuiet, Leading: func() time.Duration {
		if s.fault == grantsTooLong {
			return time.Hour
		}
		return l.until - n.elapsed()
	}})
	n.lead, n.stack, n.asked, n.stream, n.answer, n.waiting, n.lateOut = l, nil, nil, nil, nil, false, false
	n.run++ // it reads by another leader's lease no more
	n.held.Drop()
}

// run lets the model run and returns the first error.
func (s *sim) run() string {
	for s.now < modelLength && s.wrong == "" {
		s.step()
	}
	return s.wrong
}

// step lets a tick pass.
func (s *sim) step() {
	s.now++
	s.postgres()
	for _, i := range s.rnd.Perm(len(s.nodes)) {
		n := s.nodes[i]
		if n.paused > s.now {
			continue
		}
		switch {
		case s.chance(400):
			n.paused = s.now + s.rnd.Int64N(200)
		case s.chance(1500):
			n.kill()
		case n.lead != nil:
			n.lead.step()
		default:
			n.follow()
		}
	}
}

// kill restarts a node. Its work in progress is lost.
func (n *simNode) kill() {
	n.lead, n.stack, n.asked, n.stream, n.answer, n.waiting, n.lateOut, n.read = nil, nil, nil, nil, nil, false, false, simRead{}
	n.run++
	n.held.Drop()
	if n.s.chance(2) {
		n.s.take(n)
	}
}

// postgres executes the statements that have arrived.
func (s *sim) postgres() {
	for _, n := range s.nodes {
		l := n.lead
		if l == nil {
			continue
		}
		if l.renewAt != 0 && l.renewAt <= s.now {
			l.renewAt, l.renewedAt, l.renewed = 0, s.delay(), s.epoch == l.epoch
			if l.renewed {
				s.until = s.now + int64(modelLease/tick)
			}
		}
		if l.row != 0 && !l.inserted && l.insertAt <= s.now && s.epoch == l.epoch {
			l.inserted = true
			s.log = l.row
		}
	}
}

// step is a leader's step.
func (l *simLead) step() {
	s, n := l.n.s, l.n
	switch {
	case s.now < l.readyAt:
	case n.seq < s.log && l.row == 0 && s.epoch == l.epoch: // rows of the last leader
		n.seq = s.log
		s.visible = max(s.visible, n.seq)
	case l.renewedAt != 0 && l.renewedAt <= s.now:
		l.renewedAt = 0
		if !l.renewed {
			n.lead = nil // another node leads
			return
		}
		l.until = l.asked + modelLease - modelLease/6
	case l.renewAt == 0 && l.renewedAt == 0 && n.elapsed() >= l.next:
		l.asked, l.renewAt, l.next = n.elapsed(), s.delay(), n.elapsed()+modelRenew
	case l.leaving && l.row == 0:
		l.leave()
	case s.chance(2) && l.write():
	default:
		if len(l.streams) > 0 {
			l.streams[s.rnd.IntN(len(l.streams))].serve()
		}
	}
	l.index()
}

// leave hands over, once no leases are in use.
func (l *simLead) leave() {
	s := l.n.s
	if !l.g.mu.closed {
		l.g.mu.closed = true
		l.g.beginLocked()
	}
	if left, _ := l.g.left(); left > 0 && s.fault != handsOverAtOnce {
		if len(l.streams) > 0 {
			l.streams[s.rnd.IntN(len(l.streams))].serve()
		}
		return
	}
	if s.epoch == l.epoch {
		s.until = s.now - 1
	}
	l.n.lead = nil
}

// write is a step of a change. It returns false if there is nothing to do.
func (l *simLead) write() bool {
	s := l.n.s
	switch {
	case l.row == 0 && l.n.elapsed() < l.until && s.chance(40):
		l.change, l.row, l.insertAt, l.inserted = l.g.Change(), l.n.seq+1, s.delay(), false
	case l.row == 0 && s.chance(1000):
		l.leaving = true
		return false
	case l.row == 0:
		return false
	case !l.inserted && s.epoch != l.epoch: // the fence
		l.change.End()
		l.row = 0
	case !l.inserted:
		return false
	default:
		if left, _ := l.g.left(); left > 0 && s.fault != changesDoNotWait {
			return false
		}
		l.n.seq = l.row
		s.visible = max(s.visible, l.row)
		l.row = 0
		l.change.End()
	}
	return true
}

// serve is a leader's step at a stream.
func (c *simStream) serve() {
	l := c.to
	s := l.n.s
	m := c.request
	switch {
	case m == nil || m.at > s.now:
	case !c.arrived:
		l.g.Arrived(c.holder)
		c.arrived, c.marked, c.received, c.limit = true, false, l.n.Now(), s.now+int64(modelDefer/tick)
	case !c.marked:
		due, _, _ := l.g.Due(c.holder, true)
		if due || l.n.seq != m.after || s.now >= c.limit {
			c.marked, c.mark, c.seq = true, l.g.Mark(), l.n.seq
		}
	case l.n.elapsed() >= l.until && s.fault != grantsTooLong: // it may have other leaders
		c.request, c.arrived, c.response = nil, false, &simMessage{at: s.delay(), seq: -1}
	default:
		out := &simMessage{seq: c.seq}
		if s.fault == lateMark {
			c.mark = l.g.Mark()
		} else {
			out.seq = l.n.seq
		}
		if out.seq == m.after {
			out.lease = l.g.Grant(c.holder, c.mark, c.received)
		}
		out.at = s.delay()
		c.request, c.arrived, c.response = nil, false, out
	}
}

// follow is a follower's step.
func (n *simNode) follow() {
	s := n.s
	if s.now > s.until && s.chance(30) {
		s.take(n)
		return
	}
	switch {
	case s.chance(3):
		n.reading()
		return
	case s.chance(3):
		n.indexing()
		return
	case n.closing():
		return
	}
	if n.stream != nil && s.chance(200) {
		n.disconnect()
		return
	}
	switch {
	case n.lateOut:
		n.held.Drop()
		n.lateOut = false
	case n.answer != nil: // the replica gets the row
		if n.reach(n.stack, n.answer.seq, n.sent) && n.answer.lease > 0 {
			from := n.sent
			if s.fault == countsFromReceipt {
				from = n.elapsed()
			}
			n.held.Put(n.run, from, n.answer.lease)
		}
		n.answer = nil
	case n.stream == nil:
		if l := s.owner.lead; l != nil && s.owner != n {
			n.stream = &simStream{to: l, from: n, holder: &Holder{}}
			l.streams = append(l.streams, n.stream)
		}
	case !n.waiting:
		n.sent, n.waiting = n.elapsed(), true
		n.stream.request = &simMessage{at: s.delay(), after: n.seq}
	case n.stream.response != nil && n.stream.response.at <= s.now:
		n.received(n.stream.response)
	case n.stream.to.n.lead != n.stream.to: // the leader has closed the connection
		n.disconnect()
	}
}

// received processes a response.
func (n *simNode) received(m *simMessage) {
	n.stream.response, n.waiting = nil, false
	if m.lease == 0 {
		if n.s.fault == lateDrop {
			n.sent, n.waiting, n.lateOut = n.elapsed(), true, true
			n.stream.request = &simMessage{at: n.s.delay(), after: n.seq}
		} else {
			n.held.Drop()
		}
	}
	if m.seq >= 0 {
		n.answer = m
	}
}

// disconnect ends a follower's stream. A response on its way is lost.
func (n *simNode) disconnect() {
	c := n.stream
	if n.s.fault == forgetsHolders {
		c.to.g.Arrived(c.holder)
		c.to.g.Arrived(c.holder)
	}
	c.request, c.response, n.stream, n.waiting = nil, nil, nil, false
	n.s.rnd.Shuffle(len(c.to.streams), func(i, j int) { c.to.streams[i], c.to.streams[j] = c.to.streams[j], c.to.streams[i] })
	for i, other := range c.to.streams {
		if other == c {
			c.to.streams = append(c.to.streams[:i], c.to.streams[i+1:]...)
			break
		}
	}
}

// reading is a step of a read: it begins and looks for a lease, or it reads.
func (n *simNode) reading() {
	s := n.s
	if n.read.active {
		n.read.active = false
		n.returns("a read by a lease", n.read.stack, n.read.floor)
		return
	}
	floor, run, stack := s.visible, n.run, n.stack
	if stack == nil || stack.ending {
		return
	}
	now := func() time.Duration {
		if s.chance(5) && !s.deep { // it is stopped here
			s.deep, n.paused = true, s.now+s.rnd.Int64N(100)
			for n.paused > s.now && s.now < modelLength {
				s.step()
			}
			s.deep = false
		}
		return n.elapsed()
	}
	if n.held.Valid(n.run, now) && n.run == run {
		s.leased++
		n.read = simRead{active: true, stack: stack, floor: floor}
	}
}
