package listen

import (
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
)

// Stream holds one client's targets. Run must be called once; the other methods are safe for concurrent use.
type Stream struct {
	hub  *Hub
	feed *feedReader
	// staged holds the current commit's changes for the stream, guarded by feedReader.mu.
	staged []entry
	// ready, of capacity one, receives when there may be work. It is never closed.
	ready chan struct{}
	// dropped is closed when the client was too slow for too long.
	dropped chan struct{}
	// sending is the start of the current send, in nanoseconds; 0 between sends.
	sending atomic.Int64
	mu      struct {
		sync.Mutex
		commands []command
		// taken is signalled when commands were taken, and when the stream closes.
		taken *sync.Cond
		// finish is set if the client sends nothing more.
		finish bool
		queue  []entry
		bytes  int
		// lagged is the time when the queue overflowed; zero if it has not.
		lagged time.Time
		// recheck chooses, by key, the targets to re-authorize.
		recheck []func(key any) bool
		// found is the value of sending at the last heartbeat.
		found int64
		// due is set if a quiet stream should send a heartbeat.
		due bool
		// barriers are closed once all entries that were queued before them have been sent.
		barriers []chan struct{}
		// failed ends the stream.
		failed error
		closed bool
	}

	// Only Run accesses the fields below.

	send    func(*target.Event) error
	targets map[int32]*activeTarget
	// pending are entries taken from the queue and not sent yet.
	pending []entry
	// unsent are the targets that have to be sent completely; their since is maxVersion.
	unsent []*activeTarget
	// version is the read time of the last snapshot sent.
	version clock.Version
	// chosen is the greatest target id that the server has chosen.
	chosen int32
	// blind is the version up to which the last decision about some target may not hold.
	blind clock.Version
	// snapshotSent is set if a snapshot was sent since the last heartbeat.
	snapshotSent bool
}

// target is a target of a stream.
type activeTarget struct {
	stream *Stream
	want   Target
	// view and place are guarded by feedReader.mu.
	view  *view
	place int
	// since is the version at which the client has the target; earlier commits don't concern it.
	since clock.Version
	// open is set while the target is in the stream, and fresh until Added has been sent.
	open, fresh bool
	// from is the version at which the client has the target, or 0.
	from clock.Version
	// decided is the version of the last decision that allowed the target, and epoch the hub's epoch before it. The
	// decision may not hold for commits up to blind.
	decided, blind clock.Version
	epoch          uint64
	// looked are the documents on which the last decision depends, and concerned the last commit that changed one of
	// them. feedReader.mu guards them.
	looked    []resource.Document
	concerned clock.Version
}

// entry is what one commit changes for one target.
type entry struct {
	target *activeTarget
	delta  *delta
}

// command is a request of the client.
type command struct {
	add    *Target
	refuse error // of add: the error with which it is refused
	remove int32 // without add
}

// newStream returns a stream of a feed reader.
func newStream(h *Hub, f *feedReader) *Stream {
	s := &Stream{
		hub: h, feed: f, targets: make(map[int32]*activeTarget),
		ready: make(chan struct{}, 1), dropped: make(chan struct{}),
	}
	s.mu.taken = sync.NewCond(&s.mu.Mutex)
	return s
}

// Database returns the database that the stream is of.
func (s *Stream) Database() resource.Database { return s.feed.name }

// maxCommands is the maximum number of a client's commands that wait for Run.
const maxCommands = 1024

// Add opens a target; Run sends the result. Like Refuse and Remove it blocks while too many commands wait for Run.
func (s *Stream) Add(t Target) { s.command(command{add: &t}) }

// Refuse refuses an invalid target: the target is added, and removed with the error as cause.
func (s *Stream) Refuse(id int32, err error) {
	s.command(command{add: &Target{Target: target.Target{ID: id}}, refuse: err})
}

// Remove removes a target.
func (s *Stream) Remove(id int32) { s.command(command{remove: id}) }

// Finish makes Run return once all commands are executed.
func (s *Stream) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.finish = true
	s.signal()
}

// Reauthorize re-authorizes, by calling Check, the open targets whose keys choose accepts; nil accepts all.
func (s *Stream) Reauthorize(choose func(key any) bool) {
	if choose == nil {
		choose = func(any) bool { return true }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.recheck = append(s.mu.recheck, choose)
	s.signal()
}

// Dropped returns a channel that is closed if the client has not read for too long. The caller must then cut the
// stream, because Run may be blocked in its send.
func (s *Stream) Dropped() <-chan struct{} { return s.dropped }

// Close ends the stream. Run must have returned, or not have been called.
func (s *Stream) Close() {
	for _, t := range s.targets {
		s.end(t)
	}
	s.mu.Lock()
	s.mu.closed = true
	s.dropQueueLocked()
	s.mu.taken.Broadcast()
	s.mu.Unlock()
	s.openBarriers(-1)
	s.dropPending()
	s.hub.remove(s)
}

// command queues a command.
func (s *Stream) command(c command) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.mu.commands) >= maxCommands && !s.mu.closed {
		s.mu.taken.Wait()
	}
	if !s.mu.closed {
		s.mu.commands = append(s.mu.commands, c)
		s.signal()
	}
}

// signal wakes Run.
func (s *Stream) signal() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// push queues the changes of one commit. If too much is queued, the stream lags.
func (s *Stream) push(entries []entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.signal()
	if s.mu.closed || !s.mu.lagged.IsZero() {
		return
	}
	s.mu.queue = append(s.mu.queue, entries...)
	for _, e := range entries {
		s.mu.bytes += e.delta.size
		s.hub.hold(e.delta)
	}
	if len(s.mu.queue) > s.hub.o.MaxQueue || s.mu.bytes > s.hub.o.MaxQueueBytes {
		s.lagLocked()
	}
}

// lag discards the queue and makes the stream reset its targets.
func (s *Stream) lag() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.lagged.IsZero() {
		s.lagLocked()
	}
	s.signal()
}

// lagLocked is lag with mu held.
func (s *Stream) lagLocked() {
	s.dropQueueLocked()
	s.mu.lagged = s.hub.o.Clock.Now()
}

// beat drops a client that has been too slow for too long, and schedules a heartbeat for a quiet stream.
func (s *Stream) beat(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuckLocked(now) && s.mu.failed == nil {
		s.mu.failed = fault.E(fault.ResourceExhausted, "The client has not read its stream for too long.")
		close(s.dropped)
	}
	s.mu.due = true
	s.signal()
}

// stuckLocked reports whether the client has read nothing for too long. That includes a client that doesn't read its
// first snapshot, whose reading of the engine can't be released meanwhile. s.mu is held.
func (s *Stream) stuckLocked(now time.Time) bool {
	if !s.mu.lagged.IsZero() && now.Sub(s.mu.lagged) >= s.hub.o.DropAfter {
		return true
	}
	since := s.sending.Load()
	// A machine that was suspended shows any send as long. Only one that an earlier heartbeat has found too is stuck.
	found := since == s.mu.found
	s.mu.found = since
	return since != 0 && found && now.UnixNano()-since >= int64(s.hub.o.DropAfter)
}

// fail ends the stream with an error.
func (s *Stream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.failed == nil {
		s.mu.failed = err
	}
	s.signal()
}
