package webchannel

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// TestSessionsKeepNothingOfLargeHandshakes begins sessions by large requests whose headers and address have no escapes.
// A session must keep its credentials and its database only, not the requests of which they are parts.
func TestSessionsKeepNothingOfLargeHandshakes(t *testing.T) {
	const sessions, size, most = 8, 4 << 20, 8 << 20
	h := newFixture(t, Options{}, echo)
	body := "headers=Authorization:Bearer owner\r\n&count=0&filler=" + strings.Repeat("a", size)
	address := strings.ReplaceAll(testAddress, "%2F", "/") + "&RID=1"
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range sessions {
		if status, answer := h.do(http.MethodPost, address, body); status != http.StatusOK {
			t.Fatalf("a handshake = %d %q", status, answer)
		}
	}
	h.client.CloseIdleConnections()
	if after := heap(); after > before+most {
		t.Errorf("%d sessions hold %d MiB, want at most %d", sessions, (after-before)>>20, most>>20)
	}
	for _, s := range h.h.all() {
		if s.authorization != "Bearer owner" || s.database != "projects/p/databases/(default)" {
			t.Errorf("a session has %q and %q", s.authorization, s.database)
		}
	}
	runtime.KeepAlive(body)
}

// TestLargeCredentialsAreHeld begins sessions with large headers. They count among the bytes that all sessions hold
// until their session ends; usual ones do not.
func TestLargeCredentialsAreHeld(t *testing.T) {
	const size = 40 << 10
	h := newFixture(t, Options{MaxHeld: 3 * size}, echo)
	begin := func(size int) {
		t.Helper()
		if status, answer := h.do(http.MethodPost, testAddress+"&RID=1", "headers=X-Firebase-AppCheck:"+strings.Repeat("a", size)+"&count=0"); status != http.StatusOK {
			t.Fatalf("a handshake = %d %q", status, answer)
		}
	}
	begin(2 << 10)
	if held := h.h.held.Load(); held > 200 {
		t.Errorf("a usual header holds %d bytes, want none", held)
	}
	for range 6 {
		begin(size)
	}
	if held := h.h.held.Load(); held < size || held > 3*size {
		t.Errorf("%d bytes are held, want at most %d", held, 3*size)
	}
	for _, s := range h.h.all() {
		h.h.drop(s)
	}
	if held := h.h.held.Load(); held != 0 {
		t.Errorf("%d bytes are held without a session", held)
	}
}
