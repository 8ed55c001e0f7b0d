package hosting

import (
	"cmp"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// visit is one request's view of a site. It looks up each file once: a request needs most of them several times.
type visit struct {
	*Site
	files fs.FS
	// found holds the files that were looked up.
	found []found
	// localized are the folders in which a file is looked up before its own path, if the section has i18n.
	localized []string
}

// newVisit returns the view of a request.
func newVisit(s *Site, files fs.FS, r *http.Request) *visit {
	v := &visit{Site: s, files: files}
	if s.config.I18n != "" {
		v.localized = localized(s.config.I18n, r)
	}
	return v
}

// found is a file that was looked up.
type found struct {
	name string
	// info is nil if the site has no such file.
	info fs.FileInfo
}

// stat describes a file of the site. It returns nil if the name is not that of a regular file: opening a pipe would
// wait for its writer.
func (v *visit) stat(name string) fs.FileInfo {
	for _, f := range v.found {
		if f.name == name {
			return f.info
		}
	}
	info, err := fs.Stat(v.files, name)
	if err != nil || !info.Mode().IsRegular() {
		info = nil
	}
	v.found = append(v.found, found{name, info})
	return info
}

// file returns the name of the file at a path, in the client's language if the site has it.
func (v *visit) file(requested string) (name string, ok bool) {
	if strings.HasSuffix(requested, "/") {
		return "", false
	}
	name = strings.TrimPrefix(requested, "/")
	for _, folder := range v.localized {
		if local := path.Join(folder, name); v.has(local) {
			return local, true
		}
	}
	return name, v.has(name)
}

// has reports whether the site serves a file of a name.
func (v *visit) has(name string) bool { return !v.ignored(name) && v.stat(name) != nil }

// destination returns the file of a rewrite's destination. Firebase's emulator requires the path of a file; that of a
// page is accepted here. ok is false if there is no such file.
func (v *visit) destination(to string) (name string, ok bool) {
	clean := strings.Trim(cleaned(to), "/")
	candidates := []string{path.Join(clean, "index.html")}
	if clean != "" {
		candidates = append([]string{clean}, candidates...)
	}
	if clean != "" && v.config.CleanURLs {
		candidates = append(candidates, clean+".html")
	}
	for _, name := range candidates {
		if v.has(name) {
			return name, true
		}
	}
	return "", false
}

// cleaned returns a path with one slash at its beginning, and without empty segments, "." and "..". Browsers remove
// none that an encoded slash ends, and no empty ones, so a file could have other header fields than those of its path.
func cleaned(requested string) string {
	clean := path.Clean("/" + requested)
	if strings.HasSuffix(requested, "/") && clean != "/" {
		clean += "/"
	}
	return clean
}

// decision is what the site has at a path.
type decision struct {
	// ok is false if it has nothing.
	ok bool
	// to is the path to which the client is redirected, or empty.
	to string
	// path is that of the file, and name is its name in the site's folder.
	path, name string
}

// decide returns what the site has at a cleaned path. cleanUrls and trailingSlash have the effects that they have in
// Firebase's emulator.
func (v *visit) decide(requested string) decision {
	c := v.config
	if name, ok := v.file(requested); ok {
		if bare, html := strings.CutSuffix(requested, ".html"); html && c.CleanURLs {
			bare = strings.TrimSuffix(bare, "/index")
			if c.TrailingSlash != nil && *c.TrailingSlash {
				bare = slashed(bare)
			}
			return decision{ok: true, to: cmp.Or(bare, "/")}
		}
		return decision{ok: true, path: requested, name: name}
	}
	index := slashed(requested) + "index.html"
	if name, ok := v.file(index); ok {
		if to := c.folder(requested); to != requested {
			return decision{ok: true, to: to}
		}
		return decision{ok: true, path: index, name: name}
	}
	if !c.CleanURLs {
		return decision{}
	}
	return v.decidePage(requested)
}

// slashed returns a path with a slash at its end.
func slashed(requested string) string { return strings.TrimSuffix(requested, "/") + "/" }

// folder returns the canonical path of a folder with a page: with a slash, without one, or as requested.
func (c *Config) folder(requested string) string {
	switch {
	case requested == "/":
		return requested
	case c.TrailingSlash != nil && !*c.TrailingSlash:
		return strings.TrimSuffix(requested, "/")
	case c.TrailingSlash != nil || !c.CleanURLs:
		return slashed(requested)
	}
	return requested
}

// decidePage returns the page a.html that the site has at /a, with clean URLs.
func (v *visit) decidePage(requested string) decision {
	bare, hasSlash := strings.CutSuffix(requested, "/")
	slash := v.config.TrailingSlash
	if hasSlash && slash == nil {
		return decision{}
	}
	page := bare + ".html"
	name, ok := v.file(page)
	switch {
	case !ok:
		return decision{}
	case hasSlash && !*slash:
		return decision{ok: true, to: bare}
	case !hasSlash && slash != nil && *slash:
		return decision{ok: true, to: slashed(strings.TrimSuffix(bare, "/index"))}
	case strings.HasSuffix(page, "/index.html"):
		return decision{ok: true, to: cmp.Or(strings.TrimSuffix(bare, "/index"), "/")}
	}
	return decision{ok: true, path: page, name: name}
}

// ignored reports whether a file is not served: dotfiles, and files that the section ignores.
func (v *visit) ignored(name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(segment, ".") && segment != ".well-known" {
			return true
		}
	}
	for i := range v.config.ignored {
		if v.config.ignored[i].Match("/" + name) {
			return true
		}
	}
	return false
}
