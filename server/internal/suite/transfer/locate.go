package transfer

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"clave/server/internal/base/pattern"
	"clave/server/internal/base/regularfile"
)

// foreign matches the begin of a path that is not relative: a slash, a drive of Windows, or the scheme of a URL.
var foreign = pattern.New(`^([A-Za-z][A-Za-z0-9+.-]*:)?/|^[A-Za-z]:`)

// The maximum length in bytes of a path in an export, and the maximum number of its last elements that are searched
// for.
const (
	maxPath   = 4096
	maxSuffix = 32
)

// locate returns the path, from the root of an export's folder, of a file or folder that the export names. dir is the
// path of the folder that the name is relative to. The path is never outside the folder; the file need not exist.
//
// Exports that were made on Windows have backslashes. A name of a place outside is usually where the folder was when
// the export was made; it means what its longest end names that exists in the folder.
func locate(folder regularfile.Folder, dir, name string) (string, error) {
	slashed := strings.ReplaceAll(name, `\`, "/")
	if p, ok := join(dir, name); ok && exists(folder, p) {
		return p, nil
	}
	if p, ok := join(dir, slashed); ok {
		return p, nil
	}
	elements := strings.Split(slashed, "/")
	for i := len(elements) - 1; i >= 0; i-- {
		if elements[i] == ".." {
			elements = elements[i+1:]
			break
		}
	}
	elements = slices.DeleteFunc(elements, func(e string) bool { return e == "" || e == "." })
	for i := max(0, len(elements)-maxSuffix); i < len(elements); i++ {
		end := path.Join(elements[i:]...)
		for _, from := range []string{dir, "."} {
			if p, ok := join(from, end); ok && exists(folder, p) {
				return p, nil
			}
		}
	}
	return "", errors.New("it names a file outside the folder")
}

// join returns the path that a relative one has from the root of a folder. ok is false if it is not in the folder.
func join(dir, name string) (p string, ok bool) {
	p = path.Join(dir, name)
	return p, len(name) <= maxPath && !foreign.MatchString(name) && fs.ValidPath(p)
}

// exists reports whether there is a file or folder at a path.
func exists(folder regularfile.Folder, p string) bool {
	_, err := folder.Stat(p)
	return err == nil
}
