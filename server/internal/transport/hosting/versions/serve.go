package versions

import (
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/transport/hosting"
)

// served are the versions that requests get. It is not changed: a release replaces it.
type served struct {
	// live is the version of the channel live; nil before the first release, and while the site is disabled.
	live     *hosting.Site
	disabled bool
	previews map[string]preview
	// versions are the sites of all these versions by the ids.
	versions map[string]*hosting.Site
}

// preview is a channel with a host of its own. Its version is nil before the first release.
type preview struct {
	version *hosting.Site
	expires time.Time
}

// prepareLocked opens the versions that a state serves; mu is held. Those that are served already are reused.
func (s *Site) prepareLocked(st *state) (*served, error) {
	now, before := s.now(), s.served.Load()
	out := &served{previews: make(map[string]preview), versions: make(map[string]*hosting.Site)}
	for id, c := range st.Channels {
		var site *hosting.Site
		if len(c.Releases) > 0 && c.Releases[0].Version != "" && !c.ended(now) {
			var err error
			if site, err = s.openVersion(c.Releases[0].Version, out, before); err != nil {
				s.closeUnused(out)
				return nil, err
			}
		}
		if id == Live {
			out.live, out.disabled = site, len(c.Releases) > 0 && site == nil
			continue
		}
		out.previews[c.Label] = preview{site, c.Expires}
	}
	return out, nil
}

// openVersion returns the site of a version, which is reused if it is open.
func (s *Site) openVersion(id string, out, before *served) (*hosting.Site, error) {
	if open := out.versions[id]; open != nil {
		return open, nil
	}
	if before != nil && before.versions[id] != nil {
		out.versions[id] = before.versions[id]
		return out.versions[id], nil
	}
	r, err := s.read(id)
	if err != nil {
		return nil, err
	}
	config, err := r.Config.section()
	if err != nil {
		return nil, err
	}
	open := hosting.New(config, newFiles(s.place, r), s.o.Hosting)
	out.versions[id] = open
	return open, nil
}

// serve makes requests get other versions from now on, and closes those that are not served any more.
func (s *Site) serve(next *served) {
	before := s.served.Swap(next)
	if before == nil {
		return
	}
	for id, site := range before.versions {
		if next.versions[id] != site {
			_ = site.Close() // it has no folder
		}
	}
}

// closeUnused closes the versions that were opened for a change that was not made.
func (s *Site) closeUnused(opened *served) {
	before := s.served.Load()
	for id, site := range opened.versions {
		if before == nil || before.versions[id] != site {
			_ = site.Close()
		}
	}
}

// Released reports whether a version was released as the site, or the site was disabled.
func (s *Site) Released() bool {
	now := s.served.Load()
	return now.live != nil || now.disabled
}

// Handler returns a handler that serves each request from one version: previews at their hosts, and at all other hosts
// the site. Before the first release, the site is before, if it is not nil.
func (s *Site) Handler(before http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := s.served.Load()
		label, isPreview := s.previewOf(r.Host)
		if !isPreview {
			switch {
			case now.live != nil:
				now.live.ServeHTTP(w, r)
			case before != nil && !now.disabled:
				before.ServeHTTP(w, r)
			default:
				notFound(w, "Site Not Found")
			}
			return
		}
		p, known := now.previews[label]
		if !known || p.version == nil || !p.expires.IsZero() && !s.now().Before(p.expires) {
			notFound(w, "Site Not Found: there is no such preview, or it has ended.")
			return
		}
		w.Header().Set("X-Robots-Tag", "noindex")
		p.version.ServeHTTP(w, r)
	})
}

// previewOf returns the label of a preview if a host has the form of one.
func (s *Site) previewOf(host string) (label string, ok bool) {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	label, _, _ = strings.Cut(strings.ToLower(name), ".")
	return label, strings.HasPrefix(label, s.prefix())
}

// notFound answers that there is no site.
func notFound(w http.ResponseWriter, text string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, text, http.StatusNotFound)
}

// files are the files of a version. It implements fs.FS and fs.StatFS.
type files struct {
	place  place
	hashes map[string]string
}

// newFiles returns the files of a version whose contents are in a place.
func newFiles(p place, r *record) *files {
	f := &files{p, make(map[string]string, len(r.Files))}
	for name, hash := range r.Files {
		f.hashes[strings.TrimPrefix(name, "/")] = hash
	}
	return f
}

// at returns the path of the content of a file.
func (f *files) at(op, name string) (string, error) {
	hash, found := f.hashes[name]
	if !found || !hashPattern.MatchString(hash) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	at, err := f.place.path(hash)
	if err != nil {
		return "", &fs.PathError{Op: op, Path: name, Err: err}
	}
	return at, nil
}

// Open implements fs.FS.
func (f *files) Open(name string) (fs.File, error) {
	at, err := f.at("open", name)
	if err != nil {
		return nil, err
	}
	return os.Open(at)
}

// Stat implements fs.StatFS.
func (f *files) Stat(name string) (fs.FileInfo, error) {
	at, err := f.at("stat", name)
	if err != nil {
		return nil, err
	}
	return os.Stat(at)
}

// section returns the configuration as package hosting reads it. It returns InvalidArgument for rules that it can't
// serve.
func (c *Config) section() (*hosting.Config, error) {
	text, err := c.text()
	if err != nil {
		return nil, err
	}
	parsed, err := hosting.Parse(text)
	if err != nil {
		return nil, err
	}
	if len(parsed.Warnings) > 0 {
		w := parsed.Warnings[0]
		return nil, fault.E(fault.InvalidArgument, "The configuration is not valid: %s: %s", w.Member, strings.TrimSuffix(w.Text, "; the rule is skipped"))
	}
	return parsed, nil
}
