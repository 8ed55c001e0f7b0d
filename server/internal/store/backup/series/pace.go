package series

import (
	"context"
	"io"
	"time"

	"clave/server/internal/base/clock"
)

// pace limits the bytes that are read in a second.
type pace struct {
	rate  int64
	clock clock.Clock
	// ahead is the number of bytes that were read since the last pause.
	ahead int64
}

// paceStep is the number of bytes after which a paced reading pauses.
const paceStep = 1 << 20

// took pauses after some bytes were read.
func (p *pace) took(ctx context.Context, n int) error {
	if p.ahead += int64(n); p.rate == 0 || p.ahead < paceStep {
		return ctx.Err()
	}
	pause := time.Duration(float64(p.ahead) / float64(p.rate) * float64(time.Second))
	p.ahead = 0
	return clock.Sleep(ctx, p.clock, pause)
}

// paced is a reader that keeps a pace, and returns an error once a context has ended.
type paced struct {
	ctx  context.Context
	pace *pace
	io.Reader
}

// Read implements io.Reader.
func (r *paced) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if waitErr := r.pace.took(r.ctx, n); waitErr != nil {
		return 0, waitErr
	}
	return n, err
}

// pacedFile is a file that is read at a pace.
type pacedFile struct {
	paced
	io.Seeker
}
