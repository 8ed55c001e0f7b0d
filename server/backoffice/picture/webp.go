package picture

import (
	"bytes"
	"fmt"
	"image"

	"github.com/gen2brain/webp"
	decoder "golang.org/x/image/webp"
)

// webpMethod is libwebp's trade-off of time against size, from 0, the fastest, to 6. Method 4, its default, takes 2.5
// times as long for files that are 3 % smaller (doc/decisions).
const webpMethod = 2

// encodeWebP returns a picture as lossy WebP. Its pixels are opaque and its rows have no gaps, as those of scale. The
// quality is libwebp's, from 1, the smallest file, to 100.
//
// The first call compiles libwebp from WebAssembly to machine code in 0.2 s; the code remains in memory. Each call has
// a memory of its own.
func encodeWebP(m *image.RGBA, quality int) ([]byte, error) {
	var out bytes.Buffer
	if err := webp.Encode(&out, m, webp.Options{Quality: quality, Method: webpMethod}); err != nil {
		return nil, err
	}
	// The library returns no error if libwebp fails, but arbitrary bytes.
	config, err := decoder.DecodeConfig(bytes.NewReader(out.Bytes()))
	if err != nil {
		return nil, fmt.Errorf("encode as WebP: %w", err)
	}
	if size := m.Rect.Size(); config.Width != size.X || config.Height != size.Y {
		return nil, fmt.Errorf("encode as WebP: the file has %d×%d pixels, the picture %v", config.Width, config.Height, size)
	}
	return out.Bytes(), nil
}
