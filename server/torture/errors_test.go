package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// met is an error that a client has received.
type met struct {
	at     time.Time
	client string
	method string
	err    error
}

// String describes the error.
func (m met) String() string { return fmt.Sprintf("%s at %s: %v", m.method, m.client, m.err) }

// errorLog collects the errors of the calls of clients. It is safe for concurrent use.
type errorLog struct {
	mu   sync.Mutex
	errs []met
}

// note records the end of a call.
func (l *errorLog) note(ctx context.Context, client, method string, err error) {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(ctx.Err(), context.Canceled) { // which its own client has cancelled
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, met{time.Now(), client, method, err})
}

// between returns the errors from a moment up to another.
func (l *errorLog) between(from, to time.Time) []met {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []met
	for _, m := range l.errs {
		if !m.at.Before(from) && m.at.Before(to) {
			found = append(found, m)
		}
	}
	return found
}

// watch returns the options by which a client's errors are noted under a name.
func (l *errorLog) watch(client string) []grpc.DialOption {
	unary := func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, method, req, reply, conn, opts...)
		l.note(ctx, client, method, err)
		return err
	}
	stream := func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, conn, method, opts...)
		l.note(ctx, client, method, err)
		return &watchedStream{s, l, client, method}, err
	}
	return []grpc.DialOption{grpc.WithUnaryInterceptor(unary), grpc.WithStreamInterceptor(stream)}
}

// watchedStream records how a stream ends.
type watchedStream struct {
	grpc.ClientStream
	log            *errorLog
	client, method string
}

// RecvMsg implements grpc.ClientStream.
func (s *watchedStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	s.log.note(s.Context(), s.client, s.method, err)
	return err
}

// grace is the time for which after a fault its errors may come.
const grace = 5 * time.Second

// faultTime is the time span of a fault.
type faultTime struct{ began, ended time.Time }

// outage reports whether an error means that no server could respond.
func outage(err error) bool {
	code := status.Code(err)
	return code == codes.Unavailable || code == codes.DeadlineExceeded
}

// wrong returns the errors that clients must not meet: any but those that SDKs retry, and those too where nothing is
// wrong. Contention and names that are taken are no faults.
func (l *errorLog) wrong(from time.Time, f faultTime, to time.Time) []string {
	var found []string
	for _, m := range l.between(from, to) {
		switch code := status.Code(m.err); {
		case code == codes.Aborted || code == codes.AlreadyExists:
			continue
		case outage(m.err):
			if m.at.Before(f.began) {
				found = append(found, fmt.Sprintf("%v before the fault: %s", f.began.Sub(m.at), m))
			}
			if late := m.at.Sub(f.ended); late > grace {
				found = append(found, fmt.Sprintf("%v after the fault: %s", late, m))
			}
		default:
			found = append(found, fmt.Sprintf("%s, which SDKs don't retry", m))
		}
	}
	return found
}

// TestErrorsAreJudged gives errors at several moments of a fault.
func TestErrorsAreJudged(t *testing.T) {
	began := time.Now()
	f := faultTime{began.Add(time.Second), began.Add(2 * time.Second)}
	for _, tt := range []struct {
		name string
		code codes.Code
		at   time.Duration
		want int
	}{
		{"before the fault", codes.Unavailable, 500 * time.Millisecond, 1},
		{"within the fault", codes.Unavailable, 1500 * time.Millisecond, 0},
		{"soon after the fault", codes.DeadlineExceeded, 6 * time.Second, 0},
		{"late", codes.Unavailable, 8 * time.Second, 1},
		{"contention", codes.Aborted, 9 * time.Second, 0},
		{"not to be retried", codes.Internal, 1500 * time.Millisecond, 1},
		{"also not", codes.InvalidArgument, 1500 * time.Millisecond, 1},
	} {
		l := &errorLog{}
		l.errs = append(l.errs, met{began.Add(tt.at), "node 0", "Commit", status.Error(tt.code, "text")})
		if got := l.wrong(began, f, began.Add(time.Minute)); len(got) != tt.want {
			t.Errorf("%s: %v, want %d complaints", tt.name, got, tt.want)
		}
	}
}
