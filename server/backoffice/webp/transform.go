package webp

// block are the samples or coefficients of 4×4 pixels, row by row.
type block [16]int32

// zigzag is the order in which coefficients are written.
var zigzag = [16]int{0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15}

// dct transforms differences to coefficients.
func dct(in *block) block {
	var rows, out block
	for i := range 4 {
		d := in[i*4 : i*4+4]
		a0, a1, a2, a3 := d[0]+d[3], d[1]+d[2], d[1]-d[2], d[0]-d[3]
		rows[i*4] = (a0 + a1) * 8
		rows[i*4+1] = (a2*2217 + a3*5352 + 1812) >> 9
		rows[i*4+2] = (a0 - a1) * 8
		rows[i*4+3] = (a3*2217 - a2*5352 + 937) >> 9
	}
	for i := range 4 {
		a0, a1, a2, a3 := rows[i]+rows[12+i], rows[4+i]+rows[8+i], rows[4+i]-rows[8+i], rows[i]-rows[12+i]
		out[i] = (a0 + a1 + 7) >> 4
		out[4+i] = (a2*2217 + a3*5352 + 12000) >> 16
		if a3 != 0 {
			out[4+i]++
		}
		out[8+i] = (a0 - a1 + 7) >> 4
		out[12+i] = (a3*2217 - a2*5352 + 51000) >> 16
	}
	return out
}

// inverseDCT returns the differences of coefficients, exactly as decoders compute them (RFC 6386, section 14.3).
func inverseDCT(c *block) block {
	const (
		c1 = 85627 // 65536 · cos(π/8) · √2
		c2 = 35468 // 65536 · sin(π/8) · √2
	)
	var m [4][4]int32
	for i := range 4 {
		a, b := c[i]+c[8+i], c[i]-c[8+i]
		e := (c[4+i]*c2)>>16 - (c[12+i]*c1)>>16
		d := (c[4+i]*c1)>>16 + (c[12+i]*c2)>>16
		m[i] = [4]int32{a + d, b + e, b - e, a - d}
	}
	var out block
	for j := range 4 {
		dc := m[0][j] + 4
		a, b := dc+m[2][j], dc-m[2][j]
		e := (m[1][j]*c2)>>16 - (m[3][j]*c1)>>16
		d := (m[1][j]*c1)>>16 + (m[3][j]*c2)>>16
		out[j*4], out[j*4+1], out[j*4+2], out[j*4+3] = (a+d)>>3, (b+e)>>3, (b-e)>>3, (a-d)>>3
	}
	return out
}

// wht transforms the first coefficients of a macroblock's 16 blocks.
func wht(in *block) block {
	var rows, out block
	for i := range 4 {
		d := in[i*4 : i*4+4]
		a0, a1, a2, a3 := d[0]+d[2], d[1]+d[3], d[1]-d[3], d[0]-d[2]
		rows[i*4], rows[i*4+1], rows[i*4+2], rows[i*4+3] = a0+a1, a3+a2, a3-a2, a0-a1
	}
	for i := range 4 {
		a0, a1, a2, a3 := rows[i]+rows[8+i], rows[4+i]+rows[12+i], rows[4+i]-rows[12+i], rows[i]-rows[8+i]
		out[i], out[4+i], out[8+i], out[12+i] = (a0+a1)>>1, (a3+a2)>>1, (a3-a2)>>1, (a0-a1)>>1
	}
	return out
}

// inverseWHT is wht's inverse, exactly as decoders compute it.
func inverseWHT(c *block) block {
	var m, out block
	for i := range 4 {
		a0, a1 := c[i]+c[12+i], c[4+i]+c[8+i]
		a2, a3 := c[4+i]-c[8+i], c[i]-c[12+i]
		m[i], m[8+i], m[4+i], m[12+i] = a0+a1, a0-a1, a3+a2, a3-a2
	}
	for i := range 4 {
		dc := m[i*4] + 3
		a0, a1 := dc+m[3+i*4], m[1+i*4]+m[2+i*4]
		a2, a3 := m[1+i*4]-m[2+i*4], dc-m[3+i*4]
		out[i*4], out[i*4+1], out[i*4+2], out[i*4+3] = (a0+a1)>>3, (a3+a2)>>3, (a0-a1)>>3, (a3-a2)>>3
	}
	return out
}
