package port

import (
	"errors"
	"io"
	"net/http"
	"time"

	"clave/server/internal/base/clock"
)

// errSlow is the error of a body that arrives too slowly.
var errSlow = errors.New("the request's body arrived too slowly")

// limitBodyTime limits the time of a request's body: each pause, and the whole. Otherwise a client that sends a body
// byte by byte would hold a connection and its memory indefinitely. Responses have no such limit, since live queries
// last.
func (p *Port) limitBodyTime(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	r.Body = &timedBody{
		ReadCloser: r.Body, control: http.NewResponseController(w), clock: p.o.Clock, quiet: p.o.BodyQuiet,
		end: p.o.Clock.Now().Add(p.o.BodyWhole),
	}
}

// timedBody is a body with time limits.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	clock   clock.Clock
	// quiet is the maximum pause of the body, and end the time at which it must be complete.
	quiet time.Duration
	end   time.Time
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	now := b.clock.Now()
	if now.After(b.end) {
		return 0, errSlow
	}
	// Writers without deadlines, as in tests, have no connection to hold.
	_ = b.control.SetReadDeadline(now.Add(b.quiet))
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
