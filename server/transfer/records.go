package transfer

import (
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2/record"

	"clave/server/fault"
)

// maxRecord is the greatest record that is read, in bytes: a document has one MiB, in entities no more than a few.
const maxRecord = 16 << 20

// readRecords gives each record of a log to yield, which must not keep it.
func readRecords(r io.Reader, yield func([]byte) error) error {
	log := record.NewReader(r, 0)
	var buffer []byte
	for {
		one, err := log.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			buffer, err = appendAll(buffer[:0], one)
		}
		if err != nil {
			return fault.Because(err, fault.DataLoss, "the file is damaged or no export: %v", err)
		}
		if err := yield(buffer); err != nil {
			return err
		}
	}
}

// appendAll appends what a record holds.
func appendAll(to []byte, r io.Reader) ([]byte, error) {
	r = io.LimitReader(r, maxRecord+1)
	for {
		if len(to) == cap(to) {
			to = append(to, 0)[:len(to)]
		}
		n, err := r.Read(to[len(to):cap(to)])
		to = to[:len(to)+n]
		switch {
		case errors.Is(err, io.EOF) && len(to) > maxRecord:
			return to, errors.New("a record is greater than any document")
		case errors.Is(err, io.EOF):
			return to, nil
		case err != nil:
			return to, err
		}
	}
}

// counter counts what is written through it.
type counter struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
