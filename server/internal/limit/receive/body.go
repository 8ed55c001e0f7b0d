package receive

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"

	"clave/server/internal/base/clock"
)

// tiny is the length in bytes up to which a body is not counted, because its headers have a similar size.
const tiny = 4 << 10

// chunk is the maximum number of bytes of a body that are read before they are counted.
const chunk = 32 << 10

// Body counts the body of a request from now on. The caller must call release when the request has been answered.
func (b *Budget) Body(w http.ResponseWriter, r *http.Request) (release func()) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength >= 0 && r.ContentLength <= tiny {
		return func() {}
	}
	c := &body{ReadCloser: r.Body, ctx: r.Context()}
	c.hold = b.Hold(c.evictBy(http.NewResponseController(w)))
	r.Body = c
	return c.hold.Release
}

// body is a body that is counted.
type body struct {
	io.ReadCloser
	ctx  context.Context
	hold *Hold
	// evicted is set if the budget has ended the body to serve others.
	evicted atomic.Bool
	// streamed is set if the handler keeps nothing of what it has read, and last is the length of the latest piece then.
	streamed bool
	last     int64
	err      error
}

// Stream says that the handler of a request keeps nothing of the body: each piece is counted until the next one is
// read. It must be called before the first read, and with the body that Body has set.
func Stream(r *http.Request) {
	if c, counted := r.Body.(*body); counted {
		c.streamed = true
	}
}

// evictBy returns a function that ends the receiving of a body: waiting reads return at once.
func (c *body) evictBy(control *http.ResponseController) func() {
	return func() {
		c.evicted.Store(true)
		// Writers without deadlines, as in tests, have no connection to wait for.
		_ = control.SetReadDeadline(clock.Passed())
	}
}

// Read implements io.Reader.
func (c *body) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if c.streamed && c.last > 0 {
		c.hold.Return(c.last)
		c.last = 0
	}
	n, err := c.ReadCloser.Read(p[:min(len(p), chunk)])
	if n > 0 {
		c.last = int64(n)
		if c.err = c.hold.Take(c.ctx, int64(n)); c.err != nil {
			return 0, c.err
		}
	}
	if errors.Is(err, io.EOF) {
		c.hold.Complete()
	}
	return n, c.why(err)
}

// why returns the error of a read. For an evicted body the error states that the budget is used up.
func (c *body) why(err error) error {
	if err != nil && c.evicted.Load() && errors.Is(err, os.ErrDeadlineExceeded) {
		c.err = errFull()
		return c.err
	}
	return err
}
