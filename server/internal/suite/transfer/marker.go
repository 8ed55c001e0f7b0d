package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup"
)

// MigrationMark ends the name of the source in the marker of a migration, which another import does not complete.
const MigrationMark = " by clave migrate"

// marked calls apply, which changes the data, while the marker exists. After an error, or if the process ends, the
// marker remains: the data then contain a part of the import, and repeating the import completes them.
func (t *Transfer) marked(source string, apply func() error) error {
	t.changed.Store(true)
	if t.o.Marker == "" {
		return apply()
	}
	t.importing.Lock()
	defer t.importing.Unlock()
	source, err := filepath.Abs(source)
	if err != nil {
		return err
	}
	if err := os.Remove(t.o.Marker); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeFile(t.o.Marker, []byte(source)); err != nil {
		return err
	}
	if err := atomicfile.SyncFolder(filepath.Dir(t.o.Marker)); err != nil {
		return err
	}
	if err := apply(); err != nil {
		return fault.Wrap(err, fault.CodeOf(err), "the import was interrupted; run the same command again to complete it: %s", reason(err))
	}
	return t.Unmark()
}

// Unmark removes the marker, if there is one: the data are complete.
func (t *Transfer) Unmark() error {
	if t.o.Marker == "" {
		return nil
	}
	if err := os.Remove(t.o.Marker); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("mark the import as complete: %w", err)
	}
	return atomicfile.SyncFolder(filepath.Dir(t.o.Marker))
}

// reason returns the text of an error for the operator.
func reason(err error) string {
	var named *fault.Error
	if errors.As(err, &named) {
		return named.Message
	}
	return err.Error()
}

// Unfinished returns the source of an interrupted import from its marker, or "" if there is none.
func Unfinished(marker string) (source string, err error) { return backup.ReadMarker(marker) }
