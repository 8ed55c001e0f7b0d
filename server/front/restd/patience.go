package restd

import (
	"net/http"
	"slices"
	"time"
)

// writePiece is how much a client must take within the patience: slow networks manage it with ease.
const writePiece = 16 << 10

// writeInTime writes what was gathered of an array that goes on. Until it is through, the query keeps what it reads from:
// a client that takes nothing must not make it keep that for ever.
func (a *answer) writeInTime() error {
	control := http.NewResponseController(a.w)
	// Writers without deadlines, as in tests, have no connection to cut.
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	for piece := range slices.Chunk(a.buf, writePiece) {
		_ = control.SetWriteDeadline(a.clock.Now().Add(a.patience))
		if _, err := a.w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}
