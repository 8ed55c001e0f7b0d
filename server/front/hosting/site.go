package hosting

import (
	"errors"
	"io/fs"
	"net/http"
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
			http.Redirect(w, r, rd.Destination, rd.Type)
			return
		}
	}
	if to, ok := s.canonical(requested); ok {
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		// The location begins with exactly one slash: two would name another host.
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusMovedPermanently)
		return
	}
	if name, ok := s.lookup(requested); ok {
		s.serveFile(w, r, name, http.StatusOK)
		return
	}
	for i := range s.config.Rewrites {
		if rw := &s.config.Rewrites[i]; rw.matches(requested) {
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
	if slash := s.config.TrailingSlash; slash != nil && to != "/" {
		isPage := path.Ext(to) == ""
		switch {
		case *slash && isPage && !strings.HasSuffix(to, "/"):
			to += "/"
		case !*slash && strings.HasSuffix(to, "/"):
			to = strings.TrimRight(to, "/")
		}
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

// ignored reports whether a file is kept from the world: dotfiles always, and what the section ignores.
func (s *Site) ignored(name string) bool {
	for _, segment := range strings.Split(name, "/") {
		if strings.HasPrefix(segment, ".") && segment != ".well-known" {
			return true
		}
	}
	for _, pattern := range s.config.Ignore {
		m := match{Glob: pattern}
		if err := m.compile(); err == nil && m.matches("/"+name) {
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

// errIsDir is returned for a folder where a file was expected.
var errIsDir = errors.New("hosting: is a folder")
