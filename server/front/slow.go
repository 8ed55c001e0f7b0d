package front

import (
	"errors"
	"io"
	"net/http"
	"time"

	"clave/server/clock"
)

// errSlow ends the reading of a body that comes too slowly.
var errSlow = errors.New("the request's body came too slowly")

// withPatience gives a request's body a limited time: to go on, and to come to its end. A client that sends a body byte by byte
// would otherwise hold a connection and what has come of it for as long as they like. What the server sends has no such
// limit, since live queries last.
func (p *Port) withPatience(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	r.Body = &patientBody{
		ReadCloser: r.Body, control: http.NewResponseController(w), clock: p.o.Clock, quiet: p.o.BodyQuiet,
		end: p.o.Clock.Now().Add(p.o.BodyWhole),
	}
}

// patientBody is a body that must come in time.
type patientBody struct {
	io.ReadCloser
	control *http.ResponseController
	clock   clock.Clock
	// quiet is the time for which the body may stand still, and end when it must have come.
	quiet time.Duration
	end   time.Time
}

// Read implements io.Reader.
func (b *patientBody) Read(p []byte) (int, error) {
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
