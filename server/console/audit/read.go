package audit

import (
	"bytes"
	"encoding/json"
	"slices"
)

// chunk is how much of the file is read at a time, from its end.
const chunk = 64 << 10

// maxLine is the longest line that is read; longer ones, which this package does not write, end the reading.
const maxLine = 1 << 20

// Read returns up to limit entries before the one with a number, from the latest when before is 0, newest first, and whether there
// are older ones. A line that is no entry is shown as one without a method.
func (l *Log) Read(limit int, before int64) (entries []Entry, more bool, err error) {
	l.mu.Lock()
	count, size := l.mu.count, l.mu.size
	kept := slices.Clone(l.mu.kept)
	unwritten := int64(len(l.mu.unwritten))
	l.mu.Unlock()
	if before <= 0 || before > count {
		before = count + 1
	}
	if l.file == nil {
		for i := len(kept) - 1; i >= 0; i-- {
			switch {
			case kept[i].N >= before:
			case len(entries) == limit:
				return entries, true, nil
			default:
				entries = append(entries, kept[i])
			}
		}
		return entries, false, nil
	}
	// Entries have no number in the file: the last line's is that of the last entry that was written, and each line before it has one less.
	n := count - unwritten
	err = l.backward(size, func(line []byte) bool {
		if n < before {
			if len(entries) == limit {
				more = true
				return false
			}
			var e Entry
			if json.Unmarshal(line, &e) != nil {
				e = Entry{Targets: []string{}}
			}
			e.N = n
			entries = append(entries, e)
		}
		n--
		return true
	})
	return entries, more, err
}

// backward calls yield with the lines of the file, from the last one.
func (l *Log) backward(size int64, yield func(line []byte) bool) error {
	var rest []byte // the beginning of what was read, up to its first line break
	for at := size; at > 0 && len(rest) < maxLine; {
		n := min(chunk, at)
		at -= n
		piece := make([]byte, n, int(n)+len(rest))
		if _, err := l.file.ReadAt(piece, at); err != nil {
			return err
		}
		piece = append(piece, rest...)
		lines := bytes.Split(bytes.TrimSuffix(piece, []byte{'\n'}), []byte{'\n'})
		from := 1
		if at == 0 {
			from = 0
		}
		for i := len(lines) - 1; i >= from; i-- {
			if !yield(lines[i]) {
				return nil
			}
		}
		rest = append(lines[0][:len(lines[0]):len(lines[0])], '\n')
	}
	return nil
}
