package picture

import (
	"image"
	"image/color"
	"image/draw"
)

// flatten returns a picture's pixels over white. studio is the range of its YCbCr (format).
func flatten(m image.Image, studio bool) *image.RGBA {
	size := m.Bounds().Size()
	out := image.NewRGBA(image.Rectangle{Max: size})
	if planes, ok := m.(*image.YCbCr); ok && studio {
		convert(out, planes, nil)
		return out
	}
	if planes, ok := m.(*image.NYCbCrA); ok && studio {
		convert(out, &planes.YCbCr, planes)
		return out
	}
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Over)
	return out
}

// convert draws YCbCr of BT.601 with a luma of 16 to 235, over white with the transparency of alpha if that is not nil.
func convert(out *image.RGBA, m *image.YCbCr, alpha *image.NYCbCrA) {
	from := m.Rect.Min
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			c := m.YCbCrAt(from.X+x, from.Y+y)
			light, cb, cr := 76309*(int(c.Y)-16), int(c.Cb)-128, int(c.Cr)-128
			opaque := 255
			if alpha != nil {
				opaque = int(alpha.A[alpha.AOffset(from.X+x, from.Y+y)])
			}
			shown := func(v int) uint8 {
				v = min(max((v+1<<15)>>16, 0), 255)
				return uint8((v*opaque + 255*(255-opaque) + 127) / 255)
			}
			out.SetRGBA(x, y, color.RGBA{shown(light + 104597*cr), shown(light - 25675*cb - 53279*cr), shown(light + 132201*cb), 255})
		}
	}
}

// upright rotates and mirrors a picture by its EXIF orientation, 1 to 8.
func upright(m *image.RGBA, orientation int) *image.RGBA {
	if orientation < 2 || orientation > 8 {
		return m
	}
	width, height := m.Rect.Dx(), m.Rect.Dy()
	size := image.Pt(width, height)
	if orientation > 4 {
		size = image.Pt(height, width)
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	for y := range height {
		for x := range width {
			at := turned(x, y, width, height, orientation)
			copy(out.Pix[out.PixOffset(at.X, at.Y):][:4], m.Pix[m.PixOffset(x, y):][:4])
		}
	}
	return out
}

// turned returns the position of a pixel in the upright picture.
func turned(x, y, width, height, orientation int) image.Point {
	right, bottom := width-1-x, height-1-y
	switch orientation {
	case 2:
		return image.Pt(right, y)
	case 3:
		return image.Pt(right, bottom)
	case 4:
		return image.Pt(x, bottom)
	case 5:
		return image.Pt(y, x)
	case 6:
		return image.Pt(bottom, x)
	case 7:
		return image.Pt(bottom, right)
	default:
		return image.Pt(y, right)
	}
}
