package picture

import (
	"bytes"
	"encoding/binary"
)

// Markers of JPEG, and EXIF's tag for the orientation.
const (
	markerFirst    = 0xc0
	markerRestart  = 0xd0
	markerStart    = 0xd8
	markerEnd      = 0xd9
	markerApp1     = 0xe1
	markerScan     = 0xda
	tagOrientation = 0x0112
	typeShort      = 3
)

// orientation returns the EXIF orientation of a JPEG, 1 if it has none.
func orientation(file []byte) int {
	if len(file) < 2 || file[0] != 0xff || file[1] != markerStart {
		return 1
	}
	for rest := file[2:]; len(rest) >= 4 && rest[0] == 0xff; {
		marker, size := rest[1], int(binary.BigEndian.Uint16(rest[2:]))
		if marker == 0xff { // a fill byte
			rest = rest[1:]
			continue
		}
		if marker == markerScan || size < 2 || len(rest) < 2+size {
			return 1
		}
		segment := rest[4 : 2+size]
		if tiff, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok && marker == markerApp1 {
			return tiffOrientation(tiff)
		}
		rest = rest[2+size:]
	}
	return 1
}

// tiffOrientation returns the orientation of EXIF's TIFF part, or 1, which turns nothing, if there is none.
//
// The part begins with its byte order and the position of the first directory. A directory is a count of entries of 12
// bytes: tag and type of 2 bytes each, a count of 4, and a value of 4, of which a short takes the first 2.
func tiffOrientation(tiff []byte) int {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(tiff, []byte("II*\x00")):
		order = binary.LittleEndian
	case bytes.HasPrefix(tiff, []byte("MM\x00*")):
		order = binary.BigEndian
	default:
		return 1
	}
	if len(tiff) < 8 {
		return 1
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 1
		}
		if order.Uint16(entries) == tagOrientation && order.Uint16(entries[2:]) == typeShort {
			if v := int(order.Uint16(entries[8:])); v >= 1 && v <= 8 {
				return v
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}
