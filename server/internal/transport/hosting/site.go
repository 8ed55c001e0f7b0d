package hosting

import (
	"cmp"
	"io/fs"
	"net/http"
	"net/url"
	"strings"

	"clave/server/internal/base/fault"
)

// Site serves the files of one folder and forwards requests to services. It is safe for concurrent use.
type Site struct {
	config   *Config
	services *services
	cache    *Cache
	// open returns the files, or an error if none can be served. done must be called after their use.
	open func() (files fs.FS, done func(), err error)
	// close is called when the site is closed.
	close func()
}

// New returns a site whose files are read from files, the folder that config calls public; nil for none.
func New(config *Config, files fs.FS, o Options) *Site {
	o.EnsureDefaults()
	if files == nil {
		files = noFiles{}
	}
	open := func() (fs.FS, func(), error) { return files, func() {}, nil }
	return &Site{config: config, services: newServices(o), cache: o.Cache, open: open, close: func() {}}
}

// Close closes the site's folder and idle connections to services, and drops its files from the cache.
func (s *Site) Close() error {
	s.close()
	s.cache.drop(s)
	s.services.transport.CloseIdleConnections()
	return nil
}

// ServeHTTP serves a request in Firebase Hosting's order: redirects, files, rewrites, 404. Only services accept other
// methods than GET and HEAD.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fixed := s.headersFor(cleaned(r.URL.Path))
	files, done, err := s.open()
	if err != nil {
		s.serveWithoutFiles(w, r, fixed, err)
		return
	}
	defer done()
	v := newVisit(s, files, r)
	v.serve(w, r, fixed)
}

// serveWithoutFiles serves a request while the site's folder is missing. Services are reachable: they need no file.
func (s *Site) serveWithoutFiles(w http.ResponseWriter, r *http.Request, fixed http.Header, err error) {
	v := newVisit(s, noFiles{}, r)
	if rw := v.rewriteFor(r.URL.Path); rw != nil && rw.Run != nil {
		s.services.serve(w, r, rw.Run.ServiceID, call{fixed: fixed})
		return
	}
	reason := fault.FromError(err).Message + ". Build it, or correct hosting.public in firebase.json."
	if o := s.services.options; o.Production {
		o.Log.ErrorContext(r.Context(), "the site is not available", "path", r.URL.Path, "error", err)
		reason = "The site is not available at the moment."
	}
	Unavailable(reason).ServeHTTP(w, r)
}

// noFiles has no file.
type noFiles struct{}

// Open implements fs.FS.
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// serve serves a request.
func (v *visit) serve(w http.ResponseWriter, r *http.Request, fixed http.Header) {
	requested := r.URL.Path
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if rw := v.rewriteFor(requested); rw == nil || !v.serveRewrite(w, r, rw, fixed) {
			setAll(w.Header(), fixed)
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		}
		return
	}
	// Redirects come before files, and files before rewrites: a rewrite of ** must not hide existing files.
	if v.serveStatic(w, r, fixed) {
		return
	}
	if rw := v.rewriteFor(requested); rw != nil && v.serveRewrite(w, r, rw, fixed) {
		return
	}
	v.notFound(w, r, fixed)
}

// headersFor returns the header fields that the section sets on the response for a cleaned path. Later rules win.
func (s *Site) headersFor(requested string) http.Header {
	fixed := make(http.Header)
	for i := range s.config.Headers {
		if h := &s.config.Headers[i]; h.matches(requested) {
			for _, f := range h.Headers {
				fixed.Set(f.Key, f.Value)
			}
		}
	}
	return fixed
}

// serveStatic responds with a redirect or a file. It reports whether there was one.
func (v *visit) serveStatic(w http.ResponseWriter, r *http.Request, fixed http.Header) bool {
	requested := r.URL.Path
	for i := range v.config.Redirects {
		if to, ok := v.config.Redirects[i].to(requested); ok {
			setAll(w.Header(), fixed)
			http.Redirect(w, r, withQuery(to, r.URL.RawQuery), v.config.Redirects[i].Type)
			return true
		}
	}
	clean := cleaned(requested)
	found := v.decide(clean)
	switch {
	case !found.ok:
		return false
	case found.to != "" || clean != requested:
		setAll(w.Header(), fixed)
		// The location begins with exactly one slash: two would name another host.
		to := "/" + strings.TrimLeft(cmp.Or(found.to, clean), "/\\")
		w.Header().Set("Location", withQuery(escapePath(to), r.URL.RawQuery))
		w.WriteHeader(http.StatusMovedPermanently)
	default:
		setAll(w.Header(), fixed)
		v.serveFile(w, r, found.name, statusOf(found.path))
	}
	return true
}

// statusOf returns the status of a response with the file at a path.
func statusOf(path string) int {
	if path == errorPage {
		return http.StatusNotFound
	}
	return http.StatusOK
}

// rewriteFor returns the first rewrite of a path, or nil.
func (v *visit) rewriteFor(requested string) *rewrite {
	for i := range v.config.Rewrites {
		if rw := &v.config.Rewrites[i]; rw.matches(requested) {
			return rw
		}
	}
	return nil
}

// serveRewrite serves a path that is rewritten. It returns false for a missing file, and for a method that files do not
// support.
func (v *visit) serveRewrite(w http.ResponseWriter, r *http.Request, rw *rewrite, fixed http.Header) bool {
	switch {
	case rw.Run != nil:
		v.services.serve(w, r, rw.Run.ServiceID, call{fixed: fixed, instead: v.standIn(w, r, rw, fixed)})
	case rw.missing != "":
		setAll(w.Header(), fixed)
		http.Error(w, "firebase.json rewrites this path to "+rw.missing+", which Clave does not run.", http.StatusNotImplemented)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return false
	default:
		name, ok := v.destination(rw.Destination)
		if !ok {
			return false
		}
		setAll(w.Header(), fixed)
		v.serveFile(w, r, name, statusOf(cleaned(rw.Destination)))
	}
	return true
}

// standIn returns the substitute of a service for a GET: the file of the first later rewrite with the same source. It
// returns nil if there is none. A rewrite with another source that matches too, such as "**", is not a substitute.
func (v *visit) standIn(w http.ResponseWriter, r *http.Request, service *rewrite, fixed http.Header) func() {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil
	}
	later := false
	for i := range v.config.Rewrites {
		rw := &v.config.Rewrites[i]
		if rw == service {
			later = true
			continue
		}
		if !later || rw.Destination == "" || !rw.isAs(service.match) {
			continue
		}
		if name, ok := v.destination(rw.Destination); ok {
			return func() {
				setAll(w.Header(), fixed)
				v.serveFile(w, r, name, http.StatusOK)
			}
		}
	}
	return nil
}

// errorPage is the path of the site's own page for missing paths.
const errorPage = "/404.html"

// notFound responds with 404, and with the site's own page if it has one. That page has the header fields of its own
// path too.
func (v *visit) notFound(w http.ResponseWriter, r *http.Request, fixed http.Header) {
	setAll(w.Header(), v.headersFor(errorPage))
	setAll(w.Header(), fixed)
	// A missing page may exist after the next deployment, so the section's caching of its folder does not apply.
	w.Header().Set("Cache-Control", "no-cache")
	if name, ok := v.file(errorPage); ok {
		v.serveFile(w, r, name, http.StatusNotFound)
		return
	}
	http.Error(w, "Not Found", http.StatusNotFound)
}

// withQuery returns an address that keeps the query of the request.
func withQuery(to, query string) string {
	if query == "" {
		return to
	}
	to, fragment, found := strings.Cut(to, "#")
	separator := "?"
	if strings.Contains(to, "?") {
		separator = "&"
	}
	if to += separator + query; found {
		to += "#" + fragment
	}
	return to
}

// escapePath returns a path in the escaped form of URLs.
func escapePath(p string) string { return (&url.URL{Path: p}).EscapedPath() }
