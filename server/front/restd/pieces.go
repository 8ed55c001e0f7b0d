package restd

import (
	"net/http"
	"slices"
	"time"
)

// writePiece is the number of bytes that a client must receive within the time limit, which slow networks can.
const writePiece = 16 << 10

// writeInTime writes the gathered part of an incomplete array. The query holds its snapshot meanwhile, so a client that
// receives nothing must not block it indefinitely.
func (a *answer) writeInTime() error {
	control := http.NewResponseController(a.w)
	// Writers without deadlines, as in tests, have no connection to cut.
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	for piece := range slices.Chunk(a.buf, writePiece) {
		_ = control.SetWriteDeadline(a.clock.Now().Add(a.pieceTimeout))
		if _, err := a.w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}
