package webp

// uncoded is the context of macroblocks: whether neighbouring blocks had levels.
type uncoded struct {
	luma   [4]int
	cb, cr [2]int
	means  int
}

// tokens sends the tokens of all macroblocks.
func (f *frame) tokens(s sink) {
	above := make([]uncoded, f.columns)
	for row := range f.rows {
		var left uncoded
		for column := range f.columns {
			b := &f.blocks[row*f.columns+column]
			if b.skip {
				left, above[column] = uncoded{}, uncoded{}
				continue
			}
			b.tokens(s, &left, &above[column])
		}
	}
}

// tokens sends the tokens of a macroblock.
func (b *macroblock) tokens(s sink, left, above *uncoded) {
	put := func(plane, first, index int, left, above *int) {
		coded := 0
		if putBlock(s, plane, *left+*above, first, &b.levels[index]) {
			coded = 1
		}
		*left, *above = coded, coded
	}
	put(planeY2, 0, y2, &left.means, &above.means)
	for i := range 16 {
		put(planeYAfterY2, 1, i, &left.luma[i/4], &above.luma[i%4])
	}
	for i := range 4 {
		put(planeChroma, 0, 16+i, &left.cb[i/2], &above.cb[i%2])
	}
	for i := range 4 {
		put(planeChroma, 0, 20+i, &left.cr[i/2], &above.cr[i%2])
	}
}

// Probabilities of the trees of modes in key frames (RFC 6386, section 11.2).
const (
	wholeLuma        = 145
	lumaBranch       = 156
	lumaMeanBranch   = 163
	lumaTrueBranch   = 128
	chromaBranch     = 142
	chromaVertical   = 114
	chromaHorizontal = 183
)

// putModes writes how a macroblock is predicted.
func (b *macroblock) putModes(out *bools) {
	out.write(true, wholeLuma)
	sideways := b.luma == horizontalMode || b.luma == trueMotionMode
	out.write(sideways, lumaBranch)
	if sideways {
		out.write(b.luma == trueMotionMode, lumaTrueBranch)
	} else {
		out.write(b.luma == verticalMode, lumaMeanBranch)
	}
	out.write(b.chroma != meanMode, chromaBranch)
	if b.chroma == meanMode {
		return
	}
	out.write(b.chroma != verticalMode, chromaVertical)
	if b.chroma != verticalMode {
		out.write(b.chroma == trueMotionMode, chromaHorizontal)
	}
}

// bytes returns the frame (RFC 6386, section 9).
func (f *frame) bytes() []byte {
	first := newBools()
	first.number(0, 2) // colours of BT.601, and decoders clamp
	first.number(0, 1) // no segments
	first.number(0, 1) // the normal loop filter
	first.number(f.filterLevel(), 6)
	first.number(0, 3+1+2) // full sharpness, no filter adjustments, one partition of tokens
	first.number(f.index, 7)
	first.number(0, 5) // no differences between the planes' indexes
	first.number(0, 1) // probabilities are of this frame alone
	var counts counter
	f.tokens(&counts)
	probs := counts.writeProbs(first)
	skipped := [2]int{}
	for i := range f.blocks {
		if f.blocks[i].skip {
			skipped[1]++
		} else {
			skipped[0]++
		}
	}
	noSkip := probability(skipped)
	first.number(1, 1) // each macroblock has a flag whether it has tokens
	first.number(int(noSkip), 8)
	for i := range f.blocks {
		first.write(f.blocks[i].skip, noSkip)
		f.blocks[i].putModes(first)
	}
	second := writer{newBools(), probs}
	f.tokens(&second)
	return f.join(first.bytes(), second.out.bytes())
}

// join returns a frame's header and partitions.
func (f *frame) join(first, second []byte) []byte {
	const shown = 1 << 4
	tag := uint32(len(first))<<5 | shown
	header := []byte{
		byte(tag), byte(tag >> 8), byte(tag >> 16), 0x9d, 0x01, 0x2a,
		byte(f.width), byte(f.width >> 8), byte(f.height), byte(f.height >> 8),
	}
	return append(append(header, first...), second...)
}

// filterLevel returns the level of the decoders' loop filter. It increases with the quantization steps.
func (f *frame) filterLevel() int { return min(f.index/4, 63) }
