package webp

import "image"

// plane holds the samples of a component; its sides are multiples of a macroblock's.
type plane struct {
	stride int
	pix    []uint8
}

// newPlane returns a plane of a size.
func newPlane(width, height int) plane { return plane{width, make([]uint8, width*height)} }

// row returns the n samples from x, y on.
func (p *plane) row(x, y, n int) []uint8 { return p.pix[y*p.stride+x:][:n] }

// planes are a picture in VP8's colour space, with its last column and row repeated up to whole macroblocks.
type planes struct{ y, cb, cr plane }

// newPlanes returns planes of a number of macroblocks.
func newPlanes(columns, rows int) planes {
	return planes{newPlane(columns*16, rows*16), newPlane(columns*8, rows*8), newPlane(columns*8, rows*8)}
}

// convert returns a picture in VP8's colour space, BT.601 with a luma of 16 to 235, which browsers use.
func convert(m *image.RGBA, columns, rows int) planes {
	p := newPlanes(columns, rows)
	size := m.Rect.Size()
	at := func(x, y int) []uint8 {
		return m.Pix[min(y, size.Y-1)*m.Stride+min(x, size.X-1)*4:]
	}
	for y := range rows * 16 {
		row := p.y.row(0, y, columns*16)
		for x := range row {
			c := at(x, y)
			row[x] = uint8((16839*int(c[0]) + 33059*int(c[1]) + 6420*int(c[2]) + 16<<16 + 1<<15) >> 16)
		}
	}
	for y := range rows * 8 {
		cb, cr := p.cb.row(0, y, columns*8), p.cr.row(0, y, columns*8)
		for x := range cb {
			var r, g, b int
			for _, c := range [4][]uint8{at(2*x, 2*y), at(2*x+1, 2*y), at(2*x, 2*y+1), at(2*x+1, 2*y+1)} {
				r, g, b = r+int(c[0]), g+int(c[1]), b+int(c[2])
			}
			cb[x] = uint8((-9719*r - 19081*g + 28800*b + 512<<16 + 1<<17) >> 18)
			cr[x] = uint8((28800*r - 24116*g - 4684*b + 512<<16 + 1<<17) >> 18)
		}
	}
	return p
}
