package changelog

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"

	"clave/server/internal/store"
)

// KeysFile is the file in the data folder with the keys of the batches that were written elsewhere since the last
// backup, so that the next one can consist of what was changed. It is not copied to backups.
const KeysFile = "log-keys"

// Changed are the keys that batches have changed.
type Changed struct {
	// Keys are the keys that were set or deleted, each once, in the order in which they were first changed.
	Keys [][]byte
	// Ranges are the ranges whose keys were deleted, in order.
	Ranges []store.Range
}

// keysFile is the file of keys. It has segments whose batches have no values: for each key that was set or deleted, its
// deletion. The lock of the files guards it.
type keysFile struct {
	path string
	// limit is the maximum number of bytes of keys that it may have. Beyond it, it begins anew.
	limit int64
	// checked is set once the end of the file is that of a segment, and size is the number of the bytes of its keys.
	checked bool
	size    int64
	// id is the log of the last segment that was added or checked, and end the number of the operation after it.
	id  string
	end uint64
	// failed is set if keys could not be added the last time.
	failed bool
}

// keysOf returns the records of a chunk without values.
func keysOf(c Chunk) (keys []byte, err error) {
	err = Records(c.Records, c.From, c.To, func(r Record) error {
		for i := range r.Ops {
			if r.Ops[i].Kind == store.Set {
				r.Ops[i] = store.Op{Kind: store.Delete, Key: r.Ops[i].Key}
			}
		}
		keys = appendRecord(keys, r.At, r.Ops)
		return nil
	})
	return keys, err
}

// segment is a segment of the file of keys.
type segment struct {
	Segment
	stored, records []byte
}

// read returns the segments of the file of a log, up to the first that is damaged, and their size in the file.
func (k *keysFile) read(id string) (all []segment, size int64, err error) {
	content, err := os.ReadFile(k.path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, 0, err
	}
	for _, stored := range splitFrames(content) {
		s, packed, _, err := ParseSegment(stored)
		if err != nil {
			break
		}
		records, err := Decompress(packed)
		if err != nil {
			break
		}
		size += int64(len(appendFrame(nil, nil)) + len(stored))
		if s.Log == id {
			all = append(all, segment{s, stored, records})
		}
	}
	return all, size, nil
}

// check removes what a killed process has left behind the last segment.
func (k *keysFile) check(id string) error {
	if k.checked {
		return nil
	}
	all, size, err := k.read(id)
	if err != nil {
		return err
	}
	if err := os.Truncate(k.path, size); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	k.checked, k.size, k.id, k.end = true, 0, id, 0
	for _, s := range all {
		k.size, k.end = k.size+int64(len(s.records)), max(k.end, s.To)
	}
	return nil
}

// add adds the keys of a chunk of a log.
func (k *keysFile) add(id string, c Chunk) error {
	keys, err := keysOf(c)
	if err != nil || len(keys) == 0 {
		return err
	}
	stored, _, err := Segment{Log: id, From: c.From, To: c.To, Until: c.Until}.Append(nil, Compress(keys))
	if err != nil {
		return err
	}
	if err := k.check(id); err != nil {
		return err
	}
	if k.id == id && c.From < k.end {
		// The file has the chunk from an earlier attempt to write it elsewhere, or operations that are gone since the
		// rows of a shared log were reset.
		if err := k.keep(id, func(s segment) bool { return s.To <= c.From }); err != nil {
			return err
		}
	}
	if k.size+int64(len(keys)) > k.limit {
		if err := k.remove(); err != nil {
			return err
		}
	}
	k.checked = false // until everything is written
	f, err := os.OpenFile(k.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(appendFrame(nil, stored))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	k.checked, k.id, k.end = true, id, c.To
	k.size += int64(len(keys))
	return nil
}

// remove removes the file.
func (k *keysFile) remove() error {
	k.checked, k.size, k.end = true, 0, 0
	return removeFile(k.path)
}

// forget removes the segments that have only operations before a number, and those of other logs.
func (k *keysFile) forget(id string, before uint64) error {
	return k.keep(id, func(s segment) bool { return s.To > before })
}

// keep removes the segments that are not wanted, and those of other logs.
func (k *keysFile) keep(id string, wanted func(segment) bool) error {
	all, _, err := k.read(id)
	if err != nil {
		return err
	}
	var content []byte
	size := int64(0)
	for _, s := range all {
		if wanted(s) {
			content, size = appendFrame(content, s.stored), size+int64(len(s.records))
		}
	}
	// A killed process leaves the first part of it, which check finds.
	k.checked = false
	if err := os.WriteFile(k.path, content, fileMode); err != nil {
		return err
	}
	k.checked, k.size = true, size
	return nil
}

// addKeysLocked adds the keys of the chunk that is about to be written elsewhere. The lock of the files is held. A
// failure, which is logged once, costs the next backup the changes: it consists of tables.
func (l *Log) addKeysLocked(id string, c Chunk) {
	err := l.keys.add(id, c)
	if err != nil {
		err = errors.Join(err, l.keys.remove())
	}
	if err != nil && !l.keys.failed {
		l.o.Logger.Warn("the keys of the log were not written to the data folder, so the next backup copies tables", "error", err)
	}
	l.keys.failed = err != nil
}

// Forget removes the keys of the operations before a number, the first one that the next backup needs.
func (l *Log) Forget(before uint64) {
	id, _ := l.ID()
	l.files.Lock()
	defer l.files.Unlock()
	if err := l.keys.forget(id, before); err != nil {
		l.o.Logger.Warn("the keys of the log can't be removed from the data folder", "error", err)
	}
}

// Changed returns the keys that the operations of the present log from one number to another have changed, and perhaps
// some that later ones have. ok is false if they are not known.
func (l *Log) Changed(from, to uint64) (c *Changed, ok bool, err error) {
	l.mu.Lock()
	id, rest := l.mu.id, l.collectedLocked()
	l.mu.Unlock()
	if id == "" {
		return nil, false, nil
	}
	l.files.Lock()
	all, _, err := l.keys.read(id)
	l.files.Unlock()
	if err != nil {
		return nil, false, err
	}
	for _, chunk := range rest {
		all = append(all, segment{Segment: Segment{From: chunk.From, To: chunk.To}, records: chunk.Records})
	}
	c, next := &Changed{}, from
	for _, s := range all {
		if s.To <= next {
			continue
		}
		if s.From > next {
			return nil, false, nil
		}
		err := Records(s.records, s.From, s.To, func(r Record) error {
			if r.Seq+uint64(len(r.Ops)) > from {
				c.add(r.Ops)
			}
			return nil
		})
		if err != nil {
			return nil, false, err
		}
		next = s.To
	}
	c.Keys = unique(c.Keys)
	return c, next > to, nil
}

// add adds the keys of a batch.
func (c *Changed) add(ops []store.Op) {
	for _, op := range ops {
		if op.Kind == store.DeleteRange {
			c.Ranges = append(c.Ranges, store.Range{From: op.Key, To: op.Value})
		} else {
			c.Keys = append(c.Keys, op.Key)
		}
	}
}

// unique removes all but the first of equal keys.
func unique(keys [][]byte) [][]byte {
	order := make([]int32, len(keys))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return bytes.Compare(keys[a], keys[b]) })
	again := make([]bool, len(keys))
	for i := 1; i < len(order); i++ {
		again[order[i]] = bytes.Equal(keys[order[i]], keys[order[i-1]])
	}
	left := keys[:0]
	for i, key := range keys {
		if !again[i] {
			left = append(left, key)
		}
	}
	return left
}
