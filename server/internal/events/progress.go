package events

import (
	"math/rand/v2"
	"time"

	"clave/server/internal/base/clock"
)

// progress tracks the version up to which all commits are done. Commits begin in order and are done in any order.
type progress struct {
	open []*mark
	upto clock.Version
}

// mark is a commit, with the number of its events that are not done.
type mark struct {
	version clock.Version
	left    int
}

// begin adds a commit with its number of events.
func (p *progress) begin(v clock.Version, events int) *mark {
	m := &mark{v, events}
	p.open = append(p.open, m)
	p.advance()
	return m
}

// end counts an event of a commit as done.
func (p *progress) end(m *mark) {
	m.left--
	p.advance()
}

// advance moves the version over the commits that are done.
func (p *progress) advance() {
	for len(p.open) > 0 && p.open[0].left == 0 {
		p.upto = p.open[0].version
		p.open[0] = nil
		p.open = p.open[1:]
	}
}

// The pauses between tries.
const (
	firstPause = 500 * time.Millisecond
	maxPause   = 10 * time.Minute
)

// pause returns the pause after a number of failed attempts. It doubles with each, and a random part is subtracted, so
// that events that failed together are not retried together.
func pause(attempts int) time.Duration {
	d := time.Duration(maxPause)
	if shift := attempts - 1; shift < 30 {
		d = min(d, firstPause<<shift)
	}
	return d/2 + rand.N(d/2)
}
