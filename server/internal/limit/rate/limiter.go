package rate

import (
	"container/heap"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"clave/server/internal/base/clock"
)

// Rate is how often something may happen: Burst times at once, and once more after each Every.
type Rate struct {
	Burst int
	Every time.Duration
}

// times returns a Rate that allows n times as much.
func (r Rate) times(n int) Rate { return Rate{Burst: r.Burst * n, Every: r.Every / time.Duration(n)} }

// Options configure a Limiter.
type Options struct {
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// MaxKeys is the maximum number of keys; 100,000 when zero. A key takes some 300 bytes.
	MaxKeys int
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.MaxKeys <= 0 {
		o.MaxKeys = 100_000
	}
}

// Limiter limits events by key. Each key has a bucket of its own. It is safe for concurrent use and starts no
// goroutine.
type Limiter struct {
	o  Options
	mu struct {
		sync.Mutex
		buckets map[string]*bucket
		// byFull orders the buckets by the time at which they are full again.
		byFull fullHeap
	}
}

// bucket is the state of one key.
type bucket struct {
	key    string
	tokens *rate.Limiter
	// full is when the bucket is full again if nothing more is taken.
	full time.Time
	// index is the bucket's place in the heap.
	index int
}

// New returns a Limiter.
func New(o Options) *Limiter {
	o.EnsureDefaults()
	l := &Limiter{o: o}
	l.mu.buckets = make(map[string]*bucket)
	return l
}

// Allow takes a token of a key and reports whether there was one. The rate of a key must be the same in each call.
func (l *Limiter) Allow(key string, r Rate) bool { return l.Take(Demand{key, r}) == 0 }

// Demand is one token of a key.
type Demand struct {
	Key  string
	Rate Rate
}

// Take takes a token of each of several keys, or of none. It returns zero if it took them, and otherwise the time until
// all of them can be taken. A refused call takes no tokens.
func (l *Limiter) Take(demands ...Demand) (wait time.Duration) {
	now := l.o.Clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range demands {
		wait = max(wait, l.waitLocked(d, now))
	}
	if wait > 0 {
		return wait
	}
	for _, d := range demands {
		b := l.bucketLocked(d, now)
		b.tokens.AllowN(now, 1)
		l.reorderLocked(b, d.Rate, now)
	}
	return 0
}

// Return returns the tokens that Take took of each key.
func (l *Limiter) Return(demands ...Demand) {
	now := l.o.Clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range demands {
		if b := l.mu.buckets[d.Key]; b != nil {
			b.tokens.AllowN(now, -1) // A bucket never holds more than its burst.
			l.reorderLocked(b, d.Rate, now)
		}
	}
}

// Reset fills the bucket of a key.
func (l *Limiter) Reset(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.mu.buckets[key]; b != nil {
		l.removeLocked(b)
	}
}

// Len returns how many keys are kept.
func (l *Limiter) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.mu.buckets)
}

// waitLocked returns the time until a key has a token.
func (l *Limiter) waitLocked(d Demand, now time.Time) time.Duration {
	b := l.mu.buckets[d.Key]
	if b == nil {
		return 0
	}
	missing := 1 - b.tokens.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return max(time.Duration(missing*float64(d.Rate.Every)), 1)
}

// bucketLocked returns the bucket of a key. If there is none, it creates one, and evicts another if there are too many.
func (l *Limiter) bucketLocked(d Demand, now time.Time) *bucket {
	if b := l.mu.buckets[d.Key]; b != nil {
		return b
	}
	l.evictLocked(now)
	b := &bucket{key: d.Key, tokens: rate.NewLimiter(rate.Every(d.Rate.Every), d.Rate.Burst), full: now}
	l.mu.buckets[d.Key] = b
	heap.Push(&l.mu.byFull, b)
	return b
}

// evictLocked removes some full buckets, and one more bucket when there are still too many.
func (l *Limiter) evictLocked(now time.Time) {
	const some = 4 // Each call evicts more buckets than it adds, so that the full ones disappear over time.
	for range some {
		if len(l.mu.byFull) > 0 && !l.mu.byFull[0].full.After(now) {
			l.removeLocked(l.mu.byFull[0])
		}
	}
	if len(l.mu.byFull) >= l.o.MaxKeys {
		l.removeLocked(l.mu.byFull[0])
	}
}

// removeLocked drops a bucket.
func (l *Limiter) removeLocked(b *bucket) {
	heap.Remove(&l.mu.byFull, b.index)
	delete(l.mu.buckets, b.key)
}

// reorderLocked restores a bucket's position in the heap after its tokens changed.
func (l *Limiter) reorderLocked(b *bucket, r Rate, now time.Time) {
	missing := float64(r.Burst) - b.tokens.TokensAt(now)
	b.full = now.Add(time.Duration(missing * float64(r.Every)))
	heap.Fix(&l.mu.byFull, b.index)
}

// fullHeap is a heap of buckets, the one that is full first on top.
type fullHeap []*bucket

// Len returns the number of buckets.
func (h fullHeap) Len() int { return len(h) }

// Less orders buckets by when they are full.
func (h fullHeap) Less(i, j int) bool { return h[i].full.Before(h[j].full) }

// Swap exchanges two buckets.
func (h fullHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push appends a bucket.
func (h *fullHeap) Push(x any) {
	b := x.(*bucket)
	b.index = len(*h)
	*h = append(*h, b)
}

// Pop removes the last bucket.
func (h *fullHeap) Pop() any {
	old := *h
	b := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return b
}
