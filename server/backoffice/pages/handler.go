package pages

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"clave/server/internal/base/clock"
)

// The files of the built site that the handler reads, on each request, so that a new build needs no restart.
const (
	eventFile    = "eventos/plantilla-completa.html"
	unfilledFile = "eventos/plantilla.html"
	notFoundFile = "404.html"
	sitemapFile  = "sitemap-paginas.xml"
)

// Limits of the work that anonymous clients can cause.
const (
	// readTime is the time limit of reading the store; after it the built page is served unchanged.
	readTime = 3 * time.Second
	// eraseTime is the time limit of unsubscribing.
	eraseTime = 20 * time.Second
	// maxReads is the maximum number of requests that may read the store at once; others wait at most
	// readTime.
	maxReads = 32
	// mapTime is the time for which a list of events is kept for the sitemap.
	mapTime = 5 * time.Minute
	// maxListed is the number of events that the sitemap names, the latest first.
	maxListed = 1000
)

// Cache-Control of an event's page and of the sitemap, and of the pages that are served instead.
const (
	cacheShortly = "public, max-age=60"
	cacheNever   = "no-store"
)

// Listed is an event of the sitemap.
type Listed struct {
	ID string
	// Updated is the time of the last change; zero if it is unknown.
	Updated time.Time
}

// Store reads events.
type Store interface {
	// Event returns the fields of an event, nil when there is none.
	Event(ctx context.Context, id string) (map[string]any, error)
	// Published returns at most limit published events, the latest first.
	Published(ctx context.Context, limit int) ([]Listed, error)
}

// Options configure the handler.
type Options struct {
	// Site is the built site (frontend/dist).
	Site fs.FS
	// Store reads the events.
	Store Store
	// Subscriptions are those of the newsletter.
	Subscriptions Subscriptions
	// Pictures are those of events.
	Pictures Pictures
	// Clock is for the age of lists of events, and tells whether an event is over. Nil: the machine's.
	Clock clock.Clock
	// Log receives the errors of reading events. Nil logs nothing.
	Log *slog.Logger
}

// handler holds the state of the HTTP handler.
type handler struct {
	o Options
	// reads limits the requests that read the store at once.
	reads chan struct{}
	// lists lets concurrent requests share one read of the list of events.
	lists singleflight.Group
	mu    struct {
		sync.Mutex
		listed  []Listed
		expires time.Time
	}
}

// Handler returns the HTTP handler of /eventos/ID, /imagenes/ID/NAME, /sitemap.xml, /boletin/baja and
// /boletin/confirmar. It returns an error when a file of the site is missing or was built for another version of this
// package.
func Handler(o Options) (http.Handler, error) {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &handler{o: o, reads: make(chan struct{}, maxReads)}
	_, err := h.page()
	for _, name := range []string{unfilledFile, notFoundFile, sitemapFile, linkFile} {
		_, fileErr := fs.Stat(o.Site, name)
		err = errors.Join(err, fileErr)
	}
	if err != nil {
		return nil, fmt.Errorf("the built site: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /eventos/{id}", h.event)
	mux.HandleFunc("GET /imagenes/{id}/{name}", h.picture)
	mux.HandleFunc("GET /sitemap.xml", h.sitemap)
	unsubscribe := h.link(unsubscribing, o.Subscriptions.Subscriber, o.Subscriptions.Unsubscribe)
	confirm := h.link(confirming, o.Subscriptions.Confirming, o.Subscriptions.Confirm)
	for _, method := range []string{"GET", "POST"} {
		mux.HandleFunc(method+" /boletin/baja", unsubscribe)
		mux.HandleFunc(method+" /boletin/confirmar", confirm)
	}
	mux.HandleFunc("GET /", h.notFound)
	return mux, nil
}

// Unavailable returns a handler for a service without the built site. Clave's hosting then serves the static files that
// firebase.json names after the service.
func Unavailable() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", cacheNever)
		http.Error(w, "The back office was started without --site.", http.StatusServiceUnavailable)
	})
}

// page reads the built page.
func (h *handler) page() (*built, error) {
	page, err := fs.ReadFile(h.o.Site, eventFile)
	if err != nil {
		return nil, err
	}
	return parseBuilt(string(page))
}

// event serves the page of an event. If the event can't be read, or the built page can't be filled, it serves the
// built page without an event, whose scripts load the event or show the error. An event that is unknown or not
// published is not found.
func (h *handler) event(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !isDocumentID(id) {
		h.notFound(w, r)
		return
	}
	fields, err := read(r.Context(), h.reads, func(ctx context.Context) (map[string]any, error) { return h.o.Store.Event(ctx, id) })
	if err != nil {
		h.asBuilt(w, r, unfilledFile, "text/html; charset=utf-8", err)
		return
	}
	if fields == nil {
		h.notFound(w, r)
		return
	}
	e, ok := readEvent(id, fields)
	if !ok {
		h.notFound(w, r)
		return
	}
	page, err := h.page()
	var body []byte
	if err == nil {
		body, err = page.fill(&e, h.o.Clock.Now())
	}
	if err != nil {
		h.asBuilt(w, r, unfilledFile, "text/html; charset=utf-8", err)
		return
	}
	send(w, r, "text/html; charset=utf-8", body)
}

// sitemap serves the sitemap, with the pages of the build and the events.
func (h *handler) sitemap(w http.ResponseWriter, r *http.Request) {
	page, err := h.page()
	var pages []byte
	if err == nil {
		pages, err = fs.ReadFile(h.o.Site, sitemapFile)
	}
	var listed []Listed
	if err == nil {
		listed, err = h.list(r.Context())
	}
	if err != nil {
		h.asBuilt(w, r, sitemapFile, "application/xml", err)
		return
	}
	var entries strings.Builder
	for _, e := range listed {
		entries.WriteString("  <url><loc>" + page.site.URL + "/eventos/" + url.PathEscape(e.ID) + "</loc>")
		if !e.Updated.IsZero() {
			entries.WriteString("<lastmod>" + e.Updated.UTC().Format(time.RFC3339) + "</lastmod>")
		}
		entries.WriteString("</url>\n")
	}
	text := strings.Replace(string(pages), "</urlset>", strings.ReplaceAll(entries.String(), "&", "&amp;")+"</urlset>", 1)
	send(w, r, "application/xml", []byte(text))
}

// list returns the events of the sitemap, read at most once in mapTime. Concurrent requests share one read.
func (h *handler) list(ctx context.Context) ([]Listed, error) {
	if listed, fresh := h.kept(); fresh {
		return listed, nil
	}
	reading := h.lists.DoChan("", func() (any, error) {
		listed, err := read(context.WithoutCancel(ctx), h.reads, func(ctx context.Context) ([]Listed, error) { return h.o.Store.Published(ctx, maxListed) })
		if err != nil {
			return nil, err
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.mu.listed, h.mu.expires = listed, h.o.Clock.Now().Add(mapTime)
		return nil, nil
	})
	select {
	case done := <-reading:
		listed, _ := h.kept()
		return listed, done.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// kept returns the events of the last read, and reports whether they are recent enough.
func (h *handler) kept() (listed []Listed, fresh bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.mu.listed, h.o.Clock.Now().Before(h.mu.expires)
}

// read reads the store within the limits maxReads and readTime.
func read[T any](ctx context.Context, reads chan struct{}, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	select {
	case reads <- struct{}{}:
		defer func() { <-reads }()
		return call(ctx)
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// asBuilt serves a file of the site unchanged, because the store could not be read.
func (h *handler) asBuilt(w http.ResponseWriter, r *http.Request, name, kind string, cause error) {
	if r.Context().Err() == nil {
		h.o.Log.WarnContext(r.Context(), "a page is served without its events", "path", r.URL.Path, "error", cause)
	}
	h.file(w, name, kind, cacheNever, http.StatusOK)
}

// notFound serves the site's page for missing pages.
func (h *handler) notFound(w http.ResponseWriter, _ *http.Request) {
	h.file(w, notFoundFile, "text/html; charset=utf-8", "no-cache", http.StatusNotFound)
}

// file serves a file of the site.
func (h *handler) file(w http.ResponseWriter, name, kind, cache string, status int) {
	body, err := fs.ReadFile(h.o.Site, name)
	if err != nil {
		h.o.Log.Error("a file of the built site cannot be read", "file", name, "error", err)
		Unavailable().ServeHTTP(w, nil)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", cache)
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have disconnected
}

// send responds with 200, or with 304 if the client already has the same body.
func send(w http.ResponseWriter, r *http.Request, kind string, body []byte) {
	sum := sha256.Sum256(body)
	tag := `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	w.Header().Set("Cache-Control", cacheShortly)
	w.Header().Set("ETag", tag)
	if known := r.Header.Get("If-None-Match"); strings.Contains(known, tag) {
		w.Header().Set("Vary", "Accept-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(compressed(w, r, body)) // the client may have disconnected
}
