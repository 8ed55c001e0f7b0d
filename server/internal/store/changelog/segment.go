package changelog

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/klauspost/compress/s2"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
)

// Segment describes a part of a log.
type Segment struct {
	// Log is the id of the log, and Number the segment's place in it, from 1.
	Log    string `json:"log"`
	Number uint64 `json:"number"`
	// From and To are the number of its first operation and that after its last one.
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
	// Until is the time in microseconds up to which the log is complete with it: each later batch has a later time.
	Until int64 `json:"until"`
	// Previous is the sum of the segment before it; empty for the first one.
	Previous string `json:"previous,omitempty"`
	// Sealed is set if its content is encrypted.
	Sealed bool `json:"sealed,omitempty"`
}

// UntilTime returns the time up to which the log is complete with the segment.
func (s Segment) UntilTime() time.Time { return time.UnixMicro(s.Until).UTC() }

// The form of a segment: the line, the length of the header (4 bytes, big-endian), the header as JSON, the content, and
// the SHA-256 checksum of all of that.
const (
	magic       = "clave log 1\n"
	magicPrefix = "clave log "
	maxHeader   = 4096
	// MaxSegment is the maximum size of a segment, and of its records.
	MaxSegment = 96 << 20
)

// logID is the form of the ids of logs.
var logID = pattern.New(`^[0-9A-Za-z]{8,64}$`)

// IsID reports whether a text can be the id of a log.
func IsID(text string) bool { return logID.MatchString(text) }

// Append appends the stored form of a segment with its content, and returns its sum too.
func (s Segment) Append(to, content []byte) (stored []byte, sum string, err error) {
	header, err := json.Marshal(s)
	if err != nil {
		return nil, "", err
	}
	begin := len(to)
	to = append(to, magic...)
	to = binary.BigEndian.AppendUint32(to, uint32(len(header)))
	to = append(append(to, header...), content...)
	digest := sha256.Sum256(to[begin:])
	return append(to, digest[:]...), hex.EncodeToString(digest[:]), nil
}

// ParseSegment parses the stored form of a segment. content is a part of it. It returns DataLoss if it is damaged.
func ParseSegment(stored []byte) (s Segment, content []byte, sum string, err error) {
	damaged := fault.E(fault.DataLoss, "it is damaged")
	end := len(stored) - sha256.Size
	if !bytes.HasPrefix(stored, []byte(magic)) {
		if bytes.HasPrefix(stored, []byte(magicPrefix)) {
			return s, nil, "", fault.E(fault.FailedPrecondition, "it was made by another version of clave; use that version")
		}
		return s, nil, "", damaged
	}
	if end < len(magic)+4 || len(stored) > MaxSegment {
		return s, nil, "", damaged
	}
	digest := sha256.Sum256(stored[:end])
	if !bytes.Equal(digest[:], stored[end:]) {
		return s, nil, "", damaged
	}
	body := stored[len(magic):end]
	length := binary.BigEndian.Uint32(body)
	if length > maxHeader || int(length) > len(body)-4 {
		return s, nil, "", damaged
	}
	if json.Unmarshal(body[4:4+length], &s) != nil || !IsID(s.Log) || s.From > s.To || s.Until < 0 {
		return Segment{}, nil, "", damaged
	}
	return s, body[4+length:], hex.EncodeToString(digest[:]), nil
}

// Compress returns the content of a segment with records.
func Compress(records []byte) []byte { return s2.Encode(nil, records) }

// Decompress returns the records of a segment's content that is not encrypted.
func Decompress(content []byte) ([]byte, error) {
	if n, err := s2.DecodedLen(content); err != nil || n > MaxSegment {
		return nil, errRecords()
	}
	records, err := s2.Decode(nil, content)
	if err != nil {
		return nil, errRecords()
	}
	return records, nil
}

// appendFrame appends a segment after its length (4 bytes, big-endian).
func appendFrame(to, stored []byte) []byte {
	return append(binary.BigEndian.AppendUint32(to, uint32(len(stored))), stored...)
}

// splitFrames returns the segments of appendFrame, up to the first one that is not complete.
func splitFrames(all []byte) (frames [][]byte) {
	for len(all) >= 4 {
		n := int(binary.BigEndian.Uint32(all))
		if all = all[4:]; n > len(all) {
			break
		}
		frames = append(frames, all[:n:n])
		all = all[n:]
	}
	return frames
}
