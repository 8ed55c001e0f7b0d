// Package target has the places in which backups are written, as stores of named objects: a folder here, and a bucket
// of S3 in package bucket.
package target

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Object is an object of a target.
type Object struct {
	// Name is the path in the target, with slashes.
	Name string
	Size int64
	// Tag changes whenever the object is written; empty if the target can't tell.
	Tag string
	// Modified is the time at which the object was written, by the target's clock.
	Modified time.Time
}

// Target is a place for objects. Its errors are for the operator: they name the target and the reason. All methods may
// be called concurrently, and return soon after their context has ended.
type Target interface {
	// String returns the place as the operator named it.
	fmt.Stringer
	// Put writes an object of size bytes, at least one. When it returns nil the object is durable. After an error, or the
	// end of the process, the object has its old or its new content, or is absent as before. It reads content from its
	// start, and again if the target asks for another attempt.
	Put(ctx context.Context, name string, content io.ReadSeeker, size int64) (tag string, err error)
	// Get reads an object. fs.ErrNotExist is in the chain of the error for an absent one, here or while it is read.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	// List returns the objects whose names begin with a prefix, in the order of names. A target that was never written
	// has none.
	List(ctx context.Context, prefix string) ([]Object, error)
	// Has reports whether the name of an object begins with a prefix. A bucket asks its server for one object.
	Has(ctx context.Context, prefix string) (bool, error)
	// Remove removes objects. Absent ones are no error.
	Remove(ctx context.Context, names ...string) error
	// Lock prepares the target for this process to write what the lock is for, which nobody else may do until the lock is
	// closed. It returns FailedPrecondition while another process has the lock. Processes with the same owner, if it is
	// not empty, do no harm if one that has lost the lock still writes: one may take it from the other.
	Lock(ctx context.Context, of LockName, owner string) (Lock, error)
}

// LockName is what a lock is for.
type LockName string

// The locks of a target: that of the backups, and that of the log of the data.
const (
	Backups LockName = "series.lock"
	Log     LockName = "log.lock"
)

// Lock is the right to write to a target.
type Lock interface {
	// Held returns an error if another process may have the right by now.
	Held() error
	// Close gives the right back.
	Close() error
}
