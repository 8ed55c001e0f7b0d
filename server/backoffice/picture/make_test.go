package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	encoder "github.com/gen2brain/webp"
	"golang.org/x/image/webp"

	"clave/server/backoffice/picture"
)

// red and blue remain distinguishable in every format.
var red, blue = color.RGBA{220, 30, 30, 255}, color.RGBA{30, 30, 220, 255}

// halves returns a picture whose left half is red and whose right half is blue.
func halves(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := red
			if x >= width/2 {
				c = blue
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

// asJPEG, asPNG and asWebP encode a picture.
func asJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func asPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func asWebP(t testing.TB, m *image.RGBA) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := encoder.Encode(&out, m, encoder.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// withEXIF puts an orientation into a JPEG.
func withEXIF(file []byte, orientation uint16) []byte {
	tiff := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01"), byte(orientation>>8), byte(orientation), 0, 0)
	secret := []byte("secret place")
	size := binary.BigEndian.AppendUint16(nil, uint16(2+len(tiff)+len(secret)))
	out := append([]byte{0xff, 0xd8, 0xff, 0xe1}, size...)
	return append(append(append(out, tiff...), secret...), file[2:]...)
}

// looks returns the name of the colour that a pixel is closer to.
func looks(c color.Color) string {
	r, _, b, _ := c.RGBA()
	if r > b {
		return "red"
	}
	return "blue"
}

func TestMakeReadsFilesOfCamerasAndPrograms(t *testing.T) {
	m := halves(1000, 600)
	for name, upload := range map[string][]byte{"JPEG": asJPEG(t, m), "PNG": asPNG(t, m), "WebP": asWebP(t, m)} {
		set, err := picture.Make(upload)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var names []string
		for _, f := range set.Files {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, " "); got != "480.webp 960.webp 1600.webp compartir.jpg" || set.Largest != "1600.webp" || set.Width != 1000 || set.Height != 600 {
			t.Errorf("%s: files %s, the largest %s %d×%d", name, got, set.Largest, set.Width, set.Height)
		}
		small, err := webp.Decode(bytes.NewReader(set.Files[0].Data))
		if err != nil || small.Bounds().Dx() != 480 || small.Bounds().Dy() != 288 {
			t.Errorf("%s: 480.webp is %v, %v", name, small.Bounds(), err)
			continue
		}
		if left, right := looks(small.At(20, 100)), looks(small.At(460, 100)); left != "red" || right != "blue" {
			t.Errorf("%s: %s and %s", name, left, right)
		}
	}
}

func TestMakeKeepsPicturesUprightAndTheirPlacesSecret(t *testing.T) {
	file := asJPEG(t, halves(400, 200))
	for orientation, want := range map[uint16]struct {
		width, height int
		// first is the colour of the upper left corner, last that of the lower right one.
		first, last string
	}{
		1: {400, 200, "red", "blue"}, 2: {400, 200, "blue", "red"}, 3: {400, 200, "blue", "red"}, 4: {400, 200, "red", "blue"},
		5: {200, 400, "red", "blue"}, 6: {200, 400, "red", "blue"}, 7: {200, 400, "blue", "red"}, 8: {200, 400, "blue", "red"},
		9: {400, 200, "red", "blue"},
	} {
		set, err := picture.Make(withEXIF(file, orientation))
		if err != nil {
			t.Fatal(err)
		}
		m, err := webp.Decode(bytes.NewReader(set.Files[0].Data))
		if err != nil {
			t.Fatal(err)
		}
		if set.Width != want.width || set.Height != want.height || looks(m.At(5, 5)) != want.first || looks(m.At(want.width-5, want.height-5)) != want.last {
			t.Errorf("orientation %d: %d×%d, %s and %s, want %+v", orientation, set.Width, set.Height, looks(m.At(5, 5)), looks(m.At(set.Width-5, set.Height-5)), want)
		}
		for _, f := range set.Files {
			if bytes.Contains(f.Data, []byte("secret place")) {
				t.Errorf("%s holds the upload's metadata", f.Name)
			}
		}
	}
}

func TestMakeShowsTransparencyAsWhite(t *testing.T) {
	set, err := picture.Make(asPNG(t, image.NewNRGBA(image.Rect(0, 0, 64, 64))))
	if err != nil {
		t.Fatal(err)
	}
	m, err := jpeg.Decode(bytes.NewReader(set.Files[len(set.Files)-1].Data))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := m.At(30, 30).RGBA(); r < 0xfd00 || g < 0xfd00 || b < 0xfd00 {
		t.Errorf("a transparent pixel is %x %x %x", r, g, b)
	}
}

// progressive returns a JPEG of one grey block with a number of scans.
func progressive(scans int) []byte {
	file := []byte("\xff\xd8\xff\xdb\x00\x43\x00" + strings.Repeat("\x01", 64) +
		"\xff\xc2\x00\x0b\x08\x00\x08\x00\x08\x01\x01\x11\x00" +
		"\xff\xc4\x00\x14\x00\x01" + strings.Repeat("\x00", 16) + "\xff\xc4\x00\x14\x10\x01" + strings.Repeat("\x00", 16))
	for i := range scans {
		span := "\x01\x3f" // the frequencies of the scan: first the mean, then all others
		if i == 0 {
			span = "\x00\x00"
		}
		file = append(file, "\xff\xda\x00\x08\x01\x01\x00"+span+"\x00\x7f"...)
	}
	return append(file, "\xff\xd9"+strings.Repeat("\xff\xda\x00\x02", 1000)...) // a film follows
}

// bomb returns the beginning of a PNG whose header declares a size.
func bomb(width, height uint32) []byte {
	header := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	header = append(binary.BigEndian.AppendUint32(header, height), 8, 2, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(header))
}

func TestMakeRefusesByContent(t *testing.T) {
	whole := asJPEG(t, halves(300, 200))
	for name, tt := range map[string]struct {
		upload []byte
		want   error
	}{
		"nothing":                   {nil, picture.ErrType},
		"a page":                    {[]byte("<!doctype html><script>alert(1)</script>"), picture.ErrType},
		"an SVG":                    {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), picture.ErrType},
		"a GIF":                     {[]byte("GIF89a\x01\x00\x01\x00"), picture.ErrType},
		"a bomb":                    {bomb(100_000, 100_000), picture.ErrPixels},
		"a bomb of scans":           {progressive(101), picture.ErrBroken},
		"a bomb of the widest side": {bomb(1<<31-1, 1), picture.ErrPixels},
		"a line across":             {bomb(picture.MaxPixels, 1), picture.ErrPixels},
		"a line down":               {bomb(1, picture.MaxPixels), picture.ErrPixels},
		"half a file":               {whole[:len(whole)/2], picture.ErrBroken},
		"a header alone":            {whole[:4], picture.ErrBroken},
	} {
		if _, err := picture.Make(tt.upload); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

func TestMakeReadsProgressiveFiles(t *testing.T) {
	if _, err := picture.Make(progressive(100)); err != nil {
		t.Errorf("a JPEG of 100 scans with other data behind it: %v", err)
	}
}

// FuzzMake checks that Make panics for no upload, and that the files it makes are within their size limit.
func FuzzMake(f *testing.F) {
	m := halves(24, 16)
	f.Add(asJPEG(f, m))
	f.Add(withEXIF(asJPEG(f, m), 6))
	f.Add(asPNG(f, m))
	f.Add(asWebP(f, m))
	f.Add(bomb(70_000, 70_000))
	f.Add(progressive(3))
	f.Fuzz(func(t *testing.T, upload []byte) {
		set, err := picture.Make(upload)
		if err != nil {
			return
		}
		for _, file := range set.Files {
			if len(file.Data) == 0 || len(file.Data) > picture.MaxFile {
				t.Errorf("%s has %d bytes", file.Name, len(file.Data))
			}
		}
	})
}
