package hosting

import (
	"io/fs"
	"path"
	"strings"
)

// visit is one request's view of a site. It looks up each file once: a request needs most of them several times.
type visit struct {
	*Site
	files fs.FS
	// found holds the files that were looked up.
	found []found
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

// lookup returns the file for a path.
func (v *visit) lookup(requested string) (name string, ok bool) {
	clean := strings.Trim(cleaned(requested), "/")
	candidates := []string{clean, path.Join(clean, "index.html")}
	if strings.HasSuffix(requested, "/") || clean == "" {
		candidates = candidates[1:]
	}
	if v.config.CleanURLs && clean != "" {
		candidates = append(candidates, clean+".html")
	}
	for _, name := range candidates {
		if !v.ignored(name) && v.stat(name) != nil {
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

// canonical returns the canonical path of a page with several paths, such as /a for /a.html with clean URLs or for //a,
// and whether it differs from the requested path.
func (v *visit) canonical(requested string) (string, bool) {
	to := cleaned(requested)
	if v.config.CleanURLs && strings.HasSuffix(to, ".html") && to != "/404.html" {
		to = strings.TrimSuffix(to, ".html")
		if to == "/index" || strings.HasSuffix(to, "/index") {
			to = strings.TrimSuffix(to, "index")
		}
	}
	if to != "/" {
		to = v.slashed(to)
	}
	to = "/" + strings.TrimLeft(to, "/\\")
	if to == requested {
		return "", false
	}
	if _, ok := v.lookup(to); !ok {
		return "", false
	}
	return to, true
}

// slashed returns a path with or without a trailing slash, according to the section. By default only a folder's page
// has one.
func (v *visit) slashed(to string) string {
	bare := strings.TrimRight(to, "/")
	want := v.config.TrailingSlash
	switch {
	case want == nil:
		name, ok := v.lookup(to)
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

// ignored reports whether a file is not served: dotfiles, and files that the section ignores.
func (v *visit) ignored(name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(segment, ".") && segment != ".well-known" {
			return true
		}
	}
	for i := range v.config.ignored {
		if v.config.ignored[i].matches("/" + name) {
			return true
		}
	}
	return false
}
