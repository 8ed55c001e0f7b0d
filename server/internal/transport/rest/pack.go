package rest

import (
	"bytes"
	"compress/gzip"
	"sync"
)

// packFrom is the number of bytes from which a response is compressed. A smaller one is sent in one packet anyway.
const packFrom = 1400

// packers holds *gzip.Writer values, each of which takes more memory than a response that it compresses. Their level is
// the fastest, since a response is sent once.
var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return z
}}

// pack compresses the buffer if it is the whole response, takes more than one packet and the client accepts it. Pieces
// are not compressed, so that a piece is complete for the client when it arrives. Compressing discloses nothing by its
// size (BREACH): callers are identified by a header that only their own scripts set, so no foreign page can make them
// send requests.
func (a *answer) pack() {
	h := a.w.Header()
	if len(a.buf) < packFrom || h.Get("Content-Type") != "" {
		return
	}
	h.Add("Vary", "Accept-Encoding")
	if !a.packable {
		return
	}
	h.Set("Content-Encoding", "gzip")
	var out bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&out)
	_, _ = z.Write(a.buf) // Writing to memory does not fail.
	_ = z.Close()
	a.buf = append(a.buf[:0], out.Bytes()...)
}
