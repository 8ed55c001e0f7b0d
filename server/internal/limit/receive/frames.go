package receive

import "encoding/binary"

// The parts of HTTP/2 (RFC 9113) that are used here.
const (
	prefaceLength = 24
	headerLength  = 9

	frameData    = 0
	frameHeaders = 1
	frameReset   = 3

	flagEndStream = 1
	flagPadded    = 8
)

// frameScanner follows the frames of one direction of an HTTP/2 connection, which may arrive in pieces of any size.
type frameScanner struct {
	// skip is the number of bytes before the next frame: the preface, or the rest of an ignored payload.
	skip int
	head [headerLength]byte
	have int
	// The frame in progress: the remaining bytes of its data and of the padding after them; pad is set if the padding's
	// length has not arrived yet.
	kind, flags byte
	stream      uint32
	data, tail  int
	pad, inside bool
	// begun is called for the header of each frame, data for each piece of a DATA frame's data, and ended at its end.
	begun, ended func(kind, flags byte, stream uint32)
	onData       func(stream uint32, piece []byte)
}

// scan processes the next bytes.
func (s *frameScanner) scan(p []byte) {
	for {
		if s.skip > 0 {
			n := min(s.skip, len(p))
			s.skip -= n
			p = p[n:]
			if s.skip > 0 {
				return
			}
		}
		if s.inside {
			if p = s.payload(p); s.inside {
				return
			}
			continue // the rest is padding, which is skipped
		}
		n := copy(s.head[s.have:], p)
		s.have += n
		p = p[n:]
		if s.have < headerLength {
			return
		}
		s.have = 0
		s.begin()
	}
}

// begin begins the frame whose header is complete.
func (s *frameScanner) begin() {
	length := int(s.head[0])<<16 | int(s.head[1])<<8 | int(s.head[2])
	s.kind, s.flags = s.head[3], s.head[4]
	s.stream = binary.BigEndian.Uint32(s.head[5:]) &^ (1 << 31)
	s.begun(s.kind, s.flags, s.stream)
	if s.kind != frameData || s.onData == nil {
		s.skip = length
		s.ended(s.kind, s.flags, s.stream)
		return
	}
	s.inside, s.data, s.tail, s.pad = true, length, 0, s.flags&flagPadded != 0 && length > 0
}

// payload processes bytes of a DATA frame and returns those after its data.
func (s *frameScanner) payload(p []byte) []byte {
	if s.pad && len(p) > 0 {
		s.tail = min(int(p[0]), s.data-1)
		s.data -= 1 + s.tail
		s.pad = false
		p = p[1:]
	}
	if !s.pad {
		n := min(s.data, len(p))
		if n > 0 {
			s.onData(s.stream, p[:n])
		}
		s.data -= n
		p = p[n:]
		if s.data == 0 {
			s.inside, s.skip = false, s.tail
			s.ended(s.kind, s.flags, s.stream)
		}
	}
	return p
}

// messages follows the gRPC messages of one stream: a flag, a length of four bytes, and that many bytes.
type messages struct {
	head [5]byte
	have int
	left int64
	// open is the number of received bytes of the incomplete message.
	open int64
	// each, if set, is called with the length of each complete message.
	each func(length int64)
}

// feed processes the next bytes.
func (m *messages) feed(p []byte) {
	for len(p) > 0 {
		if m.left == 0 {
			n := copy(m.head[m.have:], p)
			m.have += n
			m.open += int64(n)
			p = p[n:]
			if m.have < len(m.head) {
				return
			}
			m.have = 0
			m.left = int64(binary.BigEndian.Uint32(m.head[1:]))
		}
		n := min(m.left, int64(len(p)))
		m.left -= n
		m.open += n
		p = p[n:]
		if m.left == 0 {
			if m.each != nil {
				m.each(m.open)
			}
			m.open = 0
		}
	}
}
