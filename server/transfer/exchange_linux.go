package transfer

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange exchanges the names of two folders atomically. It returns errors.ErrUnsupported if the file system can't.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}
