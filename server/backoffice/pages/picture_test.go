package pages_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
)

// photos contains one picture, and another that cannot be read.
type photos struct{}

func (photos) PictureFile(_ context.Context, id, name string) (data []byte, kind string, err error) {
	switch {
	case id == "lost":
		return nil, "", errors.New("no connection")
	case id == "gala" && name == "960.webp":
		return []byte("pixels"), "image/webp", nil
	}
	return nil, "", nil
}

func TestPicturesAreCachedWithoutExpiry(t *testing.T) {
	h := newHandler(t, &store{}, slog.New(slog.NewTextHandler(io.Discard, nil)), nil)
	tests := []struct {
		path                string
		status              int
		kind, cache, policy string
	}{
		{"/imagenes/gala/960.webp", 200, "image/webp", "public, max-age=31536000, immutable", "default-src 'none'; sandbox"},
		{"/imagenes/gala/480.webp", 404, "text/plain; charset=utf-8", "no-store", ""},
		{"/imagenes/lost/960.webp", 500, "text/plain; charset=utf-8", "no-store", ""},
	}
	for _, tt := range tests {
		got := get(h, tt.path)
		header := got.Header()
		if got.Code != tt.status || header.Get("Content-Type") != tt.kind || header.Get("Cache-Control") != tt.cache ||
			header.Get("Content-Security-Policy") != tt.policy || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v, want %+v", tt.path, got.Code, header, tt)
		}
	}
	if body := get(h, "/imagenes/gala/960.webp").Body.String(); body != "pixels" {
		t.Errorf("the picture is %q", body)
	}
}

func TestAnUploadedPictureIsSharedAsJPEGWithItsText(t *testing.T) {
	event := gala()
	event["imageUrl"], event["imageAlt"] = "/imagenes/abc-1600x1000/1600.webp", `Un "coro" canta`
	h := newHandler(t, &store{events: map[string]map[string]any{"gala": event}}, nil, nil)
	page := get(h, "/eventos/gala").Body.String()
	for _, want := range []string{
		`<meta property="og:image" content="https://www.example.org/imagenes/abc-1600x1000/compartir.jpg" />`,
		`<meta property="og:image:alt" content="Un &#34;coro&#34; canta" />`,
		`"image":"https://www.example.org/imagenes/abc-1600x1000/compartir.jpg"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
}
