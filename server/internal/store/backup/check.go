package backup

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
)

// Size returns the number of bytes that the list of a copy names. It returns an error if the list is missing or
// damaged.
func Size(dir string) (int64, error) {
	c, root, err := open(dir)
	if err != nil {
		return 0, err
	}
	return c.size(), root.Close()
}

// open opens a copy's folder and reads its list.
func open(dir string) (*contents, *os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	c, err := readContents(root, dir)
	if err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	return c, root, nil
}

// checksumOf returns the size and the checksum of a file, which is read through the reader that wrap returns.
func checksumOf(file string, wrap func(io.Reader) io.Reader) (size int64, sum string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = f.Close() }() // a read
	digest := sha256.New()
	size, err = io.Copy(digest, wrap(f))
	return size, text(digest), err
}
