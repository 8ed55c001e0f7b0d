package audit

import (
	"bytes"
	"encoding/json"
	"slices"
)

// chunk is the number of bytes that are read at a time, from the end of the file.
const chunk = 64 << 10

// maxLine is the maximum length of a line. A longer line, which this package never writes, ends the reading.
const maxLine = 1 << 20

// Read returns up to limit entries with numbers below before, newest first, and reports whether there are older ones.
// If before is 0, it begins with the latest entry. A line that is not an entry is returned as an entry without a
// method.
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
	// The file does not contain the numbers. The last line has the number of the last entry that was written, and each
	// line before it has the next lower number.
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
