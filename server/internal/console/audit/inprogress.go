package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
)

// A change is added to the log when it has ended, with its result. A process that is killed in between has made it, or
// a part of it. So changes in progress are in a file of their own, as a JSON array of entries, which exists only while
// there are some. Open adds what a killed process left there.

// begunSuffix is appended to the log's path for the file of the changes in progress.
const begunSuffix = ".begun"

// Begin records that a change begins. The returned function adds the entry with the outcome of the change; it must be
// called once. If the process ends before that, the next Open adds the entry with the result UNKNOWN and the time at
// which the change began.
func (l *Log) Begin(e Entry) (end func(outcome error)) {
	if l.file == nil {
		return func(outcome error) { l.Add(e, outcome) }
	}
	begun := e
	begun.Time = l.o.Clock.Now()
	l.mu.Lock()
	l.mu.lastBegun++
	id := l.mu.lastBegun
	l.mu.begun[id] = begun
	l.noteBegunLocked()
	l.mu.Unlock()
	return func(outcome error) {
		l.Add(e, outcome)
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.mu.begun, id)
		l.noteBegunLocked()
	}
}

// noteBegunLocked writes the changes in progress; mu is held. A failure is logged: Ready refuses changes if the log
// itself can't be written.
func (l *Log) noteBegunLocked() {
	err := l.writeBegunLocked()
	if err != nil {
		l.o.Log.Error("the console's changes in progress cannot be recorded", "error", err)
	}
}

// writeBegunLocked writes the changes in progress, or removes the file if there are none.
func (l *Log) writeBegunLocked() error {
	path := l.o.Path + begunSuffix
	if len(l.mu.begun) == 0 {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	var all []Entry
	for _, id := range slices.Sorted(maps.Keys(l.mu.begun)) {
		all = append(all, l.mu.begun[id])
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, text, 0o600)
}

// addUnended adds the changes that a killed process had begun.
func (l *Log) addUnended() error {
	text, err := os.ReadFile(l.o.Path + begunSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the console's changes in progress: %w", err)
	}
	var all []Entry
	if err := json.Unmarshal(text, &all); err != nil {
		l.o.Log.Error("the file of the console's changes in progress is damaged", "error", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range all {
		e.Result = fault.Unknown.String()
		l.addLocked(e)
	}
	if len(l.mu.unwritten) == 0 {
		l.noteBegunLocked()
	}
	return nil
}
