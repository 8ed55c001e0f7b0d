package backup

import (
	"context"
	"errors"
	"os"

	"clave/server/internal/base/fault"
)

// Freeze returns a folder in the data folder, whose store is s, with everything as it is now. Its tables are links, so
// it takes little space until the data are deleted. done removes it.
func Freeze(ctx context.Context, s Source, data string) (frozen string, done func() error, err error) {
	forget, err := Note(data, data)
	if err != nil {
		return "", nil, fault.Wrap(err, fault.FailedPrecondition, "cannot write to the data folder %s: %v", data, err)
	}
	frozen, remove, err := Scratch(data, "backup"+copyInfix)
	if err != nil {
		return "", nil, errors.Join(fault.Wrap(err, fault.FailedPrecondition, "cannot write to the data folder %s: %v", data, err), forget())
	}
	done = func() error { return errors.Join(remove(), forget()) }
	if err := gather(ctx, s, data, frozen); err != nil {
		return "", nil, errors.Join(err, done())
	}
	return frozen, done, nil
}

// IsFrozen reports whether a name of a folder that Freeze returned is that of a file or a folder of the data.
func IsFrozen(name string) bool { return name != lockName }

// NewFile creates a file, which must not exist, that only the owner can read.
func NewFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
}
