package pages

import (
	"context"
	"net/http"
)

// cacheForever is the Cache-Control of a picture's files: the content of an address never changes.
const cacheForever = "public, max-age=31536000, immutable"

// Pictures reads the pictures of events.
type Pictures interface {
	// PictureFile returns a file of a picture and its media type, nil when there is none.
	PictureFile(ctx context.Context, id, name string) (data []byte, kind string, err error)
}

// picture serves a file of a picture.
func (h *handler) picture(w http.ResponseWriter, r *http.Request) {
	id, name := r.PathValue("id"), r.PathValue("name")
	kind := ""
	data, err := read(r.Context(), h.reads, func(ctx context.Context) (data []byte, err error) {
		data, kind, err = h.o.Pictures.PictureFile(ctx, id, name)
		return data, err
	})
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	if err != nil || data == nil {
		status := http.StatusNotFound
		if err != nil {
			status = http.StatusInternalServerError
			h.o.Log.ErrorContext(r.Context(), "a picture could not be read", "path", r.URL.Path, "error", err)
		}
		header.Set("Cache-Control", cacheNever)
		http.Error(w, http.StatusText(status), status)
		return
	}
	header.Set("Content-Type", kind)
	header.Set("Cache-Control", cacheForever)
	// No script in the file runs, even if the file is opened as a page.
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = w.Write(data) // the client may have disconnected
}
