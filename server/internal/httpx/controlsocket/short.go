package controlsocket

import (
	"errors"
	"os"
	"path/filepath"
)

// longest is the length of the longest path of a socket that all systems accept. The kernel's structure for addresses
// has 104 or 108 bytes.
const longest = 100

// shortened calls use with a path that names the same file and is not too long for a socket. For a long path that is
// one over a link, which exists during the call.
func shortened(path string, use func(short string) error) (err error) {
	if len(path) <= longest {
		return use(path)
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	links, err := os.MkdirTemp("", "clave-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(links)) }()
	link := filepath.Join(links, "data")
	if err := os.Symlink(folder, link); err != nil {
		return err
	}
	return use(filepath.Join(link, filepath.Base(path)))
}
