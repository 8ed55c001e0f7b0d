// Package process runs the parts of a program together and stops them in reverse order.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// Part is a running part of a program. Run works until ctx is done and returns once its work has ended.
type Part struct {
	// Name is the name in logs and errors.
	Name string
	// Run does the part's work. A nil error, or one that only reports that ctx is done, is an ordinary end.
	Run func(ctx context.Context) error
}

// ended is the result of a part's Run.
type ended struct {
	index int
	err   error
}

// Run starts the parts in order and waits. When ctx is done or a part ends by itself, the parts are stopped in
// reverse order, each one waited for before the next. It returns the first error that a part ended with.
func Run(ctx context.Context, parts ...Part) error {
	var (
		stops   = make([]context.CancelFunc, len(parts))
		endings = make([]chan ended, len(parts))
		any     = make(chan ended, len(parts)) // one element for each part, so that ending parts do not block
	)
	for i, part := range parts {
		partCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
		stops[i], endings[i] = stop, make(chan ended, 1)
		go func() {
			err := part.Run(partCtx)
			if errors.Is(err, context.Canceled) {
				err = nil
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", part.Name, err)
			}
			endings[i] <- ended{i, err}
			any <- ended{i, err}
		}()
	}
	var first error
	select {
	case <-ctx.Done():
	case e := <-any:
		first = e.err
	}
	for i := len(parts) - 1; i >= 0; i-- {
		stops[i]()
		if e := <-endings[i]; e.err != nil && first == nil {
			first = e.err
		}
	}
	return first
}

// Signals returns a context that is done at the first interrupt or termination signal, or one of others; a second
// signal ends the program as usual. A hangup that the parent process made the program ignore, as nohup does, stays
// ignored.
func Signals(ctx context.Context, others ...os.Signal) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	first := make(chan os.Signal, 1)
	signal.Notify(first, os.Interrupt, syscall.SIGTERM)
	for _, other := range others {
		if !signal.Ignored(other) {
			signal.Notify(first, other)
		}
	}
	go func() {
		select {
		case <-first:
		case <-ctx.Done():
		}
		signal.Stop(first) // this comes before ctx is done, so that a second signal ends the program
		cancel()
	}()
	return ctx, cancel
}

// hangups returns the channel that receives the hangup signals of this process from the first call on. It buffers one.
var hangups = sync.OnceValue(func() <-chan os.Signal {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	return asked
})

// HoldHangups prevents hangup signals from ending this program. A signal that arrives while there are no Hangups is
// delivered to the next one.
func HoldHangups() { hangups() }

// Hangups calls do at each hangup signal (SIGHUP), which makes a program read its files again, until ctx is done.
// Signals that arrive while do runs count as one. Like HoldHangups it prevents hangup signals from ending this program,
// even after it returns.
func Hangups(ctx context.Context, do func()) error {
	asked := hangups()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-asked:
			do()
		}
	}
}

// Logger returns a logger that writes messages of at least the given level to w as lines of text.
func Logger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}
