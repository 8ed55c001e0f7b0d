package listen

import (
	"encoding/binary"
	"hash/crc32"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// A resume token is a tag, eight bytes of a version, and three bytes of a checksum, by which other bytes are detected.
const (
	tokenTag  = 0x76
	tokenSize = 12
)

// newToken returns the resume token of a version.
func newToken(v clock.Version) []byte {
	b := make([]byte, 9, tokenSize+1)
	b[0] = tokenTag
	binary.BigEndian.PutUint64(b[1:], uint64(v))
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))[:tokenSize]
}

// parseToken returns the version of a resume token. It returns InvalidArgument.
func parseToken(b []byte) (clock.Version, error) {
	if len(b) == tokenSize && b[0] == tokenTag {
		v := clock.Version(binary.BigEndian.Uint64(b[1:]))
		if string(newToken(v)) == string(b) && v > 0 {
			return v, nil
		}
	}
	return 0, fault.E(fault.InvalidArgument, "bad resume token")
}

// TokenVersion returns the version of a resume token; ok is false if it is none.
func TokenVersion(token []byte) (v clock.Version, ok bool) {
	v, err := parseToken(token)
	return v, err == nil
}
