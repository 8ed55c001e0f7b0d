package port

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"clave/server/internal/base/clock"
)

// acceptPause is the pause after the machine could not accept a connection.
const acceptPause = 50 * time.Millisecond

// Accept calls take with each connection of a listener, until ctx is done or the listener is closed. It returns the
// error with which the listener has failed, or nil. A temporary lack of file descriptors is not a failure: clients that
// open many connections must not stop the server. The caller closes the listener.
func Accept(ctx context.Context, ln net.Listener, c clock.Clock, take func(net.Conn)) error {
	for {
		conn, err := ln.Accept()
		switch {
		case err == nil:
			take(conn)
		case ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			return nil
		case !isTemporary(err):
			return err
		case clock.Sleep(ctx, c, acceptPause) != nil:
			return nil
		}
	}
}

// isTemporary reports whether a listener may accept again after an error: the peer has disconnected, or files or memory
// are short.
func isTemporary(err error) bool {
	for _, e := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.ECONNRESET, syscall.EINTR} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
