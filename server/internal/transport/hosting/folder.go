package hosting

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"sync"

	"clave/server/internal/base/fault"
)

// folder is a folder of this machine that is kept open. Symbolic links are followed within it only. When its path leads
// to another folder, because a build has replaced it, that one is opened instead.
type folder struct {
	path string
	mu   struct {
		sync.Mutex
		opened *opened
		closed bool
	}
}

// opened is an open folder. The lock of its folder guards uses.
type opened struct {
	root *os.Root
	// is identifies the folder. It remains the only one with this identity while it is open.
	is fs.FileInfo
	// uses is the number of requests that use the folder, and one more while it is the current one.
	uses int
}

// open returns the present files of the folder, or FailedPrecondition if it cannot be served. The caller must call done
// after its use of them.
func (f *folder) open() (files fs.FS, done func(), err error) {
	info, err := statFolder(f.path)
	if err != nil {
		return nil, nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mu.closed {
		return nil, nil, fault.Wrap(fs.ErrClosed, fault.FailedPrecondition, "%s: the site is closed", f.path)
	}
	o := f.mu.opened
	if o == nil || !os.SameFile(o.is, info) {
		if o, err = openFolder(f.path); err != nil {
			return nil, nil, fault.Wrap(err, fault.FailedPrecondition, "%s: the built site cannot be read", f.path)
		}
		f.replaceLocked(o)
	}
	o.uses++
	return o.root.FS(), func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		o.endUseLocked()
	}, nil
}

// openFolder opens the folder of a path.
func openFolder(path string) (*opened, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	is, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &opened{root: root, is: is}, nil
}

// replaceLocked replaces the current folder; mu is held. nil means none.
func (f *folder) replaceLocked(by *opened) {
	if f.mu.opened != nil {
		f.mu.opened.endUseLocked()
	}
	if f.mu.opened = by; by != nil {
		by.uses++
	}
}

// endUseLocked closes the folder after its last use; the lock of its folder is held.
func (o *opened) endUseLocked() {
	if o.uses--; o.uses == 0 {
		_ = o.root.Close() // It was only read.
	}
}

// close closes the folder after its last use.
func (f *folder) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.closed = true
	f.replaceLocked(nil)
}

// statFolder describes the folder of a path. It returns FailedPrecondition if there is none.
func statFolder(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fault.Wrap(err, fault.FailedPrecondition, "%s: the built site does not exist", path)
	case !info.IsDir():
		return nil, fault.E(fault.FailedPrecondition, "%s: the built site does not exist: this is not a folder", path)
	}
	return info, nil
}

// CheckFolder returns FailedPrecondition if a folder can't be served.
func CheckFolder(path string) error {
	_, err := statFolder(path)
	return err
}

// Folder returns the site in a folder, served according to config. While the folder is missing, the response for every
// page is 503 with the reason: a 404 would suggest a wrong address. Services are reachable nevertheless.
func Folder(config *Config, path string, o Options) *Site {
	site, f := New(config, nil, o), &folder{path: path}
	site.open, site.close = f.open, f.close
	return site
}

// Unavailable returns a handler that responds to every request with 503 and the reason.
func Unavailable(reason string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, reason, http.StatusServiceUnavailable)
	})
}
