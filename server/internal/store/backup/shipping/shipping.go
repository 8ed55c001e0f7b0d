// Package shipping writes the log of a store to the place of its backups while the store is in use, so that each second
// since the first backup that the log continues can be restored elsewhere.
//
// Every few seconds the batches that were applied since are written as a segment. A segment that can't be written is
// tried again, with the same content, and batches are collected meanwhile. If more is collected than the log may take,
// or the log has lost batches in another way, it ends: a new log begins with a new backup, and times between the two
// can't be restored. That is counted, logged, and shown until the new backup is complete.
package shipping

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/changelog"
)

// The times of shipping: Every is that between two segments while there are writes, beatEvery that while there are
// none, and giveUp bounds the last attempt at the end of the program.
const (
	Every     = 5 * time.Second
	beatEvery = time.Minute
	giveUp    = 5 * time.Second
)

// Options configure New.
type Options struct {
	Series *series.Series
	Log    *changelog.Log
	// Store is the store whose log it is, and ID the identity of its data.
	Store store.Store
	ID    string
	Clock clock.Clock
	// Logger receives messages for the operator.
	Logger *slog.Logger
}

// Status is the state of the shipping.
type Status struct {
	// Until is the time up to which everything was written; zero if nothing was written by this process.
	Until time.Time
	// Waiting is the number of bytes that are not written yet, and Since the time of the oldest of them, or of the gap;
	// zero if there are none.
	Waiting int64
	Since   time.Time
	// Segments counts the segments, and Bytes their size, that were written since the start, Failures the attempts that
	// failed, and Gaps the logs that have ended.
	Segments, Bytes, Failures, Gaps uint64
	// Failure is the reason why the last attempt failed, or why there is a gap until the next backup; empty otherwise.
	Failure string
}

// Age returns the age of the oldest batch that is not written yet, or of the gap, at a time; zero if there is none.
func (s Status) Age(now time.Time) time.Duration {
	if s.Since.IsZero() {
		return 0
	}
	return max(0, now.Sub(s.Since))
}

// late is the age of a commit that is not shipped from which on it is late: several attempts have failed.
const late = time.Minute

// Late reports whether commits wait for so long that operators must know.
func (s Status) Late(now time.Time) bool { return s.Age(now) >= late }

// Shipper writes a log.
type Shipper struct {
	o    Options
	wake chan struct{}
	mu   struct {
		sync.Mutex
		status Status
		// based is the id of the last log that a backup begins.
		based string
		// gap is the reason why there is no log, and since the time from which on; empty and zero once a backup begins the
		// next one.
		gap   string
		since time.Time
		// marks are the numbers of the marks that this process has made, for its backups.
		marks map[uint64]bool
	}
	// begin is the number of the first operation of a shared log that this process writes.
	begin uint64
	// settled is the id of the log whose end in the place was compared with its position. Only Run uses it, and what
	// follows.
	settled string
	// prepared is the segment that is being written, in its stored form, for another attempt.
	prepared *prepared
	// last is the time of the last segment, and checked that at which the place was last asked for it.
	last, checked time.Time
}

// prepared is a segment in its stored form.
type prepared struct {
	id      string
	chunk   *changelog.Chunk
	segment changelog.Segment
	stored  []byte
	sum     string
}

// New returns a Shipper that works while it runs.
func New(o Options) *Shipper {
	s := &Shipper{o: o, wake: make(chan struct{}, 1)}
	s.mu.based, s.begin = o.Log.Position().Log, o.Log.Next()
	return s
}

// Status returns the state of the shipping.
func (s *Shipper) Status() Status {
	bytes, since := s.o.Log.Waiting()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.mu.status
	out.Waiting, out.Since = bytes, since
	if s.mu.gap != "" {
		out.Since = s.mu.since
		if out.Failure == "" {
			out.Failure = s.mu.gap
		}
	}
	return out
}

// Wake returns a channel that receives when a backup may be needed.
func (s *Shipper) Wake() <-chan struct{} { return s.wake }

// Needs reports whether a backup is needed: none of a list begins the present log, or there is no log.
func (s *Shipper) Needs(all []series.Backup) bool {
	id, _ := s.o.Log.ID()
	for _, b := range all {
		if id != "" && b.Log.Log == id && b.Damage == "" {
			s.based(id)
			return false
		}
	}
	return true
}

// based records that a backup begins a log.
func (s *Shipper) based(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.based, s.mu.gap, s.mu.since = id, "", time.Time{}
}

// Prepare begins a new log if there is none, or if the place has lost it, before a backup is made.
func (s *Shipper) Prepare(ctx context.Context) error {
	s.notice()
	if err := s.lost(ctx); err != nil {
		return err
	}
	if id, _ := s.o.Log.ID(); id != "" {
		return nil
	}
	return s.o.Log.Begin(ctx, s.o.Store)
}

// lost ends the log if the place no longer has its last segment, for example because it was emptied: a backup that
// this log continued could not be restored to a later time.
func (s *Shipper) lost(ctx context.Context) error {
	p := s.o.Log.Position() // first: it only grows
	id, _ := s.o.Log.ID()
	if id == "" || p.Log != id || p.Number <= 1 || s.o.Log.Left() != nil {
		return nil
	}
	all, err := s.o.Series.Segments(ctx, id)
	if err != nil {
		return err
	}
	if n := len(all); n == 0 || all[n-1].Number < p.Number-1 {
		s.o.Log.End(id, s.o.Series.String()+" has lost the end of the log")
	}
	return nil
}

// Mark implements series.Log.
func (s *Shipper) Mark(ctx context.Context) (changelog.Mark, error) {
	m, err := s.o.Log.Mark(ctx, s.o.Store)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.marks == nil {
		s.mu.marks = make(map[uint64]bool)
	}
	s.mu.marks[m.Seq] = true
	return m, err
}

// Changed implements series.Log.
func (s *Shipper) Changed(from, to uint64) (*changelog.Changed, bool, error) {
	return s.o.Log.Changed(from, to)
}

// Forget implements series.Log.
func (s *Shipper) Forget(before uint64) { s.o.Log.Forget(before) }

// Run writes the log until ctx is done.
func (s *Shipper) Run(ctx context.Context) error {
	for {
		err := s.locked(ctx)
		if ctx.Err() != nil {
			return nil
		}
		s.failed(err)
		if clock.Sleep(ctx, s.o.Clock, Every) != nil {
			return nil
		}
	}
}

// failed records a failed attempt.
func (s *Shipper) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reason := fault.Reason(err)
	if s.mu.status.Failure != reason {
		s.o.Logger.Error("the log could not be shipped", "to", s.o.Series.String(), "error", err)
	}
	s.mu.status.Failures++
	s.mu.status.Failure = reason
}

// locked takes the lock of the log and writes segments until an error or the end of ctx. After that it writes what is
// left, for a short time, unless another node does.
func (s *Shipper) locked(ctx context.Context) (err error) {
	// The segments of nodes that have lost the lock are those of the next leader, byte for byte.
	lock, err := s.o.Series.LockLog(ctx, s.o.ID, s.o.Log.IsShared())
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := lock.Close(); closeErr != nil {
			s.o.Logger.Warn("the lock of the log was not given back", "error", closeErr)
		}
	}()
	for {
		now := s.o.Clock.Now()
		var err error
		if now.Sub(s.checked) >= beatEvery {
			s.checked, err = now, s.lost(ctx)
		}
		if err == nil {
			err = s.all(ctx, lock, now.Sub(s.last) >= beatEvery)
		}
		if err != nil && ctx.Err() == nil {
			if held := lock.Held(); held != nil {
				return held
			}
			s.failed(err) // The lock stays: at a bucket that answers slowly, it would be free only after its lease.
		}
		if s.sleep(ctx, err == nil) != nil {
			if s.o.Log.IsShared() {
				return nil
			}
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUp)
			defer cancel()
			return s.all(last, lock, true)
		}
	}
}

// sleep waits until segments are written again: some time, or, with full set, until a chunk is complete.
func (s *Shipper) sleep(ctx context.Context, full bool) error {
	var complete <-chan struct{}
	if full {
		complete = s.o.Log.Full()
	}
	passed, stop := s.o.Clock.After(Every)
	defer stop()
	select {
	case <-passed:
	case <-complete:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// all writes the segments of everything that was collected.
func (s *Shipper) all(ctx context.Context, lock target.Lock, beat bool) error {
	for {
		s.notice()
		if now, _ := s.o.Log.ID(); s.prepared != nil && s.prepared.id != now {
			s.prepared = nil
		}
		if s.prepared == nil {
			id, chunk := s.o.Log.Take(beat)
			if id == "" || chunk == nil {
				s.works()
				return nil
			}
			if err := s.settle(ctx, lock, id); err != nil {
				return err
			}
			if now, c := s.o.Log.Take(beat); now != id || c != chunk {
				continue // The log has ended, or the chunk was written before.
			}
			if err := s.prepare(ctx, id, chunk); err != nil {
				return err
			}
		}
		if err := s.write(ctx, lock); err != nil {
			return err
		}
		beat = false
	}
}

// notice notices that the log has ended.
func (s *Shipper) notice() {
	id, why := s.o.Log.ID()
	s.mu.Lock()
	defer s.mu.Unlock()
	if id != "" || s.mu.gap != "" {
		return
	}
	s.mu.gap, s.mu.since = "times from now on can't be restored until the next backup is complete: "+why, s.o.Clock.Now()
	if s.mu.based != "" {
		s.mu.status.Gaps++
		s.o.Logger.Error("the log has a gap, so times until the next backup can't be restored elsewhere; a backup begins", "reason", why)
	} else {
		s.o.Logger.Info("a new log begins with a backup", "reason", why)
	}
	s.mu.based = ""
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// settle compares the end of a log in the place with the position of this process, once. If they differ, the log ends:
// another server has continued it, or the place has lost segments. So does a shared log with a backup from beyond its
// end. A segment that the node which led before has left is written first.
func (s *Shipper) settle(ctx context.Context, lock target.Lock, id string) error {
	if s.settled == id {
		return nil
	}
	number, sum, err := s.end(ctx, id)
	if err != nil {
		return err
	}
	beyond, err := s.beyond(ctx, id)
	if err != nil {
		return err
	}
	if beyond != "" {
		s.o.Log.End(id, "the backup "+beyond+" has later data than PostgreSQL, which was reset to an earlier state")
		return nil
	}
	p, left := s.o.Log.Position(), s.o.Log.Left()
	if left != nil && number == p.Number-2 {
		if number, sum, err = s.writeLeft(ctx, lock, left, number, sum); err != nil {
			return err
		}
	}
	switch {
	case number == p.Number-1 && sum == p.Previous:
		s.o.Log.Settle(false)
	case number == p.Number && sum != "" && sum == p.Intent.Sum:
		s.o.Log.Settle(true)
	default:
		s.o.Log.End(id, "the end of the log in "+s.o.Series.String()+" is not the one that this server has written")
	}
	s.settled = id
	return nil
}

// end returns the number and the sum of the last segment that the place has of a log; zero if it has none. The sum of a
// damaged one is empty.
func (s *Shipper) end(ctx context.Context, id string) (number uint64, sum string, err error) {
	all, err := s.o.Series.Segments(ctx, id)
	if err != nil || len(all) == 0 {
		return 0, "", err
	}
	last := all[len(all)-1]
	if sum, err = s.o.Series.SumOf(ctx, last); err != nil && !fault.Is(err, fault.DataLoss) {
		return 0, "", err
	}
	return last.Number, sum, nil
}

// beyond returns the name of a backup of a shared log that has operations which the log did not have when this process
// continued it, and that this process has not made; empty if there is none.
func (s *Shipper) beyond(ctx context.Context, id string) (string, error) {
	if !s.o.Log.IsShared() {
		return "", nil
	}
	all, err := s.o.Series.List(ctx)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range all {
		if b.Log.Log == id && b.Log.To >= s.begin && !s.mu.marks[b.Log.To] {
			return b.Name, nil
		}
	}
	return "", nil
}

// writeLeft writes the segment that the last leader has left if it follows the one with a number and a sum, and returns
// the number and the sum of the last segment.
func (s *Shipper) writeLeft(ctx context.Context, lock target.Lock, left []byte, number uint64, sum string) (uint64, string, error) {
	segment, _, is, err := changelog.ParseSegment(left)
	if err != nil || segment.Previous != sum {
		return number, sum, nil // Its log ends.
	}
	if err := lock.Held(); err != nil {
		return 0, "", err
	}
	return segment.Number, is, s.o.Series.PutSegment(ctx, segment, left)
}

// prepare makes the segment of a chunk.
func (s *Shipper) prepare(ctx context.Context, id string, chunk *changelog.Chunk) error {
	position := s.o.Log.Position()
	p := &prepared{id: id, chunk: chunk, segment: changelog.Segment{
		Log: id, Number: position.Number, From: chunk.From, To: chunk.To, Until: chunk.Until, Previous: position.Previous,
	}}
	var err error
	if p.stored, p.sum, err = s.o.Series.SealSegment(p.segment, chunk.Records); err != nil {
		return err
	}
	if err := s.o.Log.Save(ctx, chunk, p.sum, p.stored); err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot write the position of the log: %v", err)
	}
	s.prepared = p
	return nil
}

// write writes the prepared segment.
func (s *Shipper) write(ctx context.Context, lock target.Lock) error {
	p := s.prepared
	if err := lock.Held(); err != nil {
		return err
	}
	if err := s.o.Series.PutSegment(ctx, p.segment, p.stored); err != nil {
		return err
	}
	s.o.Log.Done(p.id, p.chunk, p.sum)
	s.prepared, s.last = nil, s.o.Clock.Now()
	s.works()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.status.Segments++
	s.mu.status.Bytes += uint64(len(p.stored))
	s.mu.status.Until = p.segment.UntilTime()
	return nil
}

// works records that the place can be written.
func (s *Shipper) works() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.status.Failure != "" {
		s.o.Logger.Info("the log is shipped again", "to", s.o.Series.String())
	}
	s.mu.status.Failure = ""
}
