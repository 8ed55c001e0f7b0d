package versions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"clave/server/internal/base/atomicfile"
)

// place keeps what a site has: in a folder (inFolder), or in the store that nodes share (inStore). What a method
// changes is durable when it returns, unless the method says otherwise. Its errors of changes are for clients. All
// methods but path are called with Site.mu held, or before the site is used.
type place interface {
	// open prepares the place, removes what a killed process has left, and returns the number of bytes of the contents.
	open() (stored int64, err error)
	// state returns the channels; nil if there are none yet.
	state() ([]byte, error)
	setState(text []byte) error
	// versions returns the ids of the versions, and version the record of one that exists.
	versions() ([]string, error)
	version(id string) ([]byte, error)
	setVersion(id string, text []byte) error
	removeVersion(id string) error
	// size returns the number of bytes of a content, and whether the place has it. contents calls yield for each content.
	size(hash string) (n int64, has bool)
	contents(yield func(hash string, n int64)) error
	// keep moves a file, which is on disk, to the place. It is durable after sync.
	keep(hash, file string) error
	sync() error
	removeContent(hash string) error
	// path returns the path of a file with a content, which stays until the content is removed.
	path(hash string) (string, error)
}

// inFolder is a place in a folder.
type inFolder struct{ folder string }

// files returns the folder of the contents.
func (p inFolder) files() string { return filepath.Join(p.folder, "files") }

// record returns the file of a version.
func (p inFolder) record(id string) string { return filepath.Join(p.folder, "versions", id+".json") }

// stateFile returns the file of the channels.
func (p inFolder) stateFile() string { return filepath.Join(p.folder, "state.json") }

// open implements place.
func (p inFolder) open() (stored int64, err error) {
	for _, folder := range []string{p.folder, p.files(), filepath.Join(p.folder, "versions")} {
		if err := os.MkdirAll(folder, folderMode); err != nil {
			return 0, err
		}
	}
	err = removeUploads(p.folder)
	return stored, errors.Join(err, filepath.WalkDir(p.files(), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			stored += info.Size()
		}
		return err
	}))
}

// removeUploads removes the contents that a killed process was receiving in a folder.
func removeUploads(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), uploadPrefix) {
			err = errors.Join(err, os.Remove(filepath.Join(folder, e.Name())))
		}
	}
	return err
}

// state implements place.
func (p inFolder) state() ([]byte, error) {
	text, err := os.ReadFile(p.stateFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// setState implements place.
func (p inFolder) setState(text []byte) error {
	return unwritable(atomicfile.Write(p.stateFile(), text, fileMode))
}

// versions implements place. A file that is no version is left alone.
func (p inFolder) versions() (ids []string, err error) {
	entries, err := os.ReadDir(filepath.Join(p.folder, "versions"))
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && idPattern.MatchString(id) {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// version implements place.
func (p inFolder) version(id string) ([]byte, error) { return os.ReadFile(p.record(id)) }

// setVersion implements place.
func (p inFolder) setVersion(id string, text []byte) error {
	return unwritable(atomicfile.Write(p.record(id), text, fileMode))
}

// removeVersion implements place.
func (p inFolder) removeVersion(id string) error {
	if err := os.Remove(p.record(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(err)
	}
	return nil
}

// size implements place.
func (p inFolder) size(hash string) (n int64, has bool) {
	info, err := os.Stat(filepath.Join(p.files(), hash))
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// contents implements place.
func (p inFolder) contents(yield func(hash string, n int64)) error {
	entries, err := os.ReadDir(p.files())
	if err != nil {
		return err
	}
	for _, e := range entries {
		if n, has := p.size(e.Name()); has && hashPattern.MatchString(e.Name()) {
			yield(e.Name(), n)
		}
	}
	return nil
}

// keep implements place.
func (p inFolder) keep(hash, file string) error {
	return unwritable(os.Rename(file, filepath.Join(p.files(), hash)))
}

// sync implements place.
func (p inFolder) sync() error { return unwritable(atomicfile.SyncFolder(p.files())) }

// removeContent implements place.
func (p inFolder) removeContent(hash string) error {
	return os.Remove(filepath.Join(p.files(), hash))
}

// path implements place.
func (p inFolder) path(hash string) (string, error) { return filepath.Join(p.files(), hash), nil }
