// Package regularfile reads files that others have put into folders. A name there may be that of a pipe, which blocks
// its reader until something writes to it, of a device without an end, or of a file that is larger than the memory. So
// all but regular files are refused, and sizes are limited. Links are followed.
package regularfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// The errors of files that are not read. They are wrapped in a *fs.PathError.
var (
	// ErrIrregular is the error for folders, pipes, sockets and devices.
	ErrIrregular = errors.New("it is not a regular file")
	// ErrTooLarge is the error for a file that has more bytes than are possible.
	ErrTooLarge = errors.New("it is too large")
)

// Open opens a regular file. It returns ErrIrregular for others, without waiting for the writer of a pipe.
func Open(path string) (*os.File, error) {
	// Opening some devices has an effect, so the name is checked first. The file is checked again when it is open,
	// because the name may be that of another file by then.
	info, err := os.Stat(path)
	if err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, refusal(path, err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, refusal(path, errors.Join(err, f.Close()))
	}
	return f, nil
}

// check returns ErrIrregular for what is not a regular file.
func check(info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return ErrIrregular
}

// refusal returns an error with the path of its file.
func refusal(path string, err error) error {
	if named := (*fs.PathError)(nil); errors.As(err, &named) {
		return err
	}
	return &fs.PathError{Op: "read", Path: path, Err: err}
}

// Read returns the content of a regular file. It returns ErrTooLarge if it has more than most bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // a read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, refusal(path, fmt.Errorf("%w: it has %d bytes, at most %d are possible", ErrTooLarge, info.Size(), most))
	}
	var content bytes.Buffer
	content.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := content.ReadFrom(io.LimitReader(f, most+1)); err != nil { // The file may grow.
		return nil, err
	}
	if int64(content.Len()) > most {
		return nil, refusal(path, fmt.Errorf("%w: at most %d bytes are possible", ErrTooLarge, most))
	}
	return content.Bytes(), nil
}

// ReadText is Read for a text. It omits the byte order mark with which editors on Windows begin a text in UTF-8.
func ReadText(path string, most int64) ([]byte, error) {
	text, err := Read(path, most)
	return WithoutMark(text), err
}

// WithoutMark returns a text without the byte order mark at its begin.
func WithoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

// Folder is a folder of such files. Names in it have the form of package fs: with slashes, and never outside it.
type Folder string

// path returns the path of a name.
func (f Folder) path(name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return filepath.Join(string(f), filepath.FromSlash(name)), nil
}

// Open is the function Open for a name in the folder.
func (f Folder) Open(name string) (*os.File, error) {
	path, err := f.path(name)
	if err != nil {
		return nil, err
	}
	return Open(path)
}

// Read is the function Read for a name in the folder.
func (f Folder) Read(name string, most int64) ([]byte, error) {
	path, err := f.path(name)
	if err != nil {
		return nil, err
	}
	return Read(path, most)
}

// ReadText is the function ReadText for a name in the folder.
func (f Folder) ReadText(name string, most int64) ([]byte, error) {
	path, err := f.path(name)
	if err != nil {
		return nil, err
	}
	return ReadText(path, most)
}

// Stat describes what a name, or the link of this name, leads to.
func (f Folder) Stat(name string) (fs.FileInfo, error) {
	path, err := f.path(name)
	if err != nil {
		return nil, err
	}
	return os.Stat(path)
}

// ReadDir returns what is in a folder of this one.
func (f Folder) ReadDir(name string) ([]fs.DirEntry, error) {
	path, err := f.path(name)
	if err != nil {
		return nil, err
	}
	return os.ReadDir(path)
}

// Sub returns a folder of this one.
func (f Folder) Sub(name string) (Folder, error) {
	path, err := f.path(name)
	return Folder(path), err
}
