package hosting

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"sync"
	"time"

	"github.com/andybalholm/brotli"

	"clave/server/internal/httpx/encoding"
)

// Sizes in bytes: the minimum size of files that are compressed, the maximum size of files that are kept in memory, and
// the memory of a kept file besides its content. Larger ones are read from the folder each time.
const (
	minCompressed = 512
	maxKept       = 8 << 20
	entryCost     = 1 << 10
)

// types are content types by extension that may be missing or wrong in the machine's own table.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
	".xml": "application/xml", ".webmanifest": "application/manifest+json", ".woff2": "font/woff2", ".avif": "image/avif",
	".webp": "image/webp", ".png": "image/png", ".jpg": "image/jpeg", ".ico": "image/x-icon", ".ics": "text/calendar; charset=utf-8",
}

// compressible are the extensions of files that are compressed.
var compressible = map[string]bool{
	".html": true, ".js": true, ".mjs": true, ".css": true, ".json": true, ".svg": true, ".txt": true, ".xml": true, ".webmanifest": true, ".ico": true, ".ics": true,
}

// file is one file of the site, ready to be sent.
type file struct {
	modified time.Time
	size     int64
	etag     string
	plain    []byte
	mu       sync.Mutex
	encoded  map[string][]byte
}

// load returns a file's content, read again when the file has changed.
func (v *visit) load(name string) (*file, error) {
	info := v.stat(name)
	if info == nil {
		return nil, fs.ErrNotExist
	}
	if info.Size() > maxKept {
		return &file{modified: info.ModTime(), size: info.Size()}, nil
	}
	key := cacheKey{v.Site, name}
	f := v.cache.get(key)
	if f != nil && f.modified.Equal(info.ModTime()) && f.size == info.Size() {
		return f, nil
	}
	// The lock is not held while a file is read and compressed, so requests for other files continue. Two requests may
	// both do this; the later result is kept.
	plain, err := fs.ReadFile(v.files, name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(plain)
	f = &file{modified: info.ModTime(), size: info.Size(), etag: hex.EncodeToString(sum[:12]), plain: plain, encoded: make(map[string][]byte)}
	cost := int64(len(plain)) + entryCost
	if compressible[path.Ext(name)] {
		cost += int64(len(plain)) // its encodings are smaller together
		if done := v.prepared(name, plain); done != nil {
			f.encoded["br"] = done
		}
	}
	v.cache.put(key, f, cost)
	return f, nil
}

// prepared returns the Brotli form that the build wrote beside a file, at a higher level than a request allows. It
// returns nil if there is none, or if its content differs from the file, which may have changed since.
func (v *visit) prepared(name string, plain []byte) []byte {
	if info := v.stat(name + ".br"); info == nil || info.Size() >= int64(len(plain)) {
		return nil
	}
	encoded, err := fs.ReadFile(v.files, name+".br")
	if err != nil || len(encoded) >= len(plain) {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(brotli.NewReader(bytes.NewReader(encoded)), int64(len(plain))+1))
	if err != nil || !bytes.Equal(text, plain) {
		return nil
	}
	return encoded
}

// serveFile sends a file, compressed if the client accepts that.
func (v *visit) serveFile(w http.ResponseWriter, r *http.Request, name string, status int) {
	f, err := v.load(name)
	if err != nil {
		http.Error(w, "Not Found", http.StatusNotFound)
		return
	}
	h := w.Header()
	ext := path.Ext(name)
	contentType := types[ext]
	if contentType == "" {
		contentType = mime.TypeByExtension(ext)
	}
	if contentType == "" {
		contentType = "application/octet-stream"
	}
	h.Set("Content-Type", contentType)
	if v.config.I18n != "" {
		h.Add("Vary", "Accept-Language, Cookie, X-Country-Code")
	}
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache")
	}
	if f.plain == nil && f.size > 0 {
		v.stream(w, r, name, f)
		return
	}
	content, encoding := f.plain, ""
	if compressible[ext] && len(f.plain) >= minCompressed {
		h.Add("Vary", "Accept-Encoding")
		if encoding = preferred(r.Header.Get("Accept-Encoding")); encoding != "" {
			content = f.encode(encoding)
			h.Set("Content-Encoding", encoding)
		}
	}
	h.Set("Etag", `"`+f.etag+encoding+`"`)
	if status != http.StatusOK {
		h.Set("Content-Length", strconv.Itoa(len(content)))
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			_, _ = w.Write(content) // it fails only when the client has disconnected
		}
		return
	}
	if encoding != "" {
		r = r.Clone(r.Context()) // Ranges are not supported for compressed texts.
		r.Header.Del("Range")
		h.Set("Accept-Ranges", "none")
	}
	http.ServeContent(w, r, "", f.modified, bytes.NewReader(content))
}

// stream sends a file that is too large to be kept in memory.
func (v *visit) stream(w http.ResponseWriter, r *http.Request, name string, f *file) {
	open, err := v.files.Open(name)
	if err != nil {
		http.Error(w, "Not Found", http.StatusNotFound)
		return
	}
	defer func() { _ = open.Close() }() // It was only read.
	content, ok := open.(io.ReadSeeker)
	if !ok {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Etag", fmt.Sprintf(`"%x-%x"`, f.modified.UnixNano(), f.size))
	http.ServeContent(w, r, "", f.modified, content)
}

// encode returns the file's content in an encoding, which it computes once.
func (f *file) encode(encoding string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if done, ok := f.encoded[encoding]; ok {
		return done
	}
	var out bytes.Buffer
	if encoding == "br" {
		zw := brotli.NewWriterLevel(&out, 9)
		_, _ = zw.Write(f.plain) // writing to memory does not fail
		_ = zw.Close()
	} else {
		zw := gzip.NewWriter(&out)
		_, _ = zw.Write(f.plain)
		_ = zw.Close()
	}
	f.encoded[encoding] = out.Bytes()
	return out.Bytes()
}

// preferred returns the best supported encoding that a client accepts, or "".
func preferred(accept string) string {
	for _, coding := range []string{"br", "gzip"} {
		if encoding.Accepts(accept, coding) {
			return coding
		}
	}
	return ""
}
