package hosting

import (
	"errors"
	"io/fs"
	"net/http"
	"os"

	"clave/server/fault"
)

// folder is the files below a folder of this machine. Symbolic links are followed within the folder only. The folder is
// opened anew for each file, so that a build may replace it.
type folder string

// Open implements fs.FS.
func (f folder) Open(name string) (fs.File, error) { return os.OpenInRoot(string(f), name) }

// Stat implements fs.StatFS.
func (f folder) Stat(name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(name)
	return info, errors.Join(err, root.Close())
}

// CheckFolder returns FailedPrecondition if a folder can't be served.
func CheckFolder(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fault.Wrap(err, fault.FailedPrecondition, "%s: the built site does not exist", path)
	case !info.IsDir():
		return fault.E(fault.FailedPrecondition, "%s: the built site does not exist: this is not a folder", path)
	}
	return nil
}

// Folder returns the site in a folder, served according to config. While the folder is missing, the response for every
// page is 503 with the reason: a 404 would suggest a wrong address. Services are reachable nevertheless.
func Folder(config *Config, path string, o Options) *Site {
	site := New(config, folder(path), o)
	site.check = func() error { return CheckFolder(path) }
	return site
}

// Unavailable returns a handler that responds to every request with 503 and the reason.
func Unavailable(reason string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, reason, http.StatusServiceUnavailable)
	})
}
