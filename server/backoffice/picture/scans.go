package picture

import "encoding/binary"

// maxScans is the maximum number of scans of a JPEG. Encoders write at most about twelve. Each scan of a progressive
// JPEG passes over all blocks, and needs only a few bytes of the file: a file of MaxUpload with MaxPixels could take
// hours.
const maxScans = 100

// scans returns the number of scans of a JPEG, 0 if the file is not a JPEG.
func scans(file []byte) int {
	if len(file) < 2 || file[0] != 0xff || file[1] != markerStart {
		return 0
	}
	found := 0
	for at := 2; at+4 <= len(file); {
		if file[at] != 0xff || file[at+1] < markerFirst || markerRestart <= file[at+1] && file[at+1] <= markerStart {
			at++ // data between the markers
			continue
		}
		if file[at+1] == 0xff { // a fill byte
			at++
			continue
		}
		switch file[at+1] {
		case markerEnd:
			return found // phones append films and other pictures
		case markerScan:
			found++
		}
		at += 2 + int(binary.BigEndian.Uint16(file[at+2:]))
	}
	return found
}
