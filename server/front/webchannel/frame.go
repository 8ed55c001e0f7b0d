package webchannel

import (
	"strconv"
	"unicode/utf8"
)

// array is one numbered message of the back channel.
type array struct {
	id int
	// payload is its JSON: an array with one message or one control word.
	payload []byte
}

// The control payloads.
var (
	noop = []byte(`["noop"]`)
	bye  = []byte(`["close"]`)
)

// message returns the payload of a stream's message.
func message(json []byte) []byte {
	out := make([]byte, 0, len(json)+2)
	out = append(out, '[')
	out = append(out, json...)
	return append(out, ']')
}

// appendArrays appends arrays as one chunk.
func appendArrays(b []byte, arrays []array) []byte {
	size := 2
	for _, a := range arrays {
		size += len(a.payload) + 16
	}
	json := make([]byte, 0, size)
	json = append(json, '[')
	for i, a := range arrays {
		if i > 0 {
			json = append(json, ',')
		}
		json = append(json, '[')
		json = strconv.AppendInt(json, int64(a.id), 10)
		json = append(json, ',')
		json = append(json, a.payload...)
		json = append(json, ']')
	}
	return appendChunk(b, append(json, ']'))
}

// appendChunk appends a JSON text preceded by its length in UTF-16 code units, the units in which browsers count.
func appendChunk(b, json []byte) []byte {
	b = strconv.AppendInt(b, int64(utf16Len(json)), 10)
	b = append(b, '\n')
	return append(b, json...)
}

// utf16Len returns the length of a UTF-8 text in UTF-16 code units.
func utf16Len(text []byte) int {
	n := 0
	for len(text) > 0 {
		if text[0] < utf8.RuneSelf {
			n++
			text = text[1:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		if r > 0xFFFF {
			n++
		}
		n++
		text = text[size:]
	}
	return n
}
