package webchannel

import (
	"bufio"
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// array is one numbered message of the back channel.
type array struct {
	id int
	// payload is its JSON: an array with one message or one control word. Sessions share it, and it must not be changed.
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

// chunkSize returns an upper bound of the size of arrays as one chunk, in bytes.
func chunkSize(arrays []array) int {
	const maxDigits, arrayFrame = 20, len("[,],")
	size := maxDigits + len("\n[]")
	for _, a := range arrays {
		size += len(a.payload) + arrayFrame + maxDigits
	}
	return size
}

// writeArrays writes arrays as one chunk. It does not flush the writer.
func writeArrays(w *bufio.Writer, arrays []array) error {
	length := len("[]") + len(arrays) - 1
	for _, a := range arrays {
		length += len("[,]") + len(strconv.Itoa(a.id)) + utf16Len(a.payload)
	}
	var number [20]byte
	_, _ = w.Write(strconv.AppendInt(number[:0], int64(length), 10))
	_, _ = w.WriteString("\n[")
	for i, a := range arrays {
		if i > 0 {
			_ = w.WriteByte(',')
		}
		_ = w.WriteByte('[')
		_, _ = w.Write(strconv.AppendInt(number[:0], int64(a.id), 10))
		_ = w.WriteByte(',')
		_, _ = w.Write(a.payload)
		if err := w.WriteByte(']'); err != nil {
			return err
		}
	}
	return w.WriteByte(']')
}

// appendChunk appends a JSON text preceded by its length in UTF-16 code units, the units in which browsers count.
func appendChunk(b, json []byte) []byte {
	b = strconv.AppendInt(b, int64(utf16Len(json)), 10)
	b = append(b, '\n')
	return append(b, json...)
}

// utf16Len returns the length of a UTF-8 text in UTF-16 code units.
func utf16Len(text []byte) int {
	const word, beyondASCII = 8, 0x8080808080808080
	n := 0
	for len(text) > 0 {
		if len(text) >= word && binary.NativeEndian.Uint64(text)&beyondASCII == 0 {
			n += word
			text = text[word:]
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
