package restd

import (
	"context"
	"io"
	"net/http"

	"golang.org/x/sync/semaphore"

	"clave/server/fault"
)

// maxBody is the greatest size of a body.
const maxBody = 11_534_336

// A parsed body takes many times the memory of its bytes. Bodies from largeBody on are therefore parsed and answered only
// as long as no more than maxLarge bytes of them are at once; the others wait.
const (
	largeBody = 64 << 10
	maxLarge  = 3 * maxBody
)

// newLarge returns the room for large bodies.
func newLarge() *semaphore.Weighted { return semaphore.NewWeighted(maxLarge) }

// admit waits for room for a body that has been read; what it returns gives the room back.
func (d *door) admit(ctx context.Context, body []byte) (release func(), err error) {
	n := int64(len(body))
	if n < largeBody {
		return func() {}, nil
	}
	if err := d.large.Acquire(ctx, n); err != nil {
		return nil, fault.Because(err, fault.Canceled, "The request was given up while it waited.")
	}
	return func() { d.large.Release(n) }, nil
}

// readBody reads a request's body, which must not be too large.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, errTooLarge()
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, fault.Because(err, fault.Canceled, "The request's body was not sent to its end.")
	}
	if len(body) > maxBody {
		return nil, errTooLarge()
	}
	return body, nil
}

// errTooLarge refuses a body.
func errTooLarge() error {
	return fault.E(fault.InvalidArgument, "Request payload size exceeds the limit: %d bytes.", maxBody)
}
