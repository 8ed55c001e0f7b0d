package forward

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/readindex"
)

// The frames of a stream of read indexes. Each begins with the length of what follows, in four bytes; all numbers are
// big-endian.
//
//	request:  a byte with wantsWait if the leader may wait and wantsLease if a lease is requested, After in eight bytes,
//	          and the names of databases
//	response: a byte that is 1 if there is an index; then Seq in eight bytes, the lease in microseconds in eight bytes,
//	          Rules, and a version in eight bytes for each name of the request, 0 for none
//
// A name, and Rules, is its length in two bytes and its bytes. Frames of the protocol without leases lack what concerns
// them.

// sessionProtocol is the protocol (ALPN) of a stream of read indexes. A leader of an earlier version chooses
// leaseProtocol, which has the same frames, but does not forward requests to the owners of sessions (ToOwner); or
// indexProtocol, which has no leases; or HTTP/2.
const (
	sessionProtocol = "clave-index/3"
	leaseProtocol   = "clave-index/2"
	indexProtocol   = "clave-index/1"
)

// indexProtocols lists the protocols of an inner listener, those of streams of read indexes first.
var indexProtocols = []string{sessionProtocol, leaseProtocol, indexProtocol, "h2"}

// The bits of the first byte of a request.
const (
	wantsWait = 1 << iota
	wantsLease
)

// maxLease is the maximum duration of a lease in a response.
const maxLease = time.Minute

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

// cutName cuts a text with its length off. It returns an error if b ends within it.
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

// appendRequest appends a request to a frame of a stream with or without leases.
func appendRequest(frame []byte, r readindex.Request, leases bool) ([]byte, error) {
	wants := byte(0)
	if r.Wait {
		wants |= wantsWait
	}
	if r.Lease && leases {
		wants |= wantsLease
	}
	frame = binary.BigEndian.AppendUint64(append(frame, wants), uint64(r.After))
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

// parseRequest parses a request on a stream with or without leases.
func parseRequest(frame []byte, leases bool) (r readindex.Request, err error) {
	most := byte(wantsWait)
	if leases {
		most |= wantsLease
	}
	if len(frame) < 9 || frame[0] > most {
		return r, errFrame
	}
	r.Wait, r.Lease, r.After = frame[0]&wantsWait != 0, frame[0]&wantsLease != 0, int64(binary.BigEndian.Uint64(frame[1:]))
	for frame = frame[9:]; len(frame) > 0; {
		var name string
		if name, frame, err = cutName(frame); err != nil {
			return r, err
		}
		r.Databases = append(r.Databases, name)
	}
	return r, nil
}

// appendIndex appends the response to a request for some databases to a frame of a stream with or without leases. A nil
// index is a refusal.
func appendIndex(frame []byte, index *readindex.Index, databases []string, leases bool) []byte {
	if index == nil {
		return append(frame, 0)
	}
	frame = binary.BigEndian.AppendUint64(append(frame, 1), uint64(index.Seq))
	if leases {
		frame = binary.BigEndian.AppendUint64(frame, uint64(index.Lease/time.Microsecond))
	}
	frame = appendName(frame, index.Rules)
	for _, name := range databases {
		frame = binary.BigEndian.AppendUint64(frame, uint64(index.Versions[name]))
	}
	return frame
}

// parseIndex parses the response to a request for some databases on a stream with or without leases. It returns nil for
// a refusal.
func parseIndex(frame []byte, databases []string, leases bool) (*readindex.Index, error) {
	if len(frame) == 1 && frame[0] == 0 {
		return nil, nil
	}
	if len(frame) < 9 || frame[0] != 1 {
		return nil, errFrame
	}
	index := &readindex.Index{Seq: int64(binary.BigEndian.Uint64(frame[1:])), Versions: make(map[string]clock.Version, len(databases))}
	frame = frame[9:]
	if leases {
		if len(frame) < 8 || binary.BigEndian.Uint64(frame) > uint64(maxLease/time.Microsecond) {
			return nil, errFrame
		}
		index.Lease, frame = time.Duration(binary.BigEndian.Uint64(frame))*time.Microsecond, frame[8:]
	}
	var err error
	if index.Rules, frame, err = cutName(frame); err != nil {
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
