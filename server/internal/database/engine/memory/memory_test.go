package memory_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/memory"
	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
)

// take takes n bytes and reports whether they were there.
func take(t *testing.T, s *memory.Share, n int64) bool {
	t.Helper()
	switch err := s.Take(n); {
	case err == nil:
		return true
	case !fault.Is(err, fault.ResourceExhausted):
		t.Errorf("Take(%d) = %v, want ResourceExhausted", n, err)
	}
	return false
}

// TestSharesOfOneMemory takes from two shares what one memory has. A refused request takes nothing.
func TestSharesOfOneMemory(t *testing.T) {
	m := memory.New(100)
	a, b := memory.Of(m, ""), memory.Of(m, "")
	for _, step := range []struct {
		name  string
		share *memory.Share
		n     int64
		want  bool
	}{
		{"the first", &a, 60, true}, {"too much for the other", &b, 41, false}, {"all that is left", &b, 40, true}, {"one byte more", &a, 1, false}, {"nothing", &a, 0, true},
	} {
		if got := take(t, step.share, step.n); got != step.want {
			t.Errorf("%s: %v, want %v", step.name, got, step.want)
		}
	}
	if a.Held() != 60 || b.Held() != 40 {
		t.Errorf("the shares hold %d and %d bytes, want 60 and 40", a.Held(), b.Held())
	}
	a.Shrink(10)
	if a.Held() != 10 || take(t, &b, 51) || !take(t, &b, 50) {
		t.Errorf("after 50 bytes came back: %d and %d bytes", a.Held(), b.Held())
	}
	a.Shrink(0)
	b.Shrink(0)
	if all := memory.Of(m, ""); !take(t, &all, 100) {
		t.Error("the memory does not have all its bytes again")
	}
}

// TestANetworkHasHalf takes from shares of two networks and of a client without one.
func TestANetworkHasHalf(t *testing.T) {
	m := memory.New(100)
	a, b, own := memory.Of(m, "203.0.113.1/32"), memory.Of(m, "203.0.113.2/32"), memory.Of(m, "")
	sibling := a.Sibling()
	if !take(t, &a, 30) || take(t, &sibling, 21) || !take(t, &sibling, 20) {
		t.Errorf("the shares of a network hold %d and %d bytes, want 30 and 20", a.Held(), sibling.Held())
	}
	if !take(t, &b, 10) || !take(t, &own, 40) || take(t, &own, 1) {
		t.Errorf("the others hold %d and %d bytes, want 10 and 40", b.Held(), own.Held())
	}
	a.Shrink(0)
	sibling.Shrink(0)
	if !take(t, &own, 50) {
		t.Error("a client without a network does not get what the others left")
	}
}

// TestAShareWithoutMemoryHasNoLimit uses the zero Share.
func TestAShareWithoutMemoryHasNoLimit(t *testing.T) {
	var s memory.Share
	if !take(t, &s, 1<<60) || s.Held() != 1<<60 {
		t.Errorf("the zero share holds %d bytes", s.Held())
	}
	if s.Shrink(0); s.Held() != 0 {
		t.Errorf("after Shrink(0) the zero share holds %d bytes", s.Held())
	}
}

// TestDocumentsCountMoreThanTheirSize counts the memory of a document, which its size understates.
func TestDocumentsCountMoreThanTheirSize(t *testing.T) {
	small, large := &document.Document{Fields: value.Map{}}, &document.Document{Fields: value.Map{"a": value.String(make([]byte, 1000))}}
	var s memory.Share
	for _, d := range []*document.Document{small, large} {
		before := s.Held()
		if err := s.TakeDocument(d); err != nil {
			t.Fatal(err)
		}
		if got, want := s.Held()-before, memory.Overhead+3*int64(d.Size()); got != want {
			t.Errorf("a document of %d bytes holds %d, want %d", d.Size(), got, want)
		}
	}
}

// TestConcurrentShares takes and returns at random in many goroutines. At no time do the shares hold more than the
// memory has.
func TestConcurrentShares(t *testing.T) {
	const most = 1000
	m := memory.New(most)
	var all sync.WaitGroup
	for seed := range uint64(8) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			s := memory.Of(m, "")
			defer s.Shrink(0)
			for range 2000 {
				if r.IntN(2) == 0 {
					_ = take(t, &s, r.Int64N(most))
				} else {
					s.Shrink(r.Int64N(s.Held() + 1))
				}
				if s.Held() > most {
					t.Errorf("a share holds %d of %d bytes", s.Held(), most)
				}
			}
		})
	}
	all.Wait()
	if s := memory.Of(m, ""); !take(t, &s, most) || take(t, &s, 1) {
		t.Error("after all shares came back the memory does not have exactly its bytes")
	}
}
