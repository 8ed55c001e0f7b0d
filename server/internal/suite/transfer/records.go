package transfer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"clave/server/internal/base/fault"
)

// A log consists of blocks of blockSize bytes, the last of which may be shorter. A block consists of chunks, each with
// a header: a checksum of four bytes, a length of two, both little-endian, and a kind. A record is one full chunk, or a
// first one, any number of middle ones and a last one. Fewer bytes than a header at the end of a block are unused.
//
// Some writers reserve space ahead, which stays filled with zeros. So a header of zeros ends a block, whose other bytes
// must be zeros too, and the next block may have records again. A writer that was killed leaves an incomplete record at
// the end: readRecords returns errCut for it, because it may also be what remains of a damaged file.

// blockSize is the size of a log's blocks in bytes, and headerSize that of a chunk's header.
const (
	blockSize  = 32 << 10
	headerSize = 7
)

// The kinds of chunks.
const (
	chunkFull   = 1
	chunkFirst  = 2
	chunkMiddle = 3
	chunkLast   = 4
)

// maxRecord is the maximum size of a record in bytes: a document has at most 1 MiB, and its entity a few MiB.
const maxRecord = 16 << 20

// maxBlank is the maximum number of consecutive blocks without a record: 64 MiB. Writers reserve less. A file of a few
// bytes on disk can have any number of them.
const maxBlank = 2 << 10

// errCut is the error for a log whose last record is incomplete.
var errCut = errors.New("its last record is incomplete")

// castagnoli is the table of a log's checksums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns the checksum of a chunk without its checksum and length.
func checksum(chunk []byte) uint32 {
	sum := crc32.Checksum(chunk, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8 // as LevelDB masks it
}

// readRecords calls yield with each record of a log. yield must not keep it. It returns DataLoss for a damaged log, and
// a wrapped errCut with this code if only the last record is incomplete; yield was then called with all others.
func readRecords(r io.Reader, yield func([]byte) error) error {
	l := &logReader{yield: yield}
	block := make([]byte, blockSize)
	for at := 0; ; at++ {
		n, err := io.ReadFull(r, block)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		last := n < blockSize
		blank := l.records
		if problem := l.block(block[:n], last); problem != nil {
			return damaged(problem)
		}
		if l.refused != nil {
			return l.refused
		}
		if l.blank++; l.records != blank || l.inRecord {
			l.blank = 0
		}
		switch {
		case l.blank > maxBlank:
			return damaged(errors.New("it holds more empty blocks than any writer reserves"))
		case last && l.inRecord:
			return damaged(errCut)
		case last:
			return nil
		}
	}
}

// damaged returns the error for a file that is not a whole log.
func damaged(err error) error {
	return fault.Wrap(err, fault.DataLoss, "the file is damaged or not an export: %v", err)
}

// logReader joins the chunks of a log to records.
type logReader struct {
	yield func([]byte) error
	// refused is the error that yield returned.
	refused error
	// record holds the chunks of the record that has begun, if inRecord is set.
	record   []byte
	inRecord bool
	// records counts records, and blank the blocks since the last one.
	records, blank int
}

// block reads a block. last is set if it is the last one, which may be shorter.
func (l *logReader) block(b []byte, last bool) error {
	for len(b) >= headerSize {
		sum, size, kind := binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint16(b[4:])), b[6]
		if sum == 0 && size == 0 && kind == 0 {
			return unused(b)
		}
		chunk := b[6:]
		if 1+size > len(chunk) {
			if last && kind >= chunkFull && kind <= chunkLast {
				return errCut
			}
			return errors.New("a record is longer than its block")
		}
		chunk = chunk[:1+size]
		if checksum(chunk) != sum {
			return errors.New("the checksum of a record is wrong")
		}
		if err := l.chunk(kind, chunk[1:]); err != nil || l.refused != nil {
			return err
		}
		b = b[headerSize+size:]
	}
	if last && unused(b) != nil {
		return errCut
	}
	return nil
}

// unused returns an error for bytes that are not all zeros.
func unused(b []byte) error {
	if len(bytes.TrimLeft(b, "\x00")) > 0 {
		return errors.New("there are data after the end of a block's records")
	}
	return nil
}

// chunk adds a chunk to the record that has begun, or begins one.
func (l *logReader) chunk(kind byte, content []byte) error {
	begins := kind == chunkFull || kind == chunkFirst
	switch {
	case kind < chunkFull || kind > chunkLast:
		return fmt.Errorf("it has a record of the unknown kind %d", kind)
	case !begins && !l.inRecord:
		return errors.New("the begin of a record is missing")
	case begins && len(l.record) > 0: // An old writer of LevelDB may begin a record by an empty chunk, and then again.
		return errors.New("the end of a record is missing")
	case len(l.record)+len(content) > maxRecord:
		return errors.New("a record is larger than any document")
	}
	if kind == chunkFull {
		return l.end(content)
	}
	l.record, l.inRecord = append(l.record, content...), true
	if kind == chunkLast {
		return l.end(l.record)
	}
	return nil
}

// end yields a whole record.
func (l *logReader) end(record []byte) error {
	l.record, l.inRecord = l.record[:0], false
	l.records++
	l.refused = l.yield(record)
	return nil
}
