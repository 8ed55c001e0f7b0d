package hosting

import (
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// Site serves the files of one folder. It is safe for concurrent use.
type Site struct {
	config *Config
	files  fs.FS
	cache  compressed
}

// New returns a site whose files are read from files, the folder that config calls public.
func New(config *Config, files fs.FS) *Site {
	return &Site{config: config, files: files}
}

// ServeHTTP answers GET and HEAD.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	requested := r.URL.Path
	for i := range s.config.Headers {
		if h := &s.config.Headers[i]; h.matches(requested) {
			for _, f := range h.Headers {
				w.Header().Set(f.Key, f.Value)
			}
		}
	}
	for i := range s.config.Redirects {
		if rd := &s.config.Redirects[i]; rd.matches(requested) {
			http.Redirect(w, r, withQuery(rd.expand(requested, rd.Destination), r.URL.RawQuery), rd.Type)
			return
		}
	}
	if to, ok := s.canonical(requested); ok {
		// The location begins with exactly one slash: two would name another host.
		w.Header().Set("Location", withQuery(escapePath(to), r.URL.RawQuery))
		w.WriteHeader(http.StatusMovedPermanently)
		return
	}
	if name, ok := s.lookup(requested); ok {
		s.serveFile(w, r, name, http.StatusOK)
		return
	}
	for i := range s.config.Rewrites {
		if rw := &s.config.Rewrites[i]; rw.matches(requested) {
			if rw.missing != "" {
				http.Error(w, "firebase.json rewrites this path to "+rw.missing+", which Clave does not run.", http.StatusNotImplemented)
				return
			}
			if name, ok := s.lookup(rw.Destination); ok {
				s.serveFile(w, r, name, http.StatusOK)
				return
			}
		}
	}
	s.notFound(w, r)
}

// notFound answers 404 with the site's own page if it has one.
func (s *Site) notFound(w http.ResponseWriter, r *http.Request) {
	// A page that is missing now may be there after the next deployment, whatever the section says of its folder.
	w.Header().Set("Cache-Control", "no-cache")
	if s.isFile("404.html") {
		s.serveFile(w, r, "404.html", http.StatusNotFound)
		return
	}
	http.Error(w, "Not Found", http.StatusNotFound)
}

// lookup returns the file that a path means.
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

// canonical returns the one address of a page that has several, such as /a for /a.html with clean URLs, and
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

// slashed returns a path with or without a slash at its end, as the section wants it; where it says nothing, a folder's
// page has one and others have none.
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

// withQuery returns an address that keeps what was asked for after the path.
func withQuery(to, query string) string {
	switch {
	case query == "":
		return to
	case strings.Contains(to, "?"):
		return to + "&" + query
	}
	return to + "?" + query
}

// escapePath returns a path as it stands in an address.
func escapePath(p string) string { return (&url.URL{Path: p}).EscapedPath() }

// ignored reports whether a file is kept from the world: dotfiles always, and what the section ignores.
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
	return err == nil && !info.IsDir()
}
