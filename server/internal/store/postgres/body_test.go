package postgres

import (
	"bytes"
	"fmt"
	"testing"

	"clave/server/internal/store"
)

// sameOps reports whether two lists of operations are equal; nil and empty values are.
func sameOps(a, b []store.Op) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Kind != b[i].Kind || !bytes.Equal(a[i].Key, b[i].Key) || !bytes.Equal(a[i].Value, b[i].Value) {
			return false
		}
	}
	return true
}

// codecOf returns a codec until the test ends.
func codecOf(t testing.TB) *codec {
	t.Helper()
	c, err := newCodec()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c
}

func TestBodiesAreReadAsTheyWereWritten(t *testing.T) {
	c := codecOf(t)
	for _, n := range []int{0, 1, 3, 1000} {
		var b store.Batch
		for i := range n {
			b.Set(fmt.Appendf(nil, "key %d", i), bytes.Repeat([]byte{byte(i)}, i))
			b.Delete(fmt.Appendf(nil, "gone %d", i))
			b.DeleteRange(fmt.Appendf(nil, "from %d", i), fmt.Appendf(nil, "to %d", i))
		}
		body := c.encode(b.Ops)
		got, err := c.decode(body)
		if err != nil || !sameOps(got, b.Ops) {
			t.Errorf("%d operations were read as %d (%v)", len(b.Ops), len(got), err)
		}
		for cut := 1; cut < min(len(body), 50); cut++ {
			if ops, err := c.decode(body[:len(body)-cut]); err == nil && len(ops) == len(b.Ops) {
				t.Errorf("a body of %d operations without its last %d bytes is read", len(b.Ops), cut)
			}
		}
	}
}

// FuzzBodies decodes any bytes. A decoded body must be unchanged after it was encoded and decoded again.
func FuzzBodies(f *testing.F) {
	c := codecOf(f)
	var b store.Batch
	b.Set([]byte("a"), []byte("1"))
	b.Delete([]byte("b"))
	b.DeleteRange([]byte("c"), []byte("d"))
	f.Add(c.encode(b.Ops))
	b.Set([]byte("e"), make([]byte, compressFrom))
	f.Add(c.encode(b.Ops))
	f.Fuzz(func(t *testing.T, body []byte) {
		ops, err := c.decode(body)
		if err != nil {
			return
		}
		again, err := c.decode(c.encode(ops))
		if err != nil || !sameOps(again, ops) {
			t.Errorf("%d operations were read again as %d (%v)", len(ops), len(again), err)
		}
	})
}
