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

// clientError is an error that a client has received.
type clientError struct {
	at     time.Time
	client string
	method string
	err    error
}

// String describes the error.
func (m clientError) String() string { return fmt.Sprintf("%s at %s: %v", m.method, m.client, m.err) }

// errorLog collects the errors of the calls of clients. It is safe for concurrent use.
type errorLog struct {
	mu   sync.Mutex
	errs []clientError
}

// note records the end of a call.
func (l *errorLog) note(ctx context.Context, client, method string, err error) {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(ctx.Err(), context.Canceled) { // cancelled by the client itself
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, clientError{time.Now(), client, method, err})
}

// between returns the errors of a time span.
func (l *errorLog) between(from, to time.Time) []clientError {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []clientError
	for _, m := range l.errs {
		if !m.at.Before(from) && m.at.Before(to) {
			found = append(found, m)
		}
	}
	return found
}

// watch returns dial options that record a client's errors under a name.
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

// graceTime returns how long after a fault its errors may occur: 5 s in a long run, and twice as long in a short one,
// which other tests may slow down. A call without an answer ends later.
func graceTime() time.Duration {
	if longRun() {
		return 5 * time.Second
	}
	return callTime
}

// faultTime is the time span of a fault.
type faultTime struct{ began, ended time.Time }

// outage reports whether an error means that no server could respond.
func outage(err error) bool {
	code := status.Code(err)
	return code == codes.Unavailable || code == codes.DeadlineExceeded
}

// bridged calls read again while its error is an outage, up to timeLimit.
func bridged(read func() error) error {
	limit := time.Now().Add(timeLimit)
	for {
		err := read()
		if err == nil || !outage(err) || time.Now().After(limit) {
			return err
		}
		<-time.After(20 * time.Millisecond)
	}
}

// wrong returns the errors that clients must not receive: errors that SDKs do not retry, and outages outside of a
// fault. Contention and taken names are not faults.
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
			if late := m.at.Sub(f.ended); late > graceTime() {
				found = append(found, fmt.Sprintf("%v after the fault: %s", late, m))
			}
		default:
			found = append(found, fmt.Sprintf("%s, which SDKs don't retry", m))
		}
	}
	return found
}

// TestErrorsAreClassified checks wrong with errors before, during and after a fault.
func TestErrorsAreClassified(t *testing.T) {
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
		{"soon after the fault", codes.DeadlineExceeded, 2*time.Second + graceTime(), 0},
		{"late", codes.Unavailable, 3*time.Second + graceTime(), 1},
		{"contention", codes.Aborted, 9 * time.Second, 0},
		{"not to be retried", codes.Internal, 1500 * time.Millisecond, 1},
		{"also not", codes.InvalidArgument, 1500 * time.Millisecond, 1},
	} {
		l := &errorLog{}
		l.errs = append(l.errs, clientError{began.Add(tt.at), "node 0", "Commit", status.Error(tt.code, "text")})
		if got := l.wrong(began, f, began.Add(time.Minute)); len(got) != tt.want {
			t.Errorf("%s: %v, want %d errors", tt.name, got, tt.want)
		}
	}
}
