package pebble

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"testing"
	"time"

	"clave/server/internal/store"
)

// numbers returns the remaining keys of an iterator, and parks it at each.
func numbers(it store.Iterator) (got []uint64) {
	for it.Next() {
		got = append(got, binary.BigEndian.Uint64(it.Key()))
		it.Park()
	}
	return got
}

// openWith opens a store in memory with the keys 0 to n-1.
func openWith(t *testing.T, n int) *Store {
	t.Helper()
	s, err := OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	var b store.Batch
	for i := range n {
		b.Set(binary.BigEndian.AppendUint64(nil, uint64(i)), nil)
	}
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestParkedIteratorsHoldNoTable parks iterators of a snapshot and deletes all keys. After a flush they must hold no
// resources of Pebble, and continue at their position in the snapshot.
func TestParkedIteratorsHoldNoTable(t *testing.T) {
	const n = 20
	for _, reverse := range []bool{false, true} {
		s := openWith(t, n)
		snap := s.Snapshot()
		rng := store.Range{From: binary.BigEndian.AppendUint64(nil, 1), Reverse: reverse}
		parked, used := snap.Scan(rng).(*iterator), snap.Scan(rng).(*iterator)
		direct := s.Scan(rng).(*iterator)
		for range 5 {
			for _, it := range []*iterator{parked, used, direct} {
				if !it.Next() {
					t.Fatal(it.Err())
				}
			}
		}
		at := binary.BigEndian.Uint64(parked.Key())
		parked.Park()
		direct.Park()
		var b store.Batch
		b.DeleteRange([]byte{0}, binary.BigEndian.AppendUint64(nil, n)) // Under -race Pebble fails for an empty key here.
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		flushed, err := s.flush()
		if err != nil {
			t.Fatal(err)
		}
		<-flushed
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for held := true; held; { // Pebble reports a flush some time after its end
			parked.park.Lock()
			held = parked.it != nil
			parked.park.Unlock()
			if ctx.Err() != nil {
				t.Fatal("the parked iterator is not released after a flush")
			}
		}
		if used.it == nil || direct.it == nil {
			t.Errorf("the used iterator is released: %t, that of the store itself: %t", used.it == nil, direct.it == nil)
		}
		if err := parked.Err(); err != nil || parked.it != nil {
			t.Errorf("after a request for its error, a released iterator returned %v and is open: %t", err, parked.it != nil)
		}
		var want []uint64
		for i := uint64(1); i < n; i++ {
			if !reverse && i > at || reverse && i < at {
				want = append(want, i)
			}
		}
		if reverse {
			slices.Reverse(want)
		}
		if got := numbers(parked); !slices.Equal(got, want) {
			t.Errorf("reverse %t: after %d a released iterator has %d, want %d", reverse, at, got, want)
		}
		s.releaseParked() // at its end an iterator has no key
		if got := numbers(parked); len(got) > 0 || parked.Err() != nil {
			t.Errorf("reverse %t: after its end a released iterator has %d, %v", reverse, got, parked.Err())
		}
		if !parked.Seek(binary.BigEndian.AppendUint64(nil, 7)) || binary.BigEndian.Uint64(parked.Key()) != 7 {
			t.Errorf("reverse %t: a released iterator does not find a key: %v", reverse, parked.Err())
		}
		parked.Park()
		s.releaseParked()
		for _, it := range []*iterator{parked, used, direct} {
			if err := it.Close(); err != nil {
				t.Error(err)
			}
			if it.Next() || it.Err() == nil {
				t.Errorf("reverse %t: a closed iterator moves: %v", reverse, it.Err())
			}
		}
		if len(s.parked.all) != 0 {
			t.Errorf("%d closed iterators are kept", len(s.parked.all))
		}
		if err := snap.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestIteratorsAreReleasedWhileTheyMove iterates in several goroutines while iterators are released.
func TestIteratorsAreReleasedWhileTheyMove(t *testing.T) {
	const n, readers, rounds = 200, 4, 20
	s := openWith(t, n)
	var reading sync.WaitGroup
	for reader := range readers {
		reading.Go(func() {
			snap := s.Snapshot()
			for range rounds {
				it := snap.Scan(store.Range{Reverse: reader%2 == 0})
				if got := numbers(it); len(got) != n || it.Err() != nil {
					t.Errorf("%d of %d keys, %v", len(got), n, it.Err())
				}
				if err := it.Close(); err != nil {
					t.Error(err)
				}
			}
			if err := snap.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	ended := make(chan struct{})
	go func() { reading.Wait(); close(ended) }()
	for {
		select {
		case <-ended:
			return
		default:
			s.releaseParked()
		}
	}
}
