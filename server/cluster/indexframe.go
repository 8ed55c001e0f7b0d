package cluster

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"clave/server/clock"
)

// The frames of a stream of read indexes. Each begins with the length of what follows, in four bytes; all numbers are
// big-endian.
//
//	request:  a byte that is 1 if the leader may wait, After in eight bytes, and the names of databases
//	response: a byte that is 1 if there is an index; then Seq in eight bytes, Rules, and a version in eight bytes for each
//	          name of the request, 0 for none
//
// A name, and Rules, is its length in two bytes and its bytes.

// indexProtocol is the protocol (ALPN) of a stream of read indexes. A leader of an earlier version chooses HTTP/2 instead.
const indexProtocol = "clave-index/1"

// errFrame is the error of a frame that can't be read.
var errFrame = errors.New("cluster: a damaged frame")

// frameHead is the length of a frame's head.
const frameHead = 4

// beginFrame begins a frame in a buffer, which endFrame completes.
func beginFrame(buffer []byte) []byte { return append(buffer[:0], make([]byte, frameHead)...) }

// endFrame sets the length of a frame.
func endFrame(frame []byte) []byte {
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-frameHead))
	return frame
}

// readFrame reads a frame without its head into a buffer.
func readFrame(in *bufio.Reader, buffer []byte) ([]byte, error) {
	head, err := in.Peek(frameHead)
	if err != nil {
		return buffer, err
	}
	n := binary.BigEndian.Uint32(head)
	if n > maxIndex {
		return buffer, errFrame
	}
	if _, err := in.Discard(frameHead); err != nil {
		return buffer, err
	}
	if cap(buffer) < int(n) {
		buffer = make([]byte, n)
	}
	buffer = buffer[:n]
	_, err = io.ReadFull(in, buffer)
	return buffer, err
}

// appendName appends a text with its length.
func appendName(frame []byte, name string) []byte {
	return append(binary.BigEndian.AppendUint16(frame, uint16(len(name))), name...)
}

// cutName cuts a text with its length off.
func cutName(frame []byte) (name string, rest []byte, err error) {
	if len(frame) < 2 {
		return "", nil, errFrame
	}
	n := 2 + int(binary.BigEndian.Uint16(frame))
	if len(frame) < n {
		return "", nil, errFrame
	}
	return string(frame[2:n]), frame[n:], nil
}

// appendRequest appends a request to a frame.
func appendRequest(frame []byte, r IndexRequest) ([]byte, error) {
	wait := byte(0)
	if r.Wait {
		wait = 1
	}
	frame = binary.BigEndian.AppendUint64(append(frame, wait), uint64(r.After))
	for _, name := range r.Databases {
		if len(name) > math.MaxUint16 {
			return nil, errFrame
		}
		frame = appendName(frame, name)
	}
	if len(frame)-frameHead > maxIndex {
		return nil, errFrame
	}
	return frame, nil
}

// parseRequest parses a request.
func parseRequest(frame []byte) (r IndexRequest, err error) {
	if len(frame) < 9 || frame[0] > 1 {
		return r, errFrame
	}
	r.Wait, r.After = frame[0] == 1, int64(binary.BigEndian.Uint64(frame[1:]))
	for frame = frame[9:]; len(frame) > 0; {
		var name string
		if name, frame, err = cutName(frame); err != nil {
			return r, err
		}
		r.Databases = append(r.Databases, name)
	}
	return r, nil
}

// appendIndex appends the response to a request for some databases to a frame. A nil index is a refusal.
func appendIndex(frame []byte, index *Index, databases []string) []byte {
	if index == nil {
		return append(frame, 0)
	}
	frame = binary.BigEndian.AppendUint64(append(frame, 1), uint64(index.Seq))
	frame = appendName(frame, index.Rules)
	for _, name := range databases {
		frame = binary.BigEndian.AppendUint64(frame, uint64(index.Versions[name]))
	}
	return frame
}

// parseIndex parses the response to a request for some databases. It returns nil for a refusal.
func parseIndex(frame []byte, databases []string) (*Index, error) {
	if len(frame) == 1 && frame[0] == 0 {
		return nil, nil
	}
	if len(frame) < 9 || frame[0] != 1 {
		return nil, errFrame
	}
	index := &Index{Seq: int64(binary.BigEndian.Uint64(frame[1:])), Versions: make(map[string]clock.Version, len(databases))}
	var err error
	if index.Rules, frame, err = cutName(frame[9:]); err != nil {
		return nil, err
	}
	if len(frame) != 8*len(databases) {
		return nil, errFrame
	}
	for i, name := range databases {
		if v := clock.Version(binary.BigEndian.Uint64(frame[8*i:])); v > 0 {
			index.Versions[name] = v
		}
	}
	return index, nil
}
