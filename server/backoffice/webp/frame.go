package webp

// macroblock is the encoding of 16×16 pixels that the second pass writes.
type macroblock struct {
	luma, chroma mode
	// levels are those of 16 blocks of luma, of 4 blocks of each chroma plane, and of the first coefficients of luma (y2).
	levels [25][16]int16
	// skip is set when all levels are zero.
	skip bool
}

// y2 is the index of a macroblock's levels of first coefficients.
const y2 = 24

// frame is a picture that is being encoded.
type frame struct {
	width, height, columns, rows int
	index                        int
	steps                        quantizer
	source, decoded              planes
	blocks                       []macroblock
}

// encode chooses and quantizes every macroblock.
func (f *frame) encode() {
	f.blocks = make([]macroblock, f.columns*f.rows)
	for row := range f.rows {
		for column := range f.columns {
			b := &f.blocks[row*f.columns+column]
			some := f.encodeLuma(b, column*16, row*16)
			some = f.encodeChroma(b, column*8, row*8) || some
			b.skip = !some
		}
	}
}

// encodeLuma encodes a macroblock's luma and reports whether any level is not zero.
func (f *frame) encodeLuma(b *macroblock, x, y int) bool {
	var predicted [256]uint8
	b.luma = choose(f.decoded.y.around(x, y, 16), []square{{&f.source.y, &f.decoded.y, predicted[:]}}, x, y)
	var coefficients [16]block
	var means block
	for i := range coefficients {
		coefficients[i] = difference(&f.source.y, predicted[:], 16, x, y, i%4*4, i/4*4)
		means[i] = coefficients[i][0]
	}
	means = wht(&means)
	some := f.steps.y2.quantize(&means, &b.levels[y2], 0)
	means = inverseWHT(&means)
	for i := range coefficients {
		some = f.steps.y.quantize(&coefficients[i], &b.levels[i], 1) || some
		coefficients[i][0] = means[i]
		add(&f.decoded.y, predicted[:], &coefficients[i], 16, x, y, i%4*4, i/4*4)
	}
	return some
}

// encodeChroma encodes a macroblock's chroma, whose planes share a mode, and reports whether any level is not zero.
func (f *frame) encodeChroma(b *macroblock, x, y int) bool {
	var cb, cr [64]uint8
	squares := []square{{&f.source.cb, &f.decoded.cb, cb[:]}, {&f.source.cr, &f.decoded.cr, cr[:]}}
	b.chroma = choose(nil, squares, x, y)
	some := false
	for p, s := range squares {
		for i := range 4 {
			c := difference(s.source, s.predicted, 8, x, y, i%2*4, i/2*4)
			some = f.steps.chroma.quantize(&c, &b.levels[16+p*4+i], 0) || some
			add(s.decoded, s.predicted, &c, 8, x, y, i%2*4, i/2*4)
		}
	}
	return some
}

// square is a macroblock of one plane: its source, where it is decoded, and its prediction.
type square struct {
	source, decoded *plane
	predicted       []uint8
}

// choose sets the predictions of the mode that differs least from the source, and returns the mode.
func choose(first *neighbours, squares []square, x, y int) mode {
	size := 16
	around := []*neighbours{first}
	if first == nil {
		size = 8
		around = []*neighbours{squares[0].decoded.around(x, y, size), squares[1].decoded.around(x, y, size)}
	}
	best, least := meanMode, -1
	var trial [256]uint8
	for m := range modes {
		distance := 0
		for i, s := range squares {
			around[i].predict(m, trial[:])
			distance += absolute(s.source, trial[:], size, x, y)
		}
		if least < 0 || distance < least {
			best, least = m, distance
		}
	}
	for i, s := range squares {
		around[i].predict(best, s.predicted)
	}
	return best
}

// absolute returns the sum of absolute differences of a square and its prediction.
func absolute(source *plane, predicted []uint8, size, x, y int) int {
	sum := 0
	for dy := range size {
		row := source.row(x, y+dy, size)
		for dx, v := range row {
			d := int(v) - int(predicted[dy*size+dx])
			sum += max(d, -d)
		}
	}
	return sum
}

// difference returns the coefficients of a block of a square at x, y: those of its residual.
func difference(source *plane, predicted []uint8, size, x, y, dx, dy int) block {
	var d block
	for i := range 4 {
		row := source.row(x+dx, y+dy+i, 4)
		for j, v := range row {
			d[i*4+j] = int32(v) - int32(predicted[(dy+i)*size+dx+j])
		}
	}
	return dct(&d)
}

// add decodes a block of a square: the sum of its prediction and of its residual.
func add(decoded *plane, predicted []uint8, c *block, size, x, y, dx, dy int) {
	d := inverseDCT(c)
	for i := range 4 {
		row := decoded.row(x+dx, y+dy+i, 4)
		for j := range row {
			row[j] = clip(int32(predicted[(dy+i)*size+dx+j]) + d[i*4+j])
		}
	}
}
