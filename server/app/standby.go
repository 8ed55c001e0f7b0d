package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/fault"
	"clave/server/front"
	"clave/server/httpjson"
)

// textStandby is the error of a standby. SDKs retry after it.
const textStandby = "This node is a standby; another one serves the database. Please try again."

// standBy answers at the ports until ctx is done, that another node serves, and leaves them open for whoever serves next.
func (a *App) standBy(ctx context.Context, p ports) error {
	encryption, err := a.tls()
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, ln := range []net.Listener{p.firestore, p.auth, p.hosting} {
		if ln == nil {
			continue
		}
		lent, err := lend(ln)
		if err != nil {
			return err
		}
		port := front.New(front.Options{
			Name: "standby", Listener: lent, TLS: encryption, Budget: a.budget, Log: a.o.Log, Grace: 100 * time.Millisecond,
			Handlers: front.Handlers{
				GRPC: grpc.NewServer(grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error { return status.Error(codes.Unavailable, textStandby) })),
				Site: http.HandlerFunc(refuse), Health: func() error { return front.ErrStandby },
			},
		})
		group.Go(func() error { return errors.Join(port.Run(ctx), lent.giveBack()) })
	}
	if p.metrics != nil { // They say that this node is a standby.
		lent, err := lend(p.metrics)
		if err != nil {
			return err
		}
		port, err := a.metricsPort(lent)
		if err != nil {
			return err
		}
		group.Go(func() error { return errors.Join(port.Run(ctx), lent.giveBack()) })
	}
	return group.Wait()
}

// refuse answers a request to a standby.
func refuse(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "1")
	httpjson.Write(w, http.StatusServiceUnavailable, map[string]any{
		"error": map[string]any{"code": http.StatusServiceUnavailable, "message": textStandby, "status": fault.Unavailable.String()},
	})
}

// lent is a listener that stays open when it is closed.
type lent struct {
	net.Listener
	deadline func(time.Time) error
	once     sync.Once
	closed   chan struct{}
}

// lend returns a listener on the port of another.
func lend(ln net.Listener) (*lent, error) {
	timed, ok := ln.(interface{ SetDeadline(time.Time) error })
	if !ok {
		return nil, errors.New("app: a listener without deadlines")
	}
	return &lent{Listener: ln, deadline: timed.SetDeadline, closed: make(chan struct{})}, nil
}

// Accept implements net.Listener.
func (l *lent) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	select {
	case <-l.closed:
		if err == nil {
			_ = conn.Close() // the client tries again
		}
		return nil, net.ErrClosed
	default:
		return conn, err
	}
}

// Close implements net.Listener: Accept returns, and the port stays open.
func (l *lent) Close() (err error) {
	l.once.Do(func() {
		close(l.closed)
		err = l.deadline(time.Unix(1, 0))
	})
	return err
}

// giveBack lets the port be accepted from again.
func (l *lent) giveBack() error { return errors.Join(l.Close(), l.deadline(time.Time{})) }
