package changelog_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
)

// shipped tells the log that everything it has collected was written elsewhere.
func shipped(t *testing.T, l *changelog.Log) {
	t.Helper()
	for {
		id, c := l.Take(false)
		if c == nil {
			return
		}
		if err := l.Save(t.Context(), c, "sum", nil); err != nil {
			t.Fatal(err)
		}
		l.Done(id, c, "sum")
	}
}

// keyed is a store with a log whose keys are asked for.
type keyed struct {
	t    *testing.T
	data string
	s    *pebble.Store
	l    *changelog.Log
}

// newKeyed returns a store that has begun a log with a limit.
func newKeyed(t *testing.T, limit int64) *keyed {
	t.Helper()
	k := &keyed{t: t, data: t.TempDir()}
	k.s, k.l = open(t, k.data, limit)
	if err := k.l.Begin(t.Context(), k.s); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.s.Close() })
	return k
}

// mark returns the number of an operation.
func (k *keyed) mark() uint64 {
	k.t.Helper()
	m, err := k.l.Mark(k.t.Context(), k.s)
	if err != nil || m.Seq == 0 {
		k.t.Fatalf("Mark = %+v, %v", m, err)
	}
	return m.Seq
}

// set sets keys in one batch.
func (k *keyed) set(keys ...string) {
	k.t.Helper()
	var b store.Batch
	for _, key := range keys {
		b.Set([]byte(key), []byte("value"))
	}
	if err := k.s.Apply(k.t.Context(), &b); err != nil {
		k.t.Fatal(err)
	}
}

// restart ends the process in an orderly way, and begins another.
func (k *keyed) restart() {
	k.t.Helper()
	if err := errors.Join(k.s.Close(), k.l.Close()); err != nil {
		k.t.Fatal(err)
	}
	k.s, k.l = open(k.t, k.data, 0)
	k.l.Resume(k.t.Context(), k.s)
}

// want compares the keys that were changed between two operations, except marks.
func (k *keyed) want(when string, from, to uint64, keys ...string) {
	k.t.Helper()
	c, ok, err := k.l.Changed(from, to)
	if err != nil || !ok {
		k.t.Errorf("%s: Changed = %t, %v", when, ok, err)
		return
	}
	var is []string
	for _, key := range c.Keys {
		if !bytes.HasPrefix(key, []byte("backup/")) {
			is = append(is, string(key))
		}
	}
	if !slices.Equal(is, keys) {
		k.t.Errorf("%s: the changed keys are %q, want %q", when, is, keys)
	}
}

// unknown checks that the keys are not known.
func (k *keyed) unknown(when string, from, to uint64) {
	k.t.Helper()
	if _, ok, err := k.l.Changed(from, to); ok || err != nil {
		k.t.Errorf("%s: Changed = %t, %v; want that they are not known", when, ok, err)
	}
}

// TestChangedKeys asks for the keys of batches that were written elsewhere and of later ones, also after the process
// has ended, and after those of earlier batches were removed.
func TestChangedKeys(t *testing.T) {
	k := newKeyed(t, 0)
	k.set("before")
	from := k.mark()
	k.set("b", "a", "b")
	shipped(t, k.l)
	k.set("a", "c")
	to := k.mark()
	k.want("in part written elsewhere", from, to, "b", "a", "c")
	k.unknown("before it is there", from, to+1)
	k.restart()
	k.want("after a restart", from, to, "b", "a", "c")
	shipped(t, k.l)
	k.want("when all was written", from, to, "b", "a", "c")
	next := k.mark()
	k.set("d")
	shipped(t, k.l)
	k.l.Forget(next)
	k.want("from the second mark on", next, k.mark(), "d")
	k.unknown("what was forgotten", from, to)
	k.restart()
	k.want("from the second mark on, after a restart", next, k.mark(), "d")
	var b store.Batch
	b.DeleteRange([]byte("a"), []byte("c"))
	if err := k.s.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	c, ok, err := k.l.Changed(next, k.mark())
	if err != nil || !ok || len(c.Ranges) != 1 || string(c.Ranges[0].From) != "a" || string(c.Ranges[0].To) != "c" {
		t.Errorf("after the deletion of a range, Changed = %+v, %t, %v", c, ok, err)
	}
	k.l.End(k.logID(), "for a test")
	k.unknown("without a log", next, next)
	if err := k.l.Begin(t.Context(), k.s); err != nil {
		t.Fatal(err)
	}
	k.unknown("with another log", next, next)
}

// logID returns the id of the log.
func (k *keyed) logID() string {
	id, _ := k.l.ID()
	return id
}

// TestLostKeys cuts, changes and removes the file of keys. They are not known, and those of later batches are.
func TestLostKeys(t *testing.T) {
	for name, damage := range map[string]func(path string, content []byte) error{
		"removed": func(path string, _ []byte) error { return os.Remove(path) },
		"cut":     func(path string, content []byte) error { return os.Truncate(path, int64(len(content)-3)) },
		"changed": func(path string, content []byte) error {
			content[len(content)/2] ^= 1
			return os.WriteFile(path, content, 0o600)
		},
		"a folder": func(path string, _ []byte) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeyed(t, 0)
			from := k.mark()
			k.set("a")
			shipped(t, k.l)
			to := k.mark()
			if err := errors.Join(k.s.Close(), k.l.Close()); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(k.data, changelog.KeysFile)
			content, err := os.ReadFile(path)
			if err := errors.Join(err, damage(path, content)); err != nil {
				t.Fatal(err)
			}
			k.s, k.l = open(t, k.data, 0)
			k.l.Resume(t.Context(), k.s)
			if name == "a folder" {
				if _, ok, err := k.l.Changed(from, to); ok || err == nil {
					t.Errorf("Changed = %t, %v", ok, err)
				}
			} else {
				k.unknown("after the damage", from, to)
			}
			shipped(t, k.l)
			next := k.mark()
			k.set("b")
			shipped(t, k.l)
			k.want("after the damage", next, k.mark(), "b")
		})
	}
}

// TestManyKeys writes more keys than the file may have. The first ones are not known, and later ones are.
func TestManyKeys(t *testing.T) {
	const limit = 1 << 20
	k := newKeyed(t, limit)
	from := k.mark()
	next := from
	for i := range 5 {
		next = k.mark()
		keys := make([]string, 16)
		for j := range keys {
			keys[j] = fmt.Sprintf("%d %d %016384d", i, j, 0)
		}
		k.set(keys...)
		shipped(t, k.l)
	}
	to := k.mark()
	k.unknown("more than the file may have", from, to)
	if c, ok, err := k.l.Changed(next, to); err != nil || !ok || len(c.Keys) < 16 {
		t.Errorf("the last ones: %t, %v", ok, err)
	}
	info, err := os.Stat(filepath.Join(k.data, changelog.KeysFile))
	if err != nil || info.Size() > limit {
		t.Errorf("the file has %v, %v", info, err)
	}
}

// TestPack packs operations, and unpacks them, whole and damaged.
func TestPack(t *testing.T) {
	ops := []store.Op{
		{Kind: store.DeleteRange, Key: []byte("a"), Value: []byte("b")},
		{Kind: store.Set, Key: []byte("c"), Value: bytes.Repeat([]byte("value"), 1000)},
		{Kind: store.Set, Key: []byte("e")},
		{Kind: store.Delete, Key: []byte("d")},
	}
	stored, err := changelog.Pack("aaaaaaaaaa", 3, ops)
	if err != nil || len(stored) > 1000 {
		t.Fatalf("Pack = %d bytes, %v", len(stored), err)
	}
	var is []store.Op
	unpack := func(stored []byte) error {
		is = nil
		return changelog.Unpack(stored, func(ops []store.Op) error { is = append(is, ops...); return nil })
	}
	if err := unpack(stored); err != nil || fmt.Sprint(is) != fmt.Sprint(ops) {
		t.Errorf("Unpack = %v, %v; want %v", is, err, ops)
	}
	for i := range stored {
		changed := slices.Clone(stored)
		changed[i] ^= 1
		if err := unpack(changed); err == nil || len(is) > 0 || !fault.Is(err, fault.DataLoss) && !fault.Is(err, fault.FailedPrecondition) {
			t.Fatalf("with another byte %d, Unpack = %v, %v", i, is, err)
		}
	}
	segment, _, err := changelog.Segment{Log: "aaaaaaaaaa", To: 4}.Append(nil, changelog.Compress([]byte("no zstd")))
	if err := errors.Join(err, unpack(segment)); !fault.Is(err, fault.DataLoss) {
		t.Errorf("a segment of the log: %v", err)
	}
}

// FuzzUnpack unpacks segments with any content: it returns an error, or as many operations as the segment has.
func FuzzUnpack(f *testing.F) {
	stored, err := changelog.Pack("aaaaaaaaaa", 1, []store.Op{{Kind: store.Set, Key: []byte("k"), Value: []byte("v")}, {Kind: store.Delete, Key: []byte("k")}})
	if err != nil {
		f.Fatal(err)
	}
	_, content, _, err := changelog.ParseSegment(stored)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content, uint64(2))
	f.Add([]byte(nil), uint64(0))
	f.Fuzz(func(t *testing.T, content []byte, to uint64) {
		stored, _, err := changelog.Segment{Log: "aaaaaaaaaa", To: to}.Append(nil, content)
		if err != nil {
			t.Fatal(err)
		}
		n := uint64(0)
		err = changelog.Unpack(stored, func(ops []store.Op) error { n += uint64(len(ops)); return nil })
		if err == nil && n != to || err != nil && !fault.Is(err, fault.DataLoss) {
			t.Errorf("Unpack of %d operations has %d, %v", to, n, err)
		}
	})
}
