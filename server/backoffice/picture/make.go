package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"slices"
	"strconv"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// MaxPixels is the maximum number of pixels of an upload. A phone's photo has 12 million. Decoding a progressive JPEG
// of this size takes about 200 MB.
const MaxPixels = 16_000_000

// MaxSide is the greatest width and height of an upload. The memory for scaling depends on the longest side too: a line
// of MaxPixels takes more than 1 GB, and its file may have a few kilobytes.
const MaxSide = 16_384

// MaxFile is the size of the largest file that Make returns, in bytes: it fits into a Firestore document of 1 MiB.
const MaxFile = 900_000

// The widths of the WebP files, and that of the JPEG for link previews.
const (
	shareWidth = 1200
	// tallest is the maximum ratio of a file's height to its width.
	tallest = 2
)

// widths are the widths of the WebP files, the smallest first.
var widths = []int{480, 960, 1600}

// ShareName is the name of the JPEG file.
const ShareName = "compartir.jpg"

// Errors of uploads.
var (
	// ErrType means that an upload is neither JPEG, PNG nor WebP.
	ErrType = errors.New("picture: neither JPEG, PNG nor WebP")
	// ErrPixels means that an upload has more than MaxPixels, or a side longer than MaxSide.
	ErrPixels = errors.New("picture: too many pixels")
	// ErrBroken means that an upload cannot be decoded.
	ErrBroken = errors.New("picture: cannot be decoded")
)

// File is a file of a picture.
type File struct {
	// Name is "960.webp" or ShareName.
	Name string
	// Type is its media type.
	Type string
	Data []byte
}

// Set holds the files of a picture.
type Set struct {
	Files []File
	// Largest is the name of the largest WebP file, whose size is Width and Height.
	Largest       string
	Width, Height int
}

// The qualities with which a file is encoded until it is small enough. The scales of the two formats differ:
// doc/decisions says how that of WebP was chosen.
var (
	webpQualities = []int{78, 60, 40, 20, 5}
	jpegQualities = []int{80, 60, 40, 20, 5}
)

// Make returns the files of an upload. Each WebP file has one of the widths, up to the first one that the upload does
// not reach.
func Make(upload []byte) (*Set, error) {
	m, err := decode(upload)
	if err != nil {
		return nil, err
	}
	original := m.Rect.Dx()
	scaled := scaleAll(m)
	set := &Set{}
	for _, width := range widths {
		data, err := shrink(webpQualities, func(quality int) ([]byte, error) { return encodeWebP(scaled[width], quality) })
		if err != nil {
			return nil, err
		}
		set.Largest = strconv.Itoa(width) + ".webp"
		set.Width, set.Height = scaled[width].Rect.Dx(), scaled[width].Rect.Dy()
		set.Files = append(set.Files, File{set.Largest, "image/webp", data})
		if original <= width {
			break
		}
	}
	data, err := shrink(jpegQualities, func(quality int) ([]byte, error) {
		var out bytes.Buffer
		err := jpeg.Encode(&out, scaled[shareWidth], &jpeg.Options{Quality: quality})
		return out.Bytes(), err
	})
	if err != nil {
		return nil, err
	}
	set.Files = append(set.Files, File{ShareName, "image/jpeg", data})
	return set, nil
}

// shrink encodes with decreasing qualities until the file is small enough.
func shrink(qualities []int, encode func(quality int) ([]byte, error)) ([]byte, error) {
	for _, quality := range qualities {
		data, err := encode(quality)
		if err != nil {
			return nil, fmt.Errorf("picture: %w", err)
		}
		if len(data) <= MaxFile {
			return data, nil
		}
	}
	return nil, ErrPixels
}

// decode returns an upload's pixels in upright orientation and without transparency.
func decode(upload []byte) (*image.RGBA, error) {
	format, ok := formats[http.DetectContentType(upload)]
	if !ok {
		return nil, ErrType
	}
	config, err := format.config(upload)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if config.Width < 1 || config.Height < 1 || max(config.Width, config.Height) > MaxSide || config.Width > MaxPixels/config.Height {
		return nil, ErrPixels
	}
	if scans(upload) > maxScans {
		return nil, fmt.Errorf("%w: too many scans", ErrBroken)
	}
	m, err := format.decode(upload)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return upright(flatten(m, format.studio), orientation(upload)), nil
}

// format describes how a media type is decoded.
type format struct {
	config func([]byte) (image.Config, error)
	decode func([]byte) (image.Image, error)
	// studio is set if the luma of YCbCr pictures is 16 to 235, which image/color does not support.
	studio bool
}

// formats are the media types that Make reads.
var formats = map[string]format{
	"image/jpeg": {
		config: func(b []byte) (image.Config, error) { return jpeg.DecodeConfig(bytes.NewReader(b)) },
		decode: func(b []byte) (image.Image, error) { return jpeg.Decode(bytes.NewReader(b)) },
	},
	"image/png": {
		config: func(b []byte) (image.Config, error) { return png.DecodeConfig(bytes.NewReader(b)) },
		decode: func(b []byte) (image.Image, error) { return png.Decode(bytes.NewReader(b)) },
	},
	"image/webp": {
		config: func(b []byte) (image.Config, error) { return webp.DecodeConfig(bytes.NewReader(b)) },
		decode: func(b []byte) (image.Image, error) { return webp.Decode(bytes.NewReader(b)) },
		studio: true,
	},
}

// scaleAll returns a picture in the width of each file. A smaller one is scaled from a larger one and not from the
// upload, because scaling takes time for each pixel of its source. The larger one is at least a third wider: two steps
// of about the same size blur letters.
func scaleAll(upload *image.RGBA) map[int]*image.RGBA {
	all := append([]int{shareWidth}, widths...)
	slices.Sort(all)
	scaled := make(map[int]*image.RGBA, len(all))
	for i, width := range slices.Backward(all) {
		size, source := fit(upload.Rect.Size(), width), upload
		for _, larger := range slices.Backward(all[i+1:]) {
			if scaled[larger].Rect.Dx()*3 >= size.X*4 {
				source = scaled[larger]
			}
		}
		scaled[width] = scale(source, size)
	}
	return scaled
}

// fit returns the size of a picture that is scaled down to a width and to twice that height, at most. It never
// enlarges.
func fit(size image.Point, width int) image.Point {
	factor := min(1, float64(width)/float64(size.X), float64(width*tallest)/float64(size.Y))
	at := func(side int) int { return max(int(float64(side)*factor+0.5), 1) }
	return image.Pt(at(size.X), at(size.Y))
}

// scale returns a picture in another size.
func scale(m *image.RGBA, size image.Point) *image.RGBA {
	if m.Rect.Size() == size {
		return m
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(out, out.Rect, m, m.Rect, draw.Src, nil)
	return out
}
