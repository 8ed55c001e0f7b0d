package webp_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"

	decoder "golang.org/x/image/webp"

	"clave/server/backoffice/webp"
)

// scene returns a picture with gradients, edges and texture.
func scene(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for y := range height {
		for x := range width {
			wave := 40 * math.Sin(float64(x)/9) * math.Cos(float64(y)/14)
			c := color.RGBA{uint8(110 + wave + float64(x*80/width)), uint8(100 + wave/2 + float64(y*60/height)), uint8(140 - wave/2), 255}
			if (x/60+y/45)%4 == 0 {
				c = color.RGBA{200, uint8(60 + random.IntN(30)), 40, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

// decode decodes a file and converts it to RGB as browsers do.
func decode(t testing.TB, file []byte) *image.RGBA {
	t.Helper()
	found, err := decoder.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatalf("decode %d bytes: %v", len(file), err)
	}
	planes, ok := found.(*image.YCbCr)
	if !ok {
		t.Fatalf("decoded to %T", found)
	}
	out := image.NewRGBA(planes.Rect)
	for y := planes.Rect.Min.Y; y < planes.Rect.Max.Y; y++ {
		for x := planes.Rect.Min.X; x < planes.Rect.Max.X; x++ {
			c := planes.YCbCrAt(x, y)
			l, cb, cr := 1.164*(float64(c.Y)-16), float64(c.Cb)-128, float64(c.Cr)-128
			to := func(v float64) uint8 { return uint8(min(max(math.Round(v), 0), 255)) }
			out.SetRGBA(x, y, color.RGBA{to(l + 1.596*cr), to(l - 0.392*cb - 0.813*cr), to(l + 2.017*cb), 255})
		}
	}
	return out
}

// psnr returns the peak signal-to-noise ratio of two pictures, in dB.
func psnr(a, b *image.RGBA) float64 {
	sum := 0.0
	for i := range a.Pix {
		d := float64(a.Pix[i]) - float64(b.Pix[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255/(sum/float64(len(a.Pix))))
}

func TestHigherQualityIsCloserToThePicture(t *testing.T) {
	m := scene(320, 200)
	last, size := 0.0, 0
	for _, quality := range []int{0, 30, 60, 80, 95, 100} {
		file, err := webp.Encode(m, quality)
		if err != nil {
			t.Fatal(err)
		}
		near := psnr(m, decode(t, file))
		t.Logf("quality %3d: %6d bytes, %.1f dB", quality, len(file), near)
		if near <= last || len(file) <= size {
			t.Errorf("quality %d: %d bytes and %.1f dB, after %d bytes and %.1f dB", quality, len(file), near, size, last)
		}
		last, size = near, len(file)
	}
	if last < 36 {
		t.Errorf("the best quality is %.1f dB, want 36", last)
	}
}

func TestPicturesOfEverySizeAreDecodedWhole(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {1, 40}, {40, 1}, {15, 17}, {16, 16}, {33, 47}, {250, 3}} {
		m := scene(size.X, size.Y)
		file, err := webp.Encode(m, 90)
		if err != nil {
			t.Fatal(err)
		}
		back := decode(t, file)
		if back.Rect.Size() != size {
			t.Errorf("%v decoded as %v", size, back.Rect.Size())
			continue
		}
		if near := psnr(m, back); near < 26 {
			t.Errorf("%v: %.1f dB", size, near)
		}
	}
}

func TestPicturesThatTheFormatCannotHold(t *testing.T) {
	for _, size := range []image.Point{{0, 5}, {webp.MaxSide + 1, 1}} {
		if _, err := webp.Encode(image.NewRGBA(image.Rectangle{Max: size}), 80); err == nil {
			t.Errorf("Encode of %v pixels succeeded", size)
		}
	}
	for _, quality := range []int{-1, 101} {
		if _, err := webp.Encode(scene(4, 4), quality); err == nil {
			t.Errorf("Encode with quality %d succeeded", quality)
		}
	}
}

// TestFilesAreSmallerThanJPEG checks that files are smaller than JPEG files of the same quality, which is the purpose
// of the package.
func TestFilesAreSmallerThanJPEG(t *testing.T) {
	m := scene(240, 160)
	file, err := webp.Encode(m, 75)
	if err != nil {
		t.Fatal(err)
	}
	near := psnr(m, decode(t, file))
	for quality := 5; quality <= 100; quality += 5 {
		var other bytes.Buffer
		if err := jpeg.Encode(&other, m, &jpeg.Options{Quality: quality}); err != nil {
			t.Fatal(err)
		}
		back, err := jpeg.Decode(bytes.NewReader(other.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		as := image.NewRGBA(m.Rect)
		for y := range m.Rect.Dy() {
			for x := range m.Rect.Dx() {
				as.Set(x, y, back.At(x, y))
			}
		}
		if psnr(m, as) >= near {
			t.Logf("WebP %d bytes, JPEG of quality %d %d bytes, %.1f dB", len(file), quality, other.Len(), near)
			if len(file) > other.Len()*9/10 {
				t.Errorf("WebP takes %d bytes and JPEG %d at %.1f dB", len(file), other.Len(), near)
			}
			return
		}
	}
	t.Fatalf("no JPEG reaches %.1f dB", near)
}

// FuzzEncode checks that the encoding of any pixels can be decoded.
func FuzzEncode(f *testing.F) {
	f.Add(uint8(17), uint8(3), uint8(50), []byte{1, 200, 3, 255})
	f.Fuzz(func(t *testing.T, width, height, quality uint8, pixels []byte) {
		m := image.NewRGBA(image.Rect(0, 0, int(width)+1, int(height)+1))
		for i := range m.Pix {
			if len(pixels) > 0 {
				m.Pix[i] = pixels[i%len(pixels)]
			}
		}
		file, err := webp.Encode(m, int(quality)%101)
		if err != nil {
			t.Fatal(err)
		}
		if back := decode(t, file); back.Rect != m.Rect {
			t.Errorf("%v decoded as %v", m.Rect, back.Rect)
		}
	})
}
