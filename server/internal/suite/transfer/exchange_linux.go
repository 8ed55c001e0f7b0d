package transfer

import (
	"errors"
	"path/filepath"

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

// isMount reports whether a folder is where a file system, or a part of one, is mounted.
func isMount(dir string) bool {
	var own, parent unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_BASIC_STATS, &own) != nil {
		return false
	}
	if own.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0 {
		return true
	}
	// Old kernels do not report this attribute.
	err := unix.Statx(unix.AT_FDCWD, filepath.Dir(dir), 0, unix.STATX_BASIC_STATS, &parent)
	return err == nil && (own.Dev_major != parent.Dev_major || own.Dev_minor != parent.Dev_minor)
}
