package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// Entry is one change.
type Entry struct {
	// N is the number of the entry in the log, from 1. It is not written, because it is the line number.
	N int64 `json:"n"`
	// Time is when the change ended, or began if its result is UNKNOWN.
	Time time.Time `json:"time"`
	// Session is the id of the session that made the change. It is not a secret.
	Session string `json:"session"`
	// Address is the network address of the request.
	Address string `json:"address"`
	// Method is the name of the call, such as Commit.
	Method string `json:"method"`
	// Database is the name of the database, or empty.
	Database string `json:"database,omitempty"`
	// Targets are the changes, such as "update users/ada"; only the first ones if there are many.
	Targets []string `json:"targets"`
	// Count is the number of changes.
	Count int `json:"count"`
	// Result is OK or the code of the error, such as PERMISSION_DENIED. It is UNKNOWN for a change that was in progress
	// when the process was killed.
	Result string `json:"result"`
}

// Options configure a log.
type Options struct {
	// Path is the path of the file, whose folder is created if it is missing. If it is empty, the latest entries are kept
	// in memory.
	Path string
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Log receives failures; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Log is a log of changes. It is safe for concurrent use.
type Log struct {
	o    Options
	file *os.File // nil in memory
	mu   struct {
		sync.Mutex
		// size is the size of the complete lines of the file.
		size int64
		// unwritten are lines that could not be written yet.
		unwritten [][]byte
		// kept are the latest entries, in memory.
		kept []Entry
		// count is the number of entries, including the unwritten ones.
		count int64
		// begun are the changes in progress by a number, of which lastBegun is the greatest.
		begun     map[int64]Entry
		lastBegun int64
	}
}

// maxInMemory is the maximum number of entries that are kept without a file.
const maxInMemory = 10_000

// Open opens a log. Entries are appended to an existing file.
func Open(o Options) (*Log, error) {
	o.EnsureDefaults()
	l := &Log{o: o}
	if o.Path == "" {
		return l, nil
	}
	if err := os.MkdirAll(filepath.Dir(o.Path), 0o700); err != nil {
		return nil, fmt.Errorf("open the console's audit log: %w", err)
	}
	file, err := os.OpenFile(o.Path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the console's audit log: %w", err)
	}
	if l.mu.count, l.mu.size, err = repair(file); err != nil {
		return nil, errors.Join(fmt.Errorf("read the console's audit log: %w", err), file.Close())
	}
	l.file, l.mu.begun = file, make(map[int64]Entry)
	if err := l.addUnended(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// repair counts the lines of a file and terminates the last one, which a crash may have cut off.
func repair(file *os.File) (lines, size int64, err error) {
	buffer, last := make([]byte, 64<<10), byte('\n')
	for {
		n, err := file.Read(buffer)
		for _, b := range buffer[:n] {
			if b == '\n' {
				lines++
			}
			last = b
		}
		size += int64(n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, 0, err
		}
	}
	if last == '\n' {
		return lines, size, nil
	}
	_, err = file.Write([]byte{'\n'})
	return lines + 1, size + 1, err
}

// Close closes the file.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// Ready returns FailedPrecondition while earlier entries cannot be written, because a change that cannot be recorded
// must not be made.
func (l *Log) Ready() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.flushLocked(); err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "The console's audit log cannot be written, so nothing may be changed: %v.", err)
	}
	return nil
}

// Add adds an entry, whose time and result it sets. An entry that can't be written now is written later.
func (l *Log) Add(e Entry, outcome error) {
	e.Time, e.Result = l.o.Clock.Now(), fault.CodeOf(outcome).String()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addLocked(e)
}

// addLocked adds an entry with its time and result; mu is held.
func (l *Log) addLocked(e Entry) {
	if e.Targets == nil {
		e.Targets = []string{}
	}
	l.mu.count++
	e.N = l.mu.count
	if l.file == nil {
		if len(l.mu.kept) == maxInMemory {
			l.mu.kept = l.mu.kept[1:]
		}
		l.mu.kept = append(l.mu.kept, e)
		return
	}
	text, err := json.Marshal(e)
	if err != nil { // strings, numbers and a time are JSON
		text = []byte("{}")
	}
	l.mu.unwritten = append(l.mu.unwritten, append(text, '\n'))
	if err := l.flushLocked(); err != nil {
		l.o.Log.Error("the console's audit log cannot be written", "error", err, "entry", string(text))
	}
}

// flushLocked writes the unwritten lines; mu is held. It truncates a line that was written in part.
func (l *Log) flushLocked() error {
	if len(l.mu.unwritten) == 0 {
		return nil
	}
	for len(l.mu.unwritten) > 0 {
		line := l.mu.unwritten[0]
		if _, err := l.file.Write(line); err != nil {
			return errors.Join(err, l.file.Truncate(l.mu.size))
		}
		l.mu.size += int64(len(line))
		l.mu.unwritten = l.mu.unwritten[1:]
	}
	return l.file.Sync()
}
