package webp

// mode is the method of predicting a macroblock from its neighbours.
type mode uint8

// The modes of a whole macroblock, in the order of the bitstream's trees.
const (
	meanMode mode = iota
	verticalMode
	horizontalMode
	trueMotionMode
	modes
)

// The values of neighbours outside the picture.
const (
	beyondTop  = 127
	beyondLeft = 129
)

// neighbours are the decoded samples around a square of a plane.
type neighbours struct {
	size            int
	top, left       [16]uint8
	corner          uint8
	hasTop, hasLeft bool
}

// around returns the neighbours of the square at x, y.
func (p *plane) around(x, y, size int) *neighbours {
	n := &neighbours{size: size, hasTop: y > 0, hasLeft: x > 0}
	for i := range size {
		n.top[i], n.left[i] = beyondTop, beyondLeft
		if n.hasTop {
			n.top[i] = p.pix[(y-1)*p.stride+x+i]
		}
		if n.hasLeft {
			n.left[i] = p.pix[(y+i)*p.stride+x-1]
		}
	}
	switch {
	case !n.hasTop:
		n.corner = beyondTop
	case !n.hasLeft:
		n.corner = beyondLeft
	default:
		n.corner = p.pix[(y-1)*p.stride+x-1]
	}
	return n
}

// predict writes the prediction to out, row by row.
func (n *neighbours) predict(m mode, out []uint8) {
	mean := n.mean()
	for y := range n.size {
		row := out[y*n.size:][:n.size]
		for x := range row {
			switch m {
			case verticalMode:
				row[x] = n.top[x]
			case horizontalMode:
				row[x] = n.left[y]
			case trueMotionMode:
				row[x] = clip(int32(n.left[y]) + int32(n.top[x]) - int32(n.corner))
			default:
				row[x] = mean
			}
		}
	}
}

// mean returns the mean of the neighbours that exist.
func (n *neighbours) mean() uint8 {
	sum, count := 0, 0
	for i := range n.size {
		if n.hasTop {
			sum, count = sum+int(n.top[i]), count+1
		}
		if n.hasLeft {
			sum, count = sum+int(n.left[i]), count+1
		}
	}
	if count == 0 {
		return 128
	}
	return uint8((sum + count/2) / count)
}

// clip limits a sample to the range of a byte.
func clip(v int32) uint8 { return uint8(min(max(v, 0), 255)) }
