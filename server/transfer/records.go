package transfer

import (
	"bytes"
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2/record"

	"clave/server/fault"
)

// maxRecord is the maximum size of a record in bytes: a document has at most 1 MiB, and its entity a few MiB.
const maxRecord = 16 << 20

// readRecords calls yield with each record of a log. yield must not keep it.
func readRecords(r io.Reader, yield func([]byte) error) error {
	log := record.NewReader(r, 0)
	var buffer bytes.Buffer
	for {
		one, err := log.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			buffer.Reset()
			_, err = buffer.ReadFrom(io.LimitReader(one, maxRecord+1))
		}
		if err == nil && buffer.Len() > maxRecord {
			err = errors.New("a record is larger than any document")
		}
		if err != nil {
			return fault.Wrap(err, fault.DataLoss, "the file is damaged or not an export: %v", err)
		}
		if err := yield(buffer.Bytes()); err != nil {
			return err
		}
	}
}
