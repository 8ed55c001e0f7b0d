package webp

// The quantization steps by the index in a frame (RFC 6386, section 14.1).
var (
	stepDC = [128]int32{
		4, 5, 6, 7, 8, 9, 10, 10,
		11, 12, 13, 14, 15, 16, 17, 17,
		18, 19, 20, 20, 21, 21, 22, 22,
		23, 23, 24, 25, 25, 26, 27, 28,
		29, 30, 31, 32, 33, 34, 35, 36,
		37, 37, 38, 39, 40, 41, 42, 43,
		44, 45, 46, 46, 47, 48, 49, 50,
		51, 52, 53, 54, 55, 56, 57, 58,
		59, 60, 61, 62, 63, 64, 65, 66,
		67, 68, 69, 70, 71, 72, 73, 74,
		75, 76, 76, 77, 78, 79, 80, 81,
		82, 83, 84, 85, 86, 87, 88, 89,
		91, 93, 95, 96, 98, 100, 101, 102,
		104, 106, 108, 110, 112, 114, 116, 118,
		122, 124, 126, 128, 130, 132, 134, 136,
		138, 140, 143, 145, 148, 151, 154, 157,
	}
	stepAC = [128]int32{
		4, 5, 6, 7, 8, 9, 10, 11,
		12, 13, 14, 15, 16, 17, 18, 19,
		20, 21, 22, 23, 24, 25, 26, 27,
		28, 29, 30, 31, 32, 33, 34, 35,
		36, 37, 38, 39, 40, 41, 42, 43,
		44, 45, 46, 47, 48, 49, 50, 51,
		52, 53, 54, 55, 56, 57, 58, 60,
		62, 64, 66, 68, 70, 72, 74, 76,
		78, 80, 82, 84, 86, 88, 90, 92,
		94, 96, 98, 100, 102, 104, 106, 108,
		110, 112, 114, 116, 119, 122, 125, 128,
		131, 134, 137, 140, 143, 146, 149, 152,
		155, 158, 161, 164, 167, 170, 173, 177,
		181, 185, 189, 193, 197, 201, 205, 209,
		213, 217, 221, 225, 229, 234, 239, 245,
		249, 254, 259, 264, 269, 274, 279, 284,
	}
)

// steps are the quantization steps of a plane: of its first coefficient and of the others.
type steps struct{ dc, ac int32 }

// quantizer holds the steps of the three kinds of planes.
type quantizer struct{ y, y2, chroma steps }

// newQuantizer returns the steps of an index, 0 the finest and 127 the coarsest.
func newQuantizer(index int) quantizer {
	return quantizer{
		y:      steps{stepDC[index], stepAC[index]},
		y2:     steps{stepDC[index] * 2, max(stepAC[index]*155/100, 8)},
		chroma: steps{stepDC[min(index, 117)], stepAC[index]},
	}
}

// How much is added before rounding down, in 256ths of a step: less than half, because small coefficients take many
// bits and are hardly visible.
const (
	biasDC = 108
	biasAC = 110
)

// maxLevel is the largest level that a token can represent.
const maxLevel = 2048 + 66

// quantize converts coefficients from index first on to levels in zigzag order, and sets the coefficients to the values
// that a decoder computes. It reports whether any level is not zero.
func (s steps) quantize(c *block, levels *[16]int16, first int) bool {
	some := false
	for i := first; i < 16; i++ {
		step, bias := s.ac, int32(biasAC)
		if i == 0 {
			step, bias = s.dc, biasDC
		}
		at := zigzag[i]
		size := c[at]
		if size < 0 {
			size = -size
		}
		level := min((size*256+bias*step)/(256*step), maxLevel)
		if c[at] < 0 {
			level = -level
		}
		levels[i] = int16(level)
		c[at] = level * step
		some = some || level != 0
	}
	return some
}
