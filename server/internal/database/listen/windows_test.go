package listen_test

import (
	"fmt"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// TestWindowsShareTheMemory opens many queries with different limits on large documents. Together they may hold no more
// than is allowed; the client that opens them is refused, and a client with one small query is served.
func TestWindowsShareTheMemory(t *testing.T) {
	const (
		size, docs, queries = 32 << 10, 8, 100
		most                = 4 << 20
	)
	h := newFixture(t, listen.Options{MaxWindowBytes: most})
	for i := range docs {
		w := set(fmt.Sprintf("large/d%d", i), i)
		w.Fields["s"] = value.String(strings.Repeat("x", size))
		h.commit(w)
	}
	h.commit(set("small/a", 1))
	limited := func(id int32, collectionID string, limit int) listen.Target {
		return listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: id, Query: collection(t, collectionID, byN(limit))}}
	}
	greedy := h.open()
	refused := 0
	for i := range queries {
		greedy.stream.Add(limited(int32(i+1), "large", docs+i))
	}
	for ended := 0; ended < queries; {
		switch e := <-greedy.events; {
		case e.Kind == target.Current:
			ended++
		case e.Kind == target.Removed:
			if ended++; fault.CodeOf(e.Cause) != fault.ResourceExhausted {
				t.Errorf("target %d is removed with %v, want RESOURCE_EXHAUSTED", e.Target, e.Cause)
			}
			refused++
		}
		if held := h.hub.Windows(); held > 2*most {
			t.Fatalf("windows hold %d bytes, want at most %d", held, 2*most)
		}
	}
	if refused == 0 || refused == queries {
		t.Errorf("%d of %d queries are refused, want some", refused, queries)
	}
	modest := h.open()
	modest.stream.Add(limited(1, "small", 1))
	modest.want("a small query", "ADD[1], chg small/a>[1], CUR[1], B")
	h.commit(document.Write{Op: document.Delete, Name: set("small/a").Name})
	modest.want("a change of it", "del small/a>-[1], B")
	greedy.close()
	modest.close()
	if held := h.hub.Windows(); held != 0 {
		t.Errorf("windows hold %d bytes after all streams have ended", held)
	}
}
