package pebble

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// leastSyncType is the first type of chunks with a sync offset, whose header is longer. Chunks of the first types have
// no log number.
const leastSyncType = 9

// The sizes of the headers of chunks without a log number, and with a log number and a sync offset.
const (
	shortLogHeader = 7
	longLogHeader  = 19
)

// chunksEnd returns the offset after the last intact chunk at the beginning of a log, of which the first most bytes are
// read. It returns 0 for an absent log.
func chunksEnd(from vfs.FS, path string, number uint32, most uint64) (end uint64, err error) {
	f, err := from.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the log: %w", err)
	}
	defer func() { _ = f.Close() }() // a read
	r, block := io.LimitReader(f, int64(most)), make([]byte, logBlock)
	for {
		n, err := io.ReadFull(r, block)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, fmt.Errorf("read the log: %w", err)
		}
		intact := intactBytes(block[:n], number)
		end += uint64(intact)
		if intact < logBlock {
			return end, nil
		}
	}
}

// intactBytes returns the length of the chunks at the beginning of a block, with the zeros that fill it, or with the
// mark of a log's end.
func intactBytes(block []byte, number uint32) (end int) {
	for end < len(block) {
		size := chunkSize(block[end:], number)
		if size == 0 {
			break
		}
		end += size
	}
	rest := block[end:]
	switch {
	case logBlock-end < longLogHeader && isZero(rest): // There is no space for a chunk in the block.
		return len(block)
	case len(rest) >= logHeader && isZero(rest[:6]) && rest[6] == leastLogType && binary.LittleEndian.Uint32(rest[7:]) == number+1:
		return end + logHeader
	}
	return end
}

// chunkSize returns the size of the intact chunk at the beginning of a part of a block, or 0.
func chunkSize(b []byte, number uint32) int {
	if len(b) < shortLogHeader || b[6] == 0 || b[6] > greatestLogType {
		return 0
	}
	header := shortLogHeader
	switch {
	case b[6] >= leastSyncType:
		header = longLogHeader
	case b[6] >= leastLogType:
		header = logHeader
	}
	size := header + int(binary.LittleEndian.Uint16(b[4:]))
	if size > len(b) || header > shortLogHeader && binary.LittleEndian.Uint32(b[7:]) != number {
		return 0
	}
	if sum := crc32.Checksum(b[6:size], castagnoli); binary.LittleEndian.Uint32(b) != sum>>15|sum<<17+0xa282ead8 {
		return 0
	}
	return size
}

// isZero reports whether all bytes are zeros.
func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
