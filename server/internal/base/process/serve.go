package process

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Serve serves a listener until ctx is done, and then waits for the requests in progress for at most the given time. A
// requested end is not an error.
func Serve(ctx context.Context, server *http.Server, at net.Listener, grace time.Duration) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(at) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := server.Shutdown(stop)
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
