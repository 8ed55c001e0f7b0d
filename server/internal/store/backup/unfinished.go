package backup

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/randid"
)

// The next copy beside an unfinished one removes it (scratch.go), but there may never be one. So a data folder has a
// note for each copy that is being made of it, with the folder in which the copy is written, and the next start of a
// program on the data folder removes what killed processes have left there. A note is locked by its process as long as
// that runs, by a file beside it.

// notesName is the folder of the notes in a data folder, and noteLock the end of the name of a note's lock.
const (
	notesName = "unfinished-copies"
	noteLock  = ".lock"
)

// Note records that this process writes a copy of a data folder, which must exist, to a folder in parent, an absolute
// path. done removes the note.
func Note(data, parent string) (done func() error, err error) {
	notes := filepath.Join(data, notesName)
	if err := os.MkdirAll(notes, folderMode); err != nil {
		return nil, err
	}
	file := filepath.Join(notes, randid.New(12))
	lock, err := vfs.Default.Lock(file + noteLock)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(file, []byte(parent), fileMode); err != nil {
		return nil, errors.Join(err, removeNote(file, lock))
	}
	return func() error { return removeNote(file, lock) }, nil
}

// removeNote removes a note that this process has locked.
func removeNote(file string, lock io.Closer) error {
	return errors.Join(os.RemoveAll(file), os.RemoveAll(file+noteLock), lock.Close())
}

// RemoveUnfinished removes the unfinished copies of a data folder whose processes have ended. It ignores those that
// can't be removed now: the next call finds them again.
func RemoveUnfinished(data string) {
	notes := filepath.Join(data, notesName)
	entries, err := os.ReadDir(notes)
	if err != nil {
		return // There are none, or the folder can't be used anyway.
	}
	for _, entry := range entries {
		file, isLock := strings.CutSuffix(filepath.Join(notes, entry.Name()), noteLock)
		if !isLock {
			continue
		}
		lock, err := vfs.Default.Lock(file + noteLock)
		if err != nil {
			continue // Its process runs.
		}
		parent, err := os.ReadFile(file)
		if err == nil {
			err = removeAbandoned(string(parent))
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) { // there is no note yet, or no such folder any more
			_ = removeNote(file, lock) // or the next call does
		} else {
			_ = lock.Close()
		}
	}
}
