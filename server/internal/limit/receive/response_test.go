package receive_test

import (
	"context"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/receive"
	"clave/server/test/kit/wait"
)

// TestLargeResponsesTakeTheirBytes takes bytes for responses that are not read.
func TestLargeResponsesTakeTheirBytes(t *testing.T) {
	b := receive.New(receive.Options{Bytes: mib, Wait: 20 * time.Second})
	cut := make(chan struct{})
	unread := b.Responses(func() { close(cut) })
	for _, n := range []int64{mib / 4, 4 * mib} { // a response larger than half the budget takes half of it
		if _, err := unread.Take(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.Used(), int64(mib/4+mib/2); got != want {
		t.Errorf("%d bytes are held, want %d", got, want)
	}
	taken := make(chan error, 1)
	others := b.Responses(func() {})
	go func() {
		written, err := others.Take(t.Context(), mib/2)
		if err == nil {
			written()
			written()
		}
		taken <- err
	}()
	<-cut // The unread responses are ended because another one waits.
	unread.End()
	if err := <-taken; err != nil {
		t.Errorf("the response that waited: %v", err)
	}
	wait.Until(t, "bytes are held after the end of all responses", func() bool { return b.Used() == 0 })
	if _, err := unread.Take(t.Context(), mib/2); err != nil || b.Used() != 0 {
		t.Errorf("a response of a closed connection: %v, %d bytes are held, want none", err, b.Used())
	}
}

// TestRequestsWaitForLargeResponses fills the budget, lets responses wait for it, and then awaits room for another
// request.
func TestRequestsWaitForLargeResponses(t *testing.T) {
	manual := clocktest.NewManual(begun)
	b := receive.New(receive.Options{Bytes: mib, Clock: manual})
	if err := b.AwaitRoom(t.Context()); err != nil {
		t.Errorf("a request of an idle server: %v", err)
	}
	full := b.Hold(nil)
	take(t, full, mib)
	full.Complete()
	const waiting = 20
	refused := make(chan error, waiting)
	for range waiting {
		go func() {
			_, err := b.Responses(func() {}).Take(t.Context(), mib/2)
			refused <- err
		}()
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	wait.Until(t, "a request does not wait", func() bool { return fault.Is(b.AwaitRoom(ended), fault.Canceled) })
	for range waiting {
		if err := advance(t, manual, refused); !fault.Is(err, fault.Unavailable) {
			t.Errorf("a response without room: %v, want Unavailable", err)
		}
	}
	if err := b.AwaitRoom(t.Context()); err != nil {
		t.Errorf("a request after that: %v", err)
	}
	full.Release()
}
