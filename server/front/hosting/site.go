package hosting

import (
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"clave/server/fault"
)

// Site serves the files of one folder and forwards requests to services. It is safe for concurrent use.
type Site struct {
	config   *Config
	files    fs.FS
	services *services
	cache    compressed
	// check returns an error if no file can be served. It is nil if files can always be served.
	check func() error
}

// New returns a site whose files are read from files, the folder that config calls public.
func New(config *Config, files fs.FS, o Options) *Site {
	o.EnsureDefaults()
	return &Site{config: config, files: files, services: newServices(o)}
}

// Close closes idle connections to services.
func (s *Site) Close() error {
	s.services.transport.CloseIdleConnections()
	return nil
}

// ServeHTTP serves a request in Firebase Hosting's order: redirects, files, rewrites, 404. Only services accept other
// methods than GET and HEAD.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	requested := r.URL.Path
	fixed := s.headersFor(requested)
	// Without the site's folder services are still reachable: they need no file.
	if s.check != nil {
		if err := s.check(); err != nil {
			if rw := s.rewriteFor(requested); rw != nil && rw.Run != nil {
				s.services.serve(w, r, rw.Run.ServiceID, call{fixed: fixed})
				return
			}
			Unavailable(fault.FromError(err).Message+". Build it, or correct hosting.public in firebase.json.").ServeHTTP(w, r)
			return
		}
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if rw := s.rewriteFor(requested); rw == nil || !s.serveRewrite(w, r, rw, fixed) {
			setAll(w.Header(), fixed)
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		}
		return
	}
	// Redirects come before files, and files before rewrites: a rewrite of ** must not hide existing files.
	if s.serveStatic(w, r, fixed) {
		return
	}
	if rw := s.rewriteFor(requested); rw != nil && s.serveRewrite(w, r, rw, fixed) {
		return
	}
	setAll(w.Header(), fixed)
	s.notFound(w, r)
}

// headersFor returns the header fields that the section sets on a path's response. Later rules win.
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
func (s *Site) serveStatic(w http.ResponseWriter, r *http.Request, fixed http.Header) bool {
	requested := r.URL.Path
	for i := range s.config.Redirects {
		if rd := &s.config.Redirects[i]; rd.matches(requested) {
			setAll(w.Header(), fixed)
			http.Redirect(w, r, withQuery(rd.expand(requested, rd.Destination), r.URL.RawQuery), rd.Type)
			return true
		}
	}
	if to, ok := s.canonical(requested); ok {
		setAll(w.Header(), fixed)
		// The location begins with exactly one slash: two would name another host.
		w.Header().Set("Location", withQuery(escapePath(to), r.URL.RawQuery))
		w.WriteHeader(http.StatusMovedPermanently)
		return true
	}
	name, ok := s.lookup(requested)
	if ok {
		setAll(w.Header(), fixed)
		s.serveFile(w, r, name, http.StatusOK)
	}
	return ok
}

// rewriteFor returns the first rewrite of a path, or nil. It skips rewrites to missing files.
func (s *Site) rewriteFor(requested string) *rewrite {
	for i := range s.config.Rewrites {
		rw := &s.config.Rewrites[i]
		if !rw.matches(requested) {
			continue
		}
		if rw.Destination != "" {
			if _, ok := s.lookup(rw.Destination); !ok {
				continue
			}
		}
		return rw
	}
	return nil
}

// serveRewrite serves a path that is rewritten. It returns false for a method that files do not support.
func (s *Site) serveRewrite(w http.ResponseWriter, r *http.Request, rw *rewrite, fixed http.Header) bool {
	switch {
	case rw.Run != nil:
		s.services.serve(w, r, rw.Run.ServiceID, call{fixed: fixed, instead: s.standIn(w, r, rw, fixed)})
	case rw.missing != "":
		setAll(w.Header(), fixed)
		http.Error(w, "firebase.json rewrites this path to "+rw.missing+", which Clave does not run.", http.StatusNotImplemented)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return false
	default:
		name, ok := s.lookup(rw.Destination)
		if !ok {
			return false
		}
		setAll(w.Header(), fixed)
		s.serveFile(w, r, name, http.StatusOK)
	}
	return true
}

// standIn returns the substitute of a service for a GET: the file of the first later rewrite with the same source. It
// returns nil if there is none. A rewrite with another source that matches too, such as "**", is not a substitute.
func (s *Site) standIn(w http.ResponseWriter, r *http.Request, service *rewrite, fixed http.Header) func() {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil
	}
	later := false
	for i := range s.config.Rewrites {
		rw := &s.config.Rewrites[i]
		if rw == service {
			later = true
			continue
		}
		if !later || rw.Destination == "" || !rw.isAs(service.match) {
			continue
		}
		if name, ok := s.lookup(rw.Destination); ok {
			return func() {
				setAll(w.Header(), fixed)
				s.serveFile(w, r, name, http.StatusOK)
			}
		}
	}
	return nil
}

// notFound responds with 404, and with the site's own page if it has one.
func (s *Site) notFound(w http.ResponseWriter, r *http.Request) {
	// A missing page may exist after the next deployment, so the section's caching of its folder does not apply.
	w.Header().Set("Cache-Control", "no-cache")
	if s.isFile("404.html") {
		s.serveFile(w, r, "404.html", http.StatusNotFound)
		return
	}
	http.Error(w, "Not Found", http.StatusNotFound)
}

// lookup returns the file for a path.
func (s *Site) lookup(requested string) (name string, ok bool) {
	clean := strings.TrimPrefix(path.Clean("/"+requested), "/")
	candidates := []string{clean, path.Join(clean, "index.html")}
	if strings.HasSuffix(requested, "/") || clean == "" {
		candidates = candidates[1:]
	}
	if s.config.CleanURLs && clean != "" {
		candidates = append(candidates, clean+".html")
	}
	for _, name := range candidates {
		if !s.ignored(name) && s.isFile(name) {
			return name, true
		}
	}
	return "", false
}

// canonical returns the canonical path of a page with several paths, such as /a for /a.html with clean URLs, and
// whether it differs from the requested path.
func (s *Site) canonical(requested string) (string, bool) {
	to := requested
	if s.config.CleanURLs && strings.HasSuffix(to, ".html") && to != "/404.html" {
		to = strings.TrimSuffix(to, ".html")
		if to == "/index" || strings.HasSuffix(to, "/index") {
			to = strings.TrimSuffix(to, "index")
		}
	}
	if to != "/" {
		to = s.slashed(to)
	}
	to = "/" + strings.TrimLeft(to, "/\\")
	if to == requested {
		return "", false
	}
	if _, ok := s.lookup(to); !ok {
		return "", false
	}
	return to, true
}

// slashed returns a path with or without a trailing slash, according to the section. By default only a folder's page
// has one.
func (s *Site) slashed(to string) string {
	bare := strings.TrimRight(to, "/")
	want := s.config.TrailingSlash
	switch {
	case want == nil:
		name, ok := s.lookup(to)
		if ok && strings.HasSuffix(name, "/index.html") && !strings.HasSuffix(to, "/index.html") {
			return bare + "/"
		}
		return bare
	case *want && path.Ext(to) == "":
		return bare + "/"
	case !*want:
		return bare
	}
	return to
}

// withQuery returns an address that keeps the query of the request.
func withQuery(to, query string) string {
	switch {
	case query == "":
		return to
	case strings.Contains(to, "?"):
		return to + "&" + query
	}
	return to + "?" + query
}

// escapePath returns a path in the escaped form of URLs.
func escapePath(p string) string { return (&url.URL{Path: p}).EscapedPath() }

// ignored reports whether a file is not served: dotfiles, and files that the section ignores.
func (s *Site) ignored(name string) bool {
	for _, segment := range strings.Split(name, "/") {
		if strings.HasPrefix(segment, ".") && segment != ".well-known" {
			return true
		}
	}
	for i := range s.config.ignored {
		if s.config.ignored[i].matches("/" + name) {
			return true
		}
	}
	return false
}

// isFile reports whether a name is a file of the site.
func (s *Site) isFile(name string) bool {
	info, err := fs.Stat(s.files, name)
	return err == nil && info.Mode().IsRegular() // opening a pipe would wait for its writer
}
