package webp

import "math"

// The kinds of planes, which have different probabilities.
const (
	planeYAfterY2 = iota
	planeY2
	planeChroma
)

// tokenProbs are probabilities by plane, band, context and node of the token tree.
type tokenProbs [4][8][3][11]uint8

// bands are the bands of coefficients; the last entry is for the position after the last coefficient.
var bands = [17]int{0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0}

// categories are the levels from 5 on: the smallest level of each, and the probabilities of the bits of the difference
// to it.
var categories = [...]struct {
	least int
	extra []uint8
}{
	{5, []uint8{159}},
	{7, []uint8{165, 145}},
	{11, []uint8{173, 148, 140}},
	{19, []uint8{176, 155, 140, 135}},
	{35, []uint8{180, 157, 141, 134, 130}},
	{67, []uint8{254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129}},
}

// sink receives the decisions of a token tree.
type sink interface {
	// node receives a decision whose probability the frame sets.
	node(plane, band, context, index int, value bool)
	// fixed receives a decision of a fixed probability.
	fixed(value bool, zero uint8)
}

// putBlock sends the tokens of a block's levels from index first on, and reports whether there are any besides the end.
func putBlock(s sink, plane, context, first int, levels *[16]int16) bool {
	last := 15
	for last >= first && levels[last] == 0 {
		last--
	}
	afterZero := false
	for i := first; i <= last; i++ {
		put := func(index int, value bool) { s.node(plane, bands[i], context, index, value) }
		if !afterZero {
			put(0, true)
		}
		size := int(levels[i])
		if size < 0 {
			size = -size
		}
		put(1, size > 0)
		if size > 0 {
			putSize(put, s, size)
			s.fixed(levels[i] < 0, 128)
		}
		afterZero, context = size == 0, min(size, 2)
	}
	if last < 15 {
		s.node(plane, bands[last+1], context, 0, false)
	}
	return last >= first
}

// putSize sends the size of a level that is not zero, by the decisions of the tree of tokens (RFC 6386, section 13.2):
// index numbers the nodes of the tree. Sizes up to 4 are leaves. A larger size is a category, which covers a range of
// sizes, and the difference to the range's least size in bits of fixed probabilities, the highest bit first.
func putSize(put func(index int, value bool), s sink, size int) {
	put(2, size > 1)
	if size == 1 {
		return
	}
	put(3, size > 4)
	if size <= 4 {
		put(4, size > 2)
		if size > 2 {
			put(5, size == 4)
		}
		return
	}
	kind := len(categories) - 1
	for size < categories[kind].least {
		kind--
	}
	put(6, kind > 1)
	switch {
	case kind < 2:
		put(7, kind == 1)
	case kind < 4:
		put(8, false)
		put(9, kind == 3)
	default:
		put(8, true)
		put(10, kind == 5)
	}
	more, extra := size-categories[kind].least, categories[kind].extra
	for i, zero := range extra {
		s.fixed(more>>(len(extra)-1-i)&1 == 1, zero)
	}
}

// counter is a sink that counts how often each decision is false and true.
type counter [4][8][3][11][2]int

// node implements sink.
func (c *counter) node(plane, band, context, index int, value bool) {
	i := 0
	if value {
		i = 1
	}
	c[plane][band][context][index][i]++
}

// fixed implements sink.
func (c *counter) fixed(bool, uint8) {}

// writer is a sink that writes with a frame's probabilities.
type writer struct {
	out   *bools
	probs *tokenProbs
}

// node implements sink.
func (w *writer) node(plane, band, context, index int, value bool) {
	w.out.write(value, w.probs[plane][band][context][index])
}

// fixed implements sink.
func (w *writer) fixed(value bool, zero uint8) { w.out.write(value, zero) }

// bits returns the size of a number of decisions at a probability.
func bits(count [2]int, zero uint8) float64 {
	return -float64(count[0])*math.Log2(float64(zero)/256) - float64(count[1])*math.Log2(1-float64(zero)/256)
}

// probability returns the probability that fits the counts best.
func probability(count [2]int) uint8 {
	total := count[0] + count[1]
	if total == 0 {
		return 128
	}
	return uint8(min(max((count[0]*256+total/2)/total, 1), 255))
}

// writeProbs writes the probabilities whose change from the default saves more bits than it takes, and returns all
// probabilities.
func (c *counter) writeProbs(out *bools) *tokenProbs {
	probs := defaultProb
	for plane := range c {
		for band := range c[plane] {
			for context := range c[plane][band] {
				for index, count := range c[plane][band][context] {
					at := &probs[plane][band][context][index]
					stay := updateProb[plane][band][context][index]
					better := probability(count)
					saved := bits(count, *at) - bits(count, better)
					cost := 8 + bits([2]int{0, 1}, stay) - bits([2]int{1, 0}, stay)
					change := saved > cost
					out.write(change, stay)
					if change {
						*at = better
						out.number(int(better), 8)
					}
				}
			}
		}
	}
	return &probs
}
