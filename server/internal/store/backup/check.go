package backup

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
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

// Check reads all files of a copy and compares them with its list. It returns DataLoss, with the name of the file, for
// one that is missing or differs.
func Check(ctx context.Context, dir string) error {
	c, root, err := open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // for reading
	err = c.check(root)
	for _, e := range c.Files {
		if err == nil {
			err = e.compare(ctx, dir)
		}
	}
	if fault.Is(err, fault.DataLoss) {
		return fault.Wrap(err, fault.DataLoss, "%s is damaged: %s", dir, reason(err))
	}
	return err
}

// compare compares a file of a copy with its entry.
func (e entry) compare(ctx context.Context, dir string) error {
	_, sum, err := checksum(ctx, filepath.Join(dir, filepath.FromSlash(e.Name)))
	if errors.Is(err, syscall.EIO) {
		return fault.Wrap(err, fault.DataLoss, "the file %s can't be read: %v", e.Name, err)
	}
	if err != nil {
		return err
	}
	if sum != e.SHA256 {
		return fault.E(fault.DataLoss, "the file %s is damaged: its checksum is wrong", e.Name)
	}
	return nil
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

// Remove removes a copy. It is renamed first, so that a folder with its name is complete at every moment. The next
// Scratch beside it removes what a killed process has left.
func Remove(dir string) error {
	lock, err := vfs.Default.Lock(filepath.Join(dir, lockName))
	if err != nil {
		return err
	}
	gone := dir + partInfix + "removed"
	err = errors.Join(removeScratch(gone), os.Rename(dir, gone))
	if err == nil {
		err = errors.Join(atomicfile.SyncFolder(filepath.Dir(dir)), removeScratch(gone))
	}
	return errors.Join(err, lock.Close())
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
