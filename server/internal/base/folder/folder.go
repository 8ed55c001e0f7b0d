// Package folder decides whether a file is in a folder, and one name with slashes below another.
package folder

import (
	"errors"
	"io/fs"
	"os"
	slashed "path"
	"path/filepath"
	"strings"
)

// Contains reports whether a path, or what it leads to by links, is below a folder. Neither needs to exist: a folder
// that does not exist contains nothing, and of a path whose last elements do not exist the others decide. It returns
// an error if a folder on the way cannot be read. The folder itself is not below it.
func Contains(folder, path string) (bool, error) {
	// Names may differ in case or composition where the file system ignores them, so folders are compared themselves.
	of, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	named, err := filepath.Abs(path)
	if err != nil {
		return false, err
	}
	itself, err := resolve(path)
	if err != nil {
		return false, err
	}
	inside, err := below(of, named)
	if err != nil || inside || itself == named {
		return inside, err
	}
	return below(of, itself)
}

// Within reports whether a path is a folder, or is below it, as Contains does.
func Within(folder, path string) (bool, error) {
	of, err := os.Stat(folder)
	if err == nil {
		if is, err := os.Stat(path); err == nil && os.SameFile(of, is) {
			return true, nil
		}
	}
	return Contains(folder, path)
}

// Overlap reports whether two folders are the same, or one is below the other.
func Overlap(a, b string) (bool, error) {
	inside, err := Within(a, b)
	if err != nil || inside {
		return inside, err
	}
	return Contains(b, a)
}

// NamesOverlap reports whether two names with slashes, such as those of objects in a bucket, are the same, or one is
// below the other. Nothing is looked up.
func NamesOverlap(a, b string) bool {
	a, b = slashed.Clean(a)+"/", slashed.Clean(b)+"/"
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// resolve returns an absolute path without links, as far as the path exists. A path is not cleaned before: what
// precedes ".." may be a link to another place.
func resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path = here + string(filepath.Separator) + path
	}
	missing := ""
	for {
		found, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(found, missing), nil
		}
		parent, last := filepath.Split(strings.TrimRight(path, string(filepath.Separator)))
		if !errors.Is(err, fs.ErrNotExist) || last == "" {
			return "", err
		}
		missing = filepath.Join(last, missing)
		path = parent
	}
}

// below reports whether one of the folders in which an absolute path lies is a folder.
func below(of fs.FileInfo, path string) (bool, error) {
	for parent := filepath.Dir(path); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err == nil && os.SameFile(of, info) {
			return true, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if parent == filepath.Dir(parent) {
			return false, nil
		}
	}
}
