package changelog

import (
	"context"
	"encoding/json"
	"time"

	"clave/server/internal/store"
)

// Shared keeps the position of a log that several processes write in turn, each from where the last one has ended. The
// batches themselves are in rows that all of them can read, numbered without a gap.
type Shared interface {
	// Position returns what was set last, or nothing.
	Position(ctx context.Context) (position, segment []byte, err error)
	// SetPosition sets the position, and the segment that is about to be written elsewhere. It fails once it is another
	// process's turn.
	SetPosition(ctx context.Context, position, segment []byte) error
}

// rows is the place in the rows of a shared log.
type rows struct {
	// last is the last row that was recorded, and next the number of the operation that follows it.
	last int64
	next uint64
	// saved is the last row that no later process needs.
	saved int64
	// left is the segment that the last process was writing; nil once it is known to be there.
	left []byte
}

// Continue reads the position of a shared log, and returns the last row that it has. The rows after it have to be
// recorded first. The row is negative if there is no log.
func (l *Log) Continue(ctx context.Context) (row int64, err error) {
	text, left, err := l.o.Shared.Position(ctx)
	if err != nil {
		return -1, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.loaded, l.mu.rows.next = true, 1
	p, ok := parsePosition(text)
	if !ok {
		return -1, nil
	}
	if i := p.Intent; i.Sum != "" { // Whoever writes the segment, and whenever, writes the same bytes.
		p = Position{Log: p.Log, Number: p.Number + 1, From: i.To, Row: i.Row, Previous: i.Sum, Until: i.Until}
		l.mu.rows.left = left
	}
	l.continueLocked(p)
	l.mu.rows.last, l.mu.rows.saved, l.mu.rows.next = p.Row, p.Row, p.From
	return p.Row, nil
}

// IsShared reports whether other processes continue the log once this one ends.
func (l *Log) IsShared() bool { return l.o.Shared != nil }

// RecordRow records the batch of a row. Rows are recorded in their order, by one goroutine at a time.
func (l *Log) RecordRow(row int64, at time.Time, ops []store.Op) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seq := l.mu.rows.next
	l.mu.rows.last, l.mu.rows.next = row, seq+uint64(len(ops))
	l.recordLocked(seq, at, ops)
}

// Needed returns the last row of which no later process needs anything. ok is false if there is no log.
func (l *Log) Needed() (row int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.rows.saved, l.mu.id != ""
}

// Next returns the number of the operation that follows the last row that was recorded.
func (l *Log) Next() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.rows.next
}

// Left returns the segment that the last process of a shared log was writing, until Settle was called; nil if there is
// none.
func (l *Log) Left() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.rows.left
}

// saveBeginning sets the position of a shared log with an id that was begun, unless a segment of it was about to be
// written meanwhile: then Save has set it.
func (l *Log) saveBeginning(ctx context.Context, id string) error {
	l.files.Lock()
	defer l.files.Unlock()
	p := l.Position()
	if now, _ := l.ID(); now != id || p.Log != id || p.Number > 1 || p.Intent.Sum != "" {
		return nil
	}
	return l.saveShared(ctx, p, nil)
}

// saveShared sets the position of a shared log, and the segment that is about to be written.
func (l *Log) saveShared(ctx context.Context, p Position, segment []byte) error {
	text, err := json.Marshal(p)
	if err == nil {
		err = l.o.Shared.SetPosition(ctx, text, segment)
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.id == p.Log {
		l.mu.rows.saved = max(p.Row, p.Intent.Row)
	}
	return nil
}
