package picture_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"clave/server/backoffice/picture"
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

// file returns the data of a file of a set.
func file(t testing.TB, set *picture.Set, name string) []byte {
	t.Helper()
	for _, f := range set.Files {
		if f.Name == name {
			return f.Data
		}
	}
	t.Fatalf("no file %s", name)
	return nil
}

// asShown decodes a WebP file without transparency and converts it to RGB as browsers do.
func asShown(t testing.TB, data []byte) *image.RGBA {
	t.Helper()
	found, err := webp.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("decode %d bytes: %v", len(data), err)
	}
	planes, ok := found.(*image.YCbCr)
	if !ok {
		t.Fatalf("decoded to %T, not to opaque YCbCr", found)
	}
	out := image.NewRGBA(planes.Rect)
	for y := range planes.Rect.Dy() {
		for x := range planes.Rect.Dx() {
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

func TestFilesOfEverySizeShowThePicture(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {1, 40}, {40, 1}, {15, 17}, {16, 16}, {33, 47}, {250, 3}, {480, 300}} {
		m := scene(size.X, size.Y)
		set, err := picture.Make(asPNG(t, m))
		if err != nil {
			t.Fatal(err)
		}
		back := asShown(t, file(t, set, "480.webp"))
		if back.Rect.Size() != size || set.Width != size.X || set.Height != size.Y {
			t.Errorf("%v: decoded as %v, announced as %d×%d", size, back.Rect.Size(), set.Width, set.Height)
			continue
		}
		if near := psnr(m, back); near < 26 {
			t.Errorf("%v: %.1f dB", size, near)
		}
	}
}

// TestSmallerWidthsAreSharp checks that files scaled from larger ones look as if they were scaled from the upload, here
// one with lines of one pixel.
func TestSmallerWidthsAreSharp(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 1280, 320))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for y := range 320 {
		for x := 6; x < 1280; x += 12 {
			m.SetRGBA(x, y, color.RGBA{0, 0, 0, 255})
		}
	}
	set, err := picture.Make(asPNG(t, m))
	if err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]image.Point{"960.webp": {960, 240}, "480.webp": {480, 120}} {
		want := image.NewRGBA(image.Rectangle{Max: size})
		draw.CatmullRom.Scale(want, want.Rect, m, m.Rect, draw.Src, nil)
		near := psnr(want, asShown(t, file(t, set, name)))
		t.Logf("%s: %.1f dB", name, near)
		if near < 34 {
			t.Errorf("%s differs from the upload in that size: %.1f dB, want 34", name, near)
		}
	}
}

// TestFilesAreSmallerThanJPEG checks that a WebP file is smaller than a JPEG file of the same quality, which is its
// purpose.
func TestFilesAreSmallerThanJPEG(t *testing.T) {
	m := scene(240, 160)
	set, err := picture.Make(asPNG(t, m))
	if err != nil {
		t.Fatal(err)
	}
	data := file(t, set, "480.webp")
	near := psnr(m, asShown(t, data))
	for quality := 5; quality <= 100; quality += 5 {
		other := bytes.Buffer{}
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
			t.Logf("WebP %d bytes, JPEG of quality %d %d bytes, %.1f dB", len(data), quality, other.Len(), near)
			if len(data) > other.Len()*9/10 {
				t.Errorf("WebP takes %d bytes and JPEG %d at %.1f dB", len(data), other.Len(), near)
			}
			return
		}
	}
	t.Fatalf("no JPEG reaches %.1f dB", near)
}

func TestALargeFileIsEncodedAgainWithLowerQuality(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	m := image.NewGray(image.Rect(0, 0, 1000, 1000))
	for i := range m.Pix {
		m.Pix[i] = uint8(random.IntN(256))
	}
	set, err := picture.Make(asPNG(t, m))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range set.Files {
		t.Logf("%s has %d bytes", f.Name, len(f.Data))
		if len(f.Data) > picture.MaxFile {
			t.Errorf("%s has %d bytes", f.Name, len(f.Data))
		}
	}
}

// TestUploadsAtTheSameTime checks that the first uploads may come together: one of them compiles the encoder.
func TestUploadsAtTheSameTime(t *testing.T) {
	upload := asPNG(t, scene(200, 100))
	sets := make([]*picture.Set, 4)
	var all sync.WaitGroup
	for i := range sets {
		all.Go(func() {
			set, err := picture.Make(upload)
			if err != nil {
				t.Errorf("Make: %v", err)
				return
			}
			sets[i] = set
		})
	}
	all.Wait()
	for _, set := range sets[1:] {
		if set != nil && sets[0] != nil && !bytes.Equal(set.Files[0].Data, sets[0].Files[0].Data) {
			t.Error("the same upload gave different files")
		}
	}
}
