package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
)

// errBroken is the error of a key that this package did not encode.
var errBroken = errors.New("index: broken key")

// CutSegment takes one id off the front of an encoded path. It returns an error if no id is there.
func CutSegment(b []byte) (id string, rest []byte, err error) {
	if len(b) == 0 {
		return "", nil, errBroken
	}
	switch b[0] {
	case segNumeric:
		if len(b) < 9 {
			return "", nil, errBroken
		}
		n := int64(binary.BigEndian.Uint64(b[1:]) ^ (1 << 63))
		return "__id" + strconv.FormatInt(n, 10) + "__", b[9:], nil
	case segText:
		n, ok := skipText(b[1:])
		if !ok {
			return "", nil, errBroken
		}
		text := b[1 : n-1]
		if bytes.IndexByte(text, 0) < 0 {
			return string(text), b[n+1:], nil
		}
		return strings.ReplaceAll(string(text), "\x00\xff", "\x00"), b[n+1:], nil
	}
	return "", nil, errBroken
}

// DecodePath reads an encoded path up to its end mark or the end of b, and returns what follows the mark.
func DecodePath(b []byte) (path string, rest []byte, err error) {
	var out strings.Builder
	for len(b) > 0 && b[0] != tagEnd {
		var id string
		if id, b, err = CutSegment(b); err != nil {
			return "", nil, err
		}
		if out.Len() > 0 {
			out.WriteByte('/')
		}
		out.WriteString(id)
	}
	if len(b) > 0 {
		b = b[1:]
	}
	return out.String(), b, nil
}

// SkipSegment returns the length of the id at the front of an encoded path, or 0 when there is none.
func SkipSegment(b []byte) int {
	switch {
	case len(b) >= 9 && b[0] == segNumeric:
		return 9
	case len(b) > 0 && b[0] == segText:
		if n, ok := skipText(b[1:]); ok {
			return n + 1
		}
	}
	return 0
}

// skipText returns the length of a text with its end, or false if it has none.
func skipText(b []byte) (int, bool) {
	for i := 0; ; {
		j := bytes.IndexByte(b[i:], 0)
		if j < 0 || i+j+1 >= len(b) {
			return 0, false
		}
		i += j + 2
		if b[i-1] == 0x01 {
			return i, true
		}
	}
}

// SkipValue returns the length of the component at the front of b, which is inverted if desc is set, and whether it is
// complete. A truncated component has the length MaxComponent.
func SkipValue(b []byte, desc bool) (n int, whole bool) {
	s := b
	if len(s) > MaxComponent {
		s = s[:MaxComponent]
	}
	if desc {
		s = invert(append(make([]byte, 0, len(s)), s...))
	}
	if n, ok := skipValue(s); ok {
		return n, true
	}
	return len(s), false
}

// skipValue returns the length of the value at the front of b if it is complete.
func skipValue(b []byte) (int, bool) {
	if len(b) == 0 {
		return 0, false
	}
	switch b[0] {
	case tagNull, tagFalse, tagTrue, tagNaN:
		return 1, true
	case tagNumber:
		return skipNumber(b)
	case tagTimestamp:
		return 13, len(b) >= 13
	case tagGeoPoint:
		return 17, len(b) >= 17
	case tagString, tagBytes:
		n, ok := skipText(b[1:])
		return n + 1, ok
	case tagReference:
		return skipReference(b)
	case tagVector:
		if len(b) < 5 {
			return 0, false
		}
		n := 5 + 8*int(binary.BigEndian.Uint32(b[1:]))
		return n, len(b) >= n
	case tagArray, tagMap:
		return skipItems(b)
	}
	return 0, false
}

// skipNumber returns the length of a number, or false if b ends in it.
func skipNumber(b []byte) (int, bool) {
	if len(b) < 9 {
		return 0, false
	}
	if d := fromSortable(b[1:9]); d >= exactBelow || d <= -exactBelow {
		return 11, len(b) >= 11
	}
	return 9, true
}

// skipReference returns the length of a reference, or false if it has no end.
func skipReference(b []byte) (int, bool) {
	for i := 1; i < len(b); {
		if b[i] == tagEnd {
			return i + 1, true
		}
		n := SkipSegment(b[i:])
		if n == 0 {
			return 0, false
		}
		i += n
	}
	return 0, false
}

// skipItems returns the length of an array or a map. It returns false if b ends within it.
func skipItems(b []byte) (int, bool) {
	for i := 1; i < len(b); {
		if b[i] == tagEnd {
			return i + 1, true
		}
		i++
		if b[0] == tagMap {
			n, ok := skipText(b[i:])
			if !ok {
				return 0, false
			}
			i += n
		}
		n, ok := skipValue(b[i:])
		if !ok {
			return 0, false
		}
		i += n
	}
	return 0, false
}

// Invert flips every bit of b in place and returns it: ascending becomes descending.
func Invert(b []byte) []byte { return invert(b) }

// invert is Invert.
func invert(b []byte) []byte {
	for i := range b {
		b[i] = ^b[i]
	}
	return b
}
