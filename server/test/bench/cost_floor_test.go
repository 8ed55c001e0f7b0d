package bench_test

import (
	"context"
	"os"
	"syscall"
	"testing"

	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// TestFloorOfABatch logs the processor time of a batch of 500 new documents in a store alone, and of the call to a bare
// gRPC server. The store receives what the engine writes for the batches, each synced, with the program's options. Run
// it with CGO_ENABLED=0, as the program is built.
func TestFloorOfABatch(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_COST") == "" {
		t.Skip("CLAVE_BENCH_COST is not set")
	}
	const batches = 300
	recorded := recordBatches(t, batches)
	before := ownTime(t)
	s, err := pebble.Open(t.TempDir(), pebble.Options{CacheBytes: 96 << 20, MemTableBytes: 16 << 20, Scanned: derive.IsEntry, Region: keys.Region})
	if err != nil {
		t.Fatal(err)
	}
	keys := 0
	for _, r := range recorded {
		b := r.batch()
		keys += len(b.Ops)
		if err := s.Apply(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil { // which writes the table in memory out and waits for merges in progress
		t.Fatal(err)
	}
	store := (ownTime(t) - before) / batches
	bare := startBare(t)
	load := bare.grpc(t, nil, batchCall)
	load.run(t, 1, duration()/costRounds)
	calls, ticks := load.run(t, 1, duration())
	call := float64(ticks) * tick / float64(calls)
	t.Logf("batch of 500: %d keys in the store alone %.0f µs, a call to a bare server %.0f µs, together %.0f µs", keys/batches, store, call, store+call)
}

// ownTime returns the processor time of this process in microseconds.
func ownTime(t *testing.T) float64 {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Skip("no processor times: ", err)
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1000
}

// recordedBatch is a batch of a store in one piece of memory without pointers, so that the collector has nothing to do
// for it.
type recordedBatch struct {
	bytes []byte
	ends  []uint32 // of each key and each value
}

// batch returns the batch, which only sets keys.
func (r *recordedBatch) batch() *store.Batch {
	var b store.Batch
	from := uint32(0)
	for i := 0; i < len(r.ends); i += 2 {
		key, value := r.bytes[from:r.ends[i]], r.bytes[r.ends[i]:r.ends[i+1]]
		b.Set(key, value)
		from = r.ends[i+1]
	}
	return &b
}

// recorder is a store that records its batches.
type recorder struct {
	store.Store
	batches []*recordedBatch
}

// Apply implements store.Store.
func (r *recorder) Apply(ctx context.Context, b *store.Batch) error {
	var out recordedBatch
	for _, op := range b.Ops {
		out.bytes = append(out.bytes, op.Key...)
		out.ends = append(out.ends, uint32(len(out.bytes)))
		out.bytes = append(out.bytes, op.Value...)
		out.ends = append(out.ends, uint32(len(out.bytes)))
	}
	r.batches = append(r.batches, &out)
	return r.Store.Apply(ctx, b)
}

// recordBatches returns what an engine writes for batches of 500 new documents of costWrite's fields.
func recordBatches(t *testing.T, batches int) []*recordedBatch {
	t.Helper()
	s, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	r := &recorder{Store: s}
	e, err := engine.Open(t.Context(), engine.Options{Store: r})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	for i := range batches {
		writes := make([]document.Write, 500)
		for j := range writes {
			n := i*len(writes) + j
			made := fields(n)
			delete(made, "at")
			writes[j] = document.Write{Name: name(n), Fields: made}
		}
		if _, err := e.Commit(t.Context(), db, request.Commit{Writes: writes}, engine.Unrestricted()); err != nil {
			t.Fatal(err)
		}
	}
	return r.batches[:batches]
}
