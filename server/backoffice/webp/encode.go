package webp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
)

// MaxSide is the longest side of a picture in the format.
const MaxSide = 1<<14 - 1

// maxFirst is the limit of the size of a frame's first partition, exclusive.
const maxFirst = 1 << 19

// Encode returns an opaque picture as lossy WebP. The quality is from 0, the smallest file, to 100. Transparency is
// ignored.
func Encode(m *image.RGBA, quality int) ([]byte, error) {
	size := m.Rect.Size()
	if size.X < 1 || size.Y < 1 || size.X > MaxSide || size.Y > MaxSide {
		return nil, fmt.Errorf("webp: a picture of %d×%d pixels", size.X, size.Y)
	}
	if quality < 0 || quality > 100 {
		return nil, fmt.Errorf("webp: quality %d", quality)
	}
	columns, rows := (size.X+15)/16, (size.Y+15)/16
	index := (100 - quality) * 127 / 100
	f := &frame{
		width: size.X, height: size.Y, columns: columns, rows: rows,
		index: index, steps: newQuantizer(index),
		source: convert(m, columns, rows), decoded: newPlanes(columns, rows),
	}
	f.encode()
	data := f.bytes()
	if first := int(data[0])>>5 | int(data[1])<<3 | int(data[2])<<11; first >= maxFirst {
		return nil, errors.New("webp: the picture has too many macroblocks")
	}
	return container(data), nil
}

// container returns a RIFF file with a frame.
func container(frame []byte) []byte {
	padded := len(frame) + len(frame)&1
	out := make([]byte, 0, 20+padded)
	out = append(out, "RIFF"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(4+8+padded))
	out = append(out, "WEBPVP8 "...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(frame)))
	out = append(out, frame...)
	if padded > len(frame) {
		out = append(out, 0)
	}
	return out
}
