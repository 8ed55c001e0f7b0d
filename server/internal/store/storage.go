// Package store defines the contract of storage engines: ordered keys, snapshots and atomic, durable batches. Other
// packages use disks and databases only through it.
//
// Keys and values are bytes; keys are ordered as bytes. Every engine passes the suite in storagetest.
package store

import (
	"context"
	"errors"
)

// ErrClosed is returned by every call on a Store after Close.
var ErrClosed = errors.New("storage: closed")

// ErrFull is returned by Apply if there is no space for a batch. Nothing of the batch is written, and later batches
// succeed once there is space again.
var ErrFull = errors.New("storage: no space")

// ErrMoved is in the chain of errors that Apply and Held return once another process may write the store. This process
// writes nothing any more, and the store has to be opened again.
var ErrMoved = errors.New("storage: another process writes the store")

// Store is an ordered map from key to value. All methods are safe for concurrent use.
type Store interface {
	Reader

	// Snapshot returns a view of everything applied so far and nothing applied later. It is cheap, and must be closed.
	Snapshot() Snapshot

	// Apply makes all of the batch's changes, or none. When it returns nil they are on disk: a crash of the
	// process or the machine does not lose them. Concurrent calls may share one flush. The batch must not be
	// used afterwards. After ErrFull nothing was applied; after any other error that is unknown.
	Apply(ctx context.Context, b *Batch) error

	// Close releases the store. Snapshots and iterators must be closed before. Later reads and batches fail with
	// ErrClosed.
	Close() error
}

// Waiter is a Store whose Apply may wait until there is space.
type Waiter interface {
	// Full returns an ErrFull while a call of Apply waits for space, or nil. Callers that queue batches behind one another
	// refuse new ones then.
	Full() error
}

// Leased is a Store that several processes share, with one writer at a time.
type Leased interface {
	// Held returns nil if no other process can have written the store, so that reads before the call returned the latest
	// state. Otherwise it returns an Unavailable error.
	Held() error
}

// Reader reads keys. A Reader that is a Store sees the latest state at each call.
type Reader interface {
	// Get returns a copy of the key's value; found is false when the key is absent.
	Get(key []byte) (value []byte, found bool, err error)

	// Scan returns an iterator over the keys of r, positioned before the first. It sees the state at the time of the call,
	// and must be closed.
	Scan(r Range) Iterator
}

// Snapshot is a Reader of one moment.
type Snapshot interface {
	Reader
	// GetAll reads many keys: it calls found with the index and a copy of the value of each key that is there, and ends
	// with the error that found returns. Keys in ascending order are read faster than each with Get.
	GetAll(keys [][]byte, found func(i int, value []byte) error) error
	// Close releases the snapshot.
	Close() error
}

// Range is the range of keys from From (included) to To (excluded). An empty To means the end of the store.
type Range struct {
	From, To []byte
	// Reverse makes an iterator descend from the greatest key.
	Reverse bool
}

// Iterator iterates over a range. It must be used by one goroutine only.
type Iterator interface {
	// Next moves to the next key and reports whether there is one.
	Next() bool
	// Seek moves to the first key at or after key (with Reverse: at or before key) within the range and
	// reports whether there is one.
	Seek(key []byte) bool
	// Key returns the key, valid until the next move.
	Key() []byte
	// Value returns the value, valid until the next move.
	Value() ([]byte, error)
	// Park announces that the key and the value are not needed any more, and the iterator will perhaps not be moved for
	// long. Until the next move the store may release what it holds for the iterator.
	Park()
	// Err returns the error that ended the iteration, if any.
	Err() error
	// Close releases the iterator.
	Close() error
}

// Kind is the kind of an Op.
type Kind uint8

// The kinds of Op.
const (
	Set Kind = iota
	Delete
	DeleteRange
)

// Op is one change of a Batch.
type Op struct {
	Kind Kind
	// Key is the key, or for DeleteRange the first key.
	Key []byte
	// Value is the new value for Set, and the excluded end of the range for DeleteRange.
	Value []byte
}

// Batch is a list of changes, applied in order. The zero value is empty. It keeps the given slices: callers must not
// change them before Apply has returned.
type Batch struct {
	Ops []Op
	// Deletes lets the batch use the space that is reserved for deletes on a full disk.
	Deletes bool
}

// Set sets the value of a key.
func (b *Batch) Set(key, value []byte) { b.Ops = append(b.Ops, Op{Kind: Set, Key: key, Value: value}) }

// Delete removes a key. An absent key is not an error.
func (b *Batch) Delete(key []byte) { b.Ops = append(b.Ops, Op{Kind: Delete, Key: key}) }

// DeleteRange removes all keys from from (included) to to (excluded).
func (b *Batch) DeleteRange(from, to []byte) {
	b.Ops = append(b.Ops, Op{Kind: DeleteRange, Key: from, Value: to})
}

// Empty reports whether the batch changes nothing.
func (b *Batch) Empty() bool { return len(b.Ops) == 0 }

// Prefix returns the range of all keys that begin with prefix.
func Prefix(prefix []byte) Range { return Range{From: prefix, To: PrefixEnd(prefix)} }

// PrefixEnd returns the first key after all keys that begin with prefix, or nil when there is none.
func PrefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			end := make([]byte, i+1)
			copy(end, prefix)
			end[i]++
			return end
		}
	}
	return nil
}
