package process_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"clave/server/internal/base/process"
)

// TestServe checks that a request in progress at the stop is answered, and that a later one is not.
func TestServe(t *testing.T) {
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	begun, goOn := make(chan struct{}), make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-goOn
		_, _ = io.WriteString(w, "done")
	})}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- process.Serve(ctx, server, at, time.Minute) }()
	answered := make(chan string, 1)
	go func() {
		res, err := http.Get("http://" + at.Addr().String())
		if err != nil {
			answered <- err.Error()
			return
		}
		defer func() { _ = res.Body.Close() }()
		text, _ := io.ReadAll(res.Body)
		answered <- string(text)
	}()
	<-begun
	stop()
	close(goOn)
	if got := <-answered; got != "done" {
		t.Errorf("the request under way heard %q, want its answer", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve = %v, want nil after a stop", err)
	}
	if _, err := http.Get("http://" + at.Addr().String()); err == nil {
		t.Error("a request after the stop was answered")
	}
}

// TestServeReportsALostListener checks that an unrequested end is an error.
func TestServeReportsALostListener(t *testing.T) {
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := at.Close(); err != nil {
		t.Fatal(err)
	}
	if err := process.Serve(t.Context(), &http.Server{}, at, time.Second); err == nil {
		t.Error("Serve at a closed listener = nil, want an error")
	}
}
