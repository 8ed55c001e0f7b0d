package webp

// bools writes booleans by arithmetic coding (RFC 6386, section 7). The size of a boolean depends on its probability.
type bools struct {
	out []byte
	// width and bottom are those of the interval.
	width, bottom uint32
	// room is the number of shifts until bottom contains a whole byte.
	room int
}

// newBools returns an empty writer.
func newBools() *bools { return &bools{width: 255, room: 24} }

// write appends a boolean that is false with the probability zero/256.
func (b *bools) write(value bool, zero uint8) {
	split := 1 + ((b.width-1)*uint32(zero))>>8
	if value {
		b.bottom += split
		b.width -= split
	} else {
		b.width = split
	}
	for b.width < 128 {
		b.width <<= 1
		if b.bottom&(1<<31) != 0 {
			b.carry()
		}
		b.bottom <<= 1
		b.room--
		if b.room == 0 {
			b.out = append(b.out, byte(b.bottom>>24))
			b.bottom &= 1<<24 - 1
			b.room = 8
		}
	}
}

// carry adds one to the bytes that were written.
func (b *bools) carry() {
	i := len(b.out) - 1
	for ; i >= 0 && b.out[i] == 255; i-- {
		b.out[i] = 0
	}
	if i >= 0 {
		b.out[i]++
	}
}

// number appends the lowest bits of n, the highest first, each with the probability 1/2.
func (b *bools) number(n, bits int) {
	for bit := bits - 1; bit >= 0; bit-- {
		b.write(n>>bit&1 == 1, 128)
	}
}

// bytes completes the output and returns it.
func (b *bools) bytes() []byte {
	room, bottom := b.room, b.bottom
	if bottom&(1<<(32-room)) != 0 {
		b.carry()
	}
	bottom <<= room & 7
	for range room >> 3 {
		bottom <<= 8
	}
	for range 4 {
		b.out = append(b.out, byte(bottom>>24))
		bottom <<= 8
	}
	return b.out
}
