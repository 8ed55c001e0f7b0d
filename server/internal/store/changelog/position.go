package changelog

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
)

// The files of a log in the data folder, besides KeysFile: its position, and the chunks that were not written elsewhere
// when the program ended. None is copied to backups: a restored data folder continues no log.
const (
	PositionFile = "log-position"
	RestFile     = "log-rest"
)

// fileMode restricts the files to their owner.
const fileMode = 0o600

// Position is how far a log was written elsewhere.
type Position struct {
	Log string `json:"log"`
	// Number is that of the next segment, From that of its first operation, Previous the sum of the segment before it, and
	// Until its time.
	Number uint64 `json:"number"`
	From   uint64 `json:"from"`
	// Row is the last row of a shared log that was written elsewhere.
	Row      int64  `json:"row,omitempty"`
	Previous string `json:"previous,omitempty"`
	Until    int64  `json:"until"`
	// Intent is the next segment if it is being written: after a kill it may be there or not.
	Intent Intent `json:"intent,omitzero"`
}

// Intent is a segment that is being written.
type Intent struct {
	Sum   string `json:"sum"`
	To    uint64 `json:"to"`
	Row   int64  `json:"row,omitempty"`
	Until int64  `json:"until"`
}

// New returns a log, which collects nothing before From was called.
func New(o Options) *Log {
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	l := &Log{o: o, keys: keysFile{path: filepath.Join(o.Dir, KeysFile), limit: o.Limit}, flushing: make(chan struct{}, 1), full: make(chan struct{}, 1)}
	l.mu.why = "this server has not shipped its log yet"
	return l
}

// load reads the position and the remains of the last process. Files that can't be read count as absent: then there is
// no log until Begin.
func (l *Log) load() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.loaded = true
	text, err := os.ReadFile(l.path(PositionFile))
	if p, ok := parsePosition(text); err == nil && ok {
		l.continueLocked(p)
		l.readRestLocked()
	}
}

// parsePosition parses the JSON of a position. ok is false for other texts.
func parsePosition(text []byte) (p Position, ok bool) {
	err := json.Unmarshal(text, &p)
	return p, err == nil && IsID(p.Log) && p.Number > 0 && p.From > 0
}

// continueLocked continues a log from a position.
func (l *Log) continueLocked(p Position) {
	l.mu.id, l.mu.why, l.mu.position, l.mu.next, l.mu.last = p.Log, "", p, p.From, p.Until
	l.mu.pending = make(map[uint64]encoded)
}

// path returns the path of a file.
func (l *Log) path(name string) string { return filepath.Join(l.o.Dir, name) }

// readRestLocked reads the chunks that the last process has left. Those that do not continue the log are ignored:
// Resume finds the gap.
func (l *Log) readRestLocked() {
	rest, err := os.ReadFile(l.path(RestFile))
	if err != nil {
		return
	}
	for _, stored := range splitFrames(rest) {
		s, content, _, err := ParseSegment(stored)
		if err != nil || s.Log != l.mu.id {
			return
		}
		records, err := Decompress(content)
		if err != nil {
			return
		}
		err = Records(records, s.From, s.To, func(r Record) error {
			if r.Seq >= l.mu.next {
				l.recordLocked(r.Seq, r.At, r.Ops)
			}
			return nil
		})
		if err != nil {
			return
		}
	}
}

// Position returns how far the log was written elsewhere.
func (l *Log) Position() Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.position
}

// Save writes the position of the log, with a chunk that is about to be written as a segment with a sum and a stored
// form, and the keys of that. It fails if the chunk is no longer the next one, as after the end of its log.
func (l *Log) Save(ctx context.Context, c *Chunk, sum string, stored []byte) error {
	intent := Intent{Sum: sum, To: c.To, Row: c.Row, Until: c.Until}
	l.files.Lock()
	defer l.files.Unlock()
	l.mu.Lock()
	if len(l.mu.chunks) == 0 || l.mu.chunks[0] != c {
		l.mu.Unlock()
		return fault.E(fault.Aborted, "the log has ended meanwhile")
	}
	l.mu.position.Intent = intent
	p, next := l.mu.position, *c
	l.mu.Unlock()
	l.addKeysLocked(p.Log, next)
	if !l.IsShared() {
		return l.savePosition(p)
	}
	return l.saveShared(ctx, p, stored)
}

// Settle decides whether the segment of the intent, which the last process was writing, is there. If it is, the chunks
// that it has are removed.
func (l *Log) Settle(there bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.rows.left = nil
	p := &l.mu.position
	intent := p.Intent
	p.Intent = Intent{}
	if !there || intent.Sum == "" {
		return
	}
	*p = Position{Log: p.Log, Number: p.Number + 1, From: intent.To, Previous: intent.Sum, Until: intent.Until}
	for len(l.mu.chunks) > 0 && l.mu.chunks[0].To <= intent.To {
		l.mu.bytes -= int64(len(l.mu.chunks[0].Records))
		l.mu.chunks = l.mu.chunks[1:]
	}
	if len(l.mu.chunks) > 0 && l.mu.chunks[0].From != intent.To {
		l.endLocked("the data are not those whose log was shipped")
	}
}

// Close writes what is not written elsewhere yet to the data folder, so that the next process continues the log. It is
// called after the store was closed.
func (l *Log) Close() error {
	l.mu.Lock()
	loaded := l.mu.loaded
	l.mu.Unlock()
	if !loaded {
		return nil // Another process may use the data folder.
	}
	return l.keep()
}

// keep writes the position and what is not written elsewhere yet to the data folder. A shared log has both elsewhere.
func (l *Log) keep() error {
	if l.IsShared() {
		return nil
	}
	l.files.Lock()
	defer l.files.Unlock()
	l.mu.Lock()
	p, known, chunks := l.mu.position, l.mu.id != "" && l.mu.next != 0, l.collectedLocked()
	l.mu.Unlock()
	if !known {
		return errors.Join(removeFile(l.path(PositionFile)), removeFile(l.path(RestFile)))
	}
	var rest []byte
	for _, c := range chunks {
		stored, _, err := Segment{Log: p.Log, From: c.From, To: c.To, Until: c.Until}.Append(nil, Compress(c.Records))
		if err != nil {
			return err
		}
		rest = appendFrame(rest, stored)
	}
	if err := atomicfile.Write(l.path(RestFile), rest, fileMode); err != nil {
		return err
	}
	return l.savePosition(p)
}

// collectedLocked returns the chunks that are not written elsewhere yet, as they are now.
func (l *Log) collectedLocked() (chunks []Chunk) {
	for _, c := range l.mu.chunks { // Their records are only appended to.
		chunks = append(chunks, *c)
	}
	return chunks
}

// savePosition writes the position.
func (l *Log) savePosition(p Position) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return atomicfile.Write(l.path(PositionFile), append(text, '\n'), fileMode)
}

// Flushing implements pebble.Recorder.
func (l *Log) Flushing() {
	select {
	case l.flushing <- struct{}{}:
	default:
	}
}

// Run keeps what is not written elsewhere yet in the data folder whenever the store moves its own log to tables, until
// ctx is done: after that a killed process has it nowhere else.
func (l *Log) Run(ctx context.Context) error {
	for {
		select {
		case <-l.flushing:
			l.keepOrWarn()
		case <-ctx.Done():
			return nil
		}
	}
}

// keepOrWarn is keep for a running program, which goes on without.
func (l *Log) keepOrWarn() {
	if err := l.keep(); err != nil {
		l.o.Logger.Warn("the last seconds of the log were not written to the data folder; if the server is killed before they are shipped, a backup begins a new log", "error", err)
	}
}

// removeFile removes a file if it exists.
func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
