package changelog

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/store"
)

// Options configure New.
type Options struct {
	// Dir is the data folder.
	Dir string
	// Limit is the maximum number of bytes of records that are not written elsewhere yet, and of keys since the last
	// backup; zero for 64 MiB.
	Limit int64
	// Shared keeps the position of a log that several processes continue in turn; nil for one that is that of Dir.
	Shared Shared
	Clock  clock.Clock
	// Logger receives warnings; nil logs nothing.
	Logger *slog.Logger
}

// Log collects batches. It is a pebble.Recorder. All methods are safe for concurrent use, and none waits for a target,
// so batches are not delayed.
type Log struct {
	o Options
	// flushing receives when the store begins to move its own log to tables.
	flushing chan struct{}
	// full receives when a chunk is complete.
	full chan struct{}
	// files is held while the files are written.
	files sync.Mutex
	keys  keysFile
	mu    struct {
		sync.Mutex
		// loaded is set once the files of the log were read.
		loaded bool
		// id is the id of the log; empty while nothing is collected, and why is the reason.
		id, why string
		// position is that up to which the log was written elsewhere.
		position Position
		// next is the number of the operation that follows; zero until the log's first batch is known.
		next uint64
		// last is the time of the last batch, or up to which the log is complete, in microseconds.
		last int64
		// chunks are the batches before next that are not written elsewhere yet. They grow at the end.
		chunks []*Chunk
		// pending are the batches after one that is still missing, by the numbers of their first operations.
		pending map[uint64]encoded
		// bytes is the size of all of these.
		bytes int64
		// rows is the place in the rows of a shared log; zero for others.
		rows rows
		// marks are the marks that are being made, by their values.
		marks map[string]chan Mark
	}
}

// Chunk is a sequence of batches that becomes a segment.
type Chunk struct {
	// From and To are the number of its first operation and that after its last one.
	From, To uint64
	// Until is the time in microseconds up to which the log is complete with the chunk.
	Until int64
	// Row is the last row of a shared log that it has.
	Row int64
	// Records are the batches.
	Records []byte
	// closed is set once nothing is added any more.
	closed bool
}

// encoded is a batch whose place is not known yet.
type encoded struct {
	ops int
	at  time.Time
	// content is the encoding of its operations.
	content []byte
	// marks are the values of the marks that it has.
	marks []string
}

// Mark is a place in a log.
type Mark struct {
	// Log is the id of the log.
	Log string
	// Seq is the number of the first operation of a batch that was applied while the mark was made, and At its time in
	// microseconds.
	Seq uint64
	At  int64
}

// markKey is the key that a mark writes.
const markKey = "backup/mark"

// The sizes of what is collected: the default limit, and that from which on a chunk becomes a segment.
const (
	defaultLimit = 64 << 20
	chunkBytes   = 4 << 20
)

// From implements pebble.Recorder. It reads the files of the log, since the data folder is locked by now.
func (l *Log) From() uint64 {
	l.load()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.next
}

// Now implements pebble.Recorder.
func (l *Log) Now() time.Time { return l.o.Clock.Now() }

// Record implements pebble.Recorder.
func (l *Log) Record(seq uint64, at time.Time, ops []store.Op) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recordLocked(seq, at, ops)
}

// recordLocked is Record.
func (l *Log) recordLocked(seq uint64, at time.Time, ops []store.Op) {
	switch {
	case l.mu.id == "":
	case len(ops) > maxOps:
		l.endLocked("a batch was larger than a log may have")
	case at.UnixMicro() <= 0:
		l.endLocked("a part of it was written without shipping it")
	case l.mu.next == 0:
		l.addPendingLocked(seq, at, ops)
		if len(l.marksLocked(ops)) > 0 { // It is the log's first batch.
			for earlier := range l.mu.pending {
				if earlier < seq {
					l.mu.bytes -= int64(len(l.mu.pending[earlier].content))
					delete(l.mu.pending, earlier)
				}
			}
			l.mu.next, l.mu.position.From, l.mu.position.Row = seq, seq, max(0, l.mu.rows.last-1)
			l.drainLocked()
		}
	case seq == l.mu.next:
		chunk := l.chunkLocked()
		before := len(chunk.Records)
		chunk.Records = appendRecord(chunk.Records, l.timeLocked(at), ops)
		l.mu.bytes += int64(len(chunk.Records) - before)
		l.addedLocked(chunk, len(ops), l.marksLocked(ops))
		l.drainLocked()
	case seq > l.mu.next:
		l.addPendingLocked(seq, at, ops)
	case seq+uint64(len(ops)) > l.mu.next: // The store is not the one of which the log is.
		l.endLocked("the data are not those whose log was shipped")
	}
	if l.mu.bytes > l.o.Limit {
		l.endLocked("more was written than the place of the backups took in time")
	}
}

// addPendingLocked keeps a batch until those before it are known.
func (l *Log) addPendingLocked(seq uint64, at time.Time, ops []store.Op) {
	e := encoded{ops: len(ops), at: at, content: appendOps(nil, ops), marks: l.marksLocked(ops)}
	l.mu.pending[seq] = e
	l.mu.bytes += int64(len(e.content))
}

// drainLocked adds the pending batches that follow without a gap.
func (l *Log) drainLocked() {
	for {
		e, ok := l.mu.pending[l.mu.next]
		if !ok {
			return
		}
		delete(l.mu.pending, l.mu.next)
		chunk := l.chunkLocked()
		before := len(chunk.Records)
		chunk.Records = append(appendTime(chunk.Records, l.timeLocked(e.at), e.ops), e.content...)
		l.mu.bytes += int64(len(chunk.Records)-before) - int64(len(e.content))
		l.addedLocked(chunk, e.ops, e.marks)
	}
}

// timeLocked returns the time of the next batch: at, but later than that of the last one.
func (l *Log) timeLocked(at time.Time) time.Time {
	l.mu.last = max(at.UnixMicro(), l.mu.last+1)
	return time.UnixMicro(l.mu.last)
}

// chunkLocked returns the chunk to which the next batch is added.
func (l *Log) chunkLocked() *Chunk {
	if n := len(l.mu.chunks); n > 0 {
		if last := l.mu.chunks[n-1]; !last.closed && len(last.Records) < chunkBytes {
			return last
		}
	}
	chunk := &Chunk{From: l.mu.next, To: l.mu.next}
	if l.mu.chunks = append(l.mu.chunks, chunk); len(l.mu.chunks) > 1 {
		select {
		case l.full <- struct{}{}:
		default:
		}
	}
	return chunk
}

// Full returns a channel that receives when a chunk is complete, so that it need not wait for its time.
func (l *Log) Full() <-chan struct{} { return l.full }

// addedLocked completes the addition of a batch of n operations, with the marks of some values, to a chunk.
func (l *Log) addedLocked(chunk *Chunk, n int, marks []string) {
	first := chunk.To
	chunk.To += uint64(n)
	chunk.Until, chunk.Row = l.mu.last, l.mu.rows.last
	l.mu.next = chunk.To
	if intent := l.mu.position.Intent; intent.Sum != "" && chunk.To == intent.To {
		chunk.closed, l.mu.last = true, max(l.mu.last, intent.Until)
	}
	for _, value := range marks {
		if made, ok := l.mu.marks[value]; ok { // It may have been given up while its batch was pending.
			made <- Mark{Log: l.mu.id, Seq: first, At: l.mu.last}
			delete(l.mu.marks, value)
		}
	}
}

// marksLocked returns the values of the marks that a batch makes, without those that nobody waits for. Stores that
// write several batches as one have them among other operations.
func (l *Log) marksLocked(ops []store.Op) (values []string) {
	if len(l.mu.marks) == 0 {
		return nil
	}
	for _, op := range ops {
		if op.Kind != store.Set || !bytes.Equal(op.Key, []byte(markKey)) {
			continue
		}
		if value := string(op.Value); l.mu.marks[value] != nil {
			values = append(values, value)
		}
	}
	return values
}

// endLocked ends the log: what was collected is forgotten, and nothing is collected until Begin.
func (l *Log) endLocked(why string) {
	l.mu.id, l.mu.why, l.mu.next, l.mu.chunks, l.mu.pending, l.mu.bytes = "", why, 0, nil, nil, 0
	l.mu.rows.left = nil
	for value, made := range l.mu.marks {
		made <- Mark{}
		delete(l.mu.marks, value)
	}
}

// End ends the log with the given id for a reason, if it is still the present one.
func (l *Log) End(id, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.id == id && id != "" {
		l.endLocked(why)
	}
}

// ID returns the id of the log; empty while nothing is collected, and then why is the reason.
func (l *Log) ID() (id, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.id, l.mu.why
}

// Resume continues the log of which this process has read the position and the remains, after the store was opened and
// before others write to it. If batches are missing, or the store can't be written, the log ends. A shared log is
// continued by its rows.
func (l *Log) Resume(ctx context.Context, s store.Store) {
	id, _ := l.ID()
	if id == "" || l.IsShared() {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_, err := l.mark(ctx, s, cancel)
	switch {
	case err != nil && ctx.Err() == nil:
		l.o.Logger.Warn("the log can't be continued", "error", err)
		l.End(id, "the store could not be written when the server was started")
	case err != nil:
		l.End(id, "the data were changed without the server, or the server ended without the last seconds of its log")
	}
	if now, _ := l.ID(); now == "" {
		return
	}
	// The store has moved its own log to tables when it was opened, so a process that is killed again has it nowhere else.
	l.keepOrWarn()
}

// Begin begins a new log.
func (l *Log) Begin(ctx context.Context, s store.Store) error {
	l.mu.Lock()
	id := randid.New(20)
	l.endLocked("")
	l.mu.id, l.mu.pending, l.mu.position = id, make(map[uint64]encoded), Position{Log: id, Number: 1}
	l.mu.Unlock()
	if _, err := l.mark(ctx, s, nil); err != nil {
		l.End(id, "the store could not be written")
		return err
	}
	if !l.IsShared() {
		l.keepOrWarn()
		return nil
	}
	err := l.saveBeginning(ctx, id)
	if err != nil { // The next process would not continue it, whatever backup names it.
		l.End(id, "its beginning could not be stored")
	}
	return err
}

// Mark writes a mark to the store and returns its place. The Mark of a log that has ended is the zero one.
func (l *Log) Mark(ctx context.Context, s store.Store) (Mark, error) {
	if id, _ := l.ID(); id == "" {
		return Mark{}, nil
	}
	return l.mark(ctx, s, nil)
}

// mark writes a mark and waits until its place is known. applied, which may be nil, is called once it is written.
func (l *Log) mark(ctx context.Context, s store.Store, applied func()) (Mark, error) {
	value := randid.New(12)
	made := make(chan Mark, 1)
	l.mu.Lock()
	if l.mu.id == "" {
		l.mu.Unlock()
		return Mark{}, nil
	}
	if l.mu.marks == nil {
		l.mu.marks = make(map[string]chan Mark)
	}
	l.mu.marks[value] = made
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.mu.marks, value)
	}()
	b := store.Batch{Deletes: true} // A full disk does not end the log.
	b.Set([]byte(markKey), []byte(value))
	if err := s.Apply(ctx, &b); err != nil {
		return Mark{}, err
	}
	select {
	case m := <-made:
		return m, nil
	default:
	}
	if applied != nil {
		applied()
	}
	select {
	case m := <-made:
		return m, nil
	case <-ctx.Done():
		return Mark{}, fault.Wrap(ctx.Err(), fault.Unavailable, "the place of a mark in the log is not known")
	}
}

// Take returns the next chunk that is to be written elsewhere, or nil if there is none. It is the same one until Done
// is called. With beat set, it returns an empty chunk instead of nil, which says up to which time there is none.
func (l *Log) Take(beat bool) (id string, c *Chunk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.id == "" || l.mu.next == 0 {
		return "", nil
	}
	if len(l.mu.chunks) == 0 {
		if !beat {
			return l.mu.id, nil
		}
		l.mu.chunks = []*Chunk{{From: l.mu.next, To: l.mu.next, Until: l.mu.last, Row: l.mu.rows.last}}
	}
	c = l.mu.chunks[0]
	if !c.closed {
		c.closed = true
		if len(l.mu.chunks) == 1 {
			c.Until = l.completeLocked()
		}
	}
	return l.mu.id, c
}

// completeLocked returns the time up to which all batches are known. Those that are applied later get later times.
func (l *Log) completeLocked() int64 {
	until := l.o.Clock.Now().UnixMicro()
	for _, e := range l.mu.pending { // They may be acknowledged already.
		until = min(until, e.at.UnixMicro()-1)
	}
	l.mu.last = max(l.mu.last, until)
	return l.mu.last
}

// Done removes a chunk of the log with an id, which was written elsewhere as the segment with the given sum, and moves
// the position behind it.
func (l *Log) Done(id string, c *Chunk, sum string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.id != id || len(l.mu.chunks) == 0 || l.mu.chunks[0] != c {
		return
	}
	l.mu.chunks[0] = nil
	l.mu.chunks = l.mu.chunks[1:]
	l.mu.bytes -= int64(len(c.Records))
	l.mu.position = Position{Log: id, Number: l.mu.position.Number + 1, From: c.To, Row: c.Row, Until: c.Until, Previous: sum}
}

// Waiting returns the number of bytes that are not written elsewhere yet, and the time of the oldest of them; zero if
// there are none.
func (l *Log) Waiting() (bytes int64, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.id != "" && len(l.mu.chunks) > 0 && len(l.mu.chunks[0].Records) > 0 {
		d := decoder{rest: l.mu.chunks[0].Records}
		since = time.UnixMicro(int64(d.uvarint())).UTC()
	}
	return l.mu.bytes, since
}
