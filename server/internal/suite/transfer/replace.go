package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/store/backup"
)

// How a folder gets a new export. An export consists of parts, which are folders, and of a file that describes them. If
// the folder has nothing else, a whole folder is written beside it and takes its name at once. Otherwise, and where the
// folder can't be replaced because a file system is mounted there, the new parts are written in a temporary folder in
// it. Each then takes the name of its predecessor, or a free one where two names can't be exchanged, and the
// description is replaced last and at once. So at each moment the description names whole parts, and everything that is
// not a part of the earlier export stays.

// scratchName begins the name of the temporary folder in an export's folder.
const scratchName = "clave-export"

// export is what replace writes.
type export struct {
	// marker is the name of the file that describes the parts.
	marker string
	// write writes the parts to an empty folder.
	write func(dir string) error
	// describe returns the text of the marker. old is the earlier one or nil. place returns the final name of a part.
	describe func(old []byte, place func(part string) string) ([]byte, error)
	// parts returns the names of the parts that the earlier marker describes and that the export replaces or removes.
	parts func(old []byte) []string
}

// errSwap is the error of a folder that can't be replaced as a whole.
var errSwap = errors.New("the folder cannot be replaced")

// replace writes an export to dir, which must be absent, be blank, or have the marker. If it fails, or the process ends
// before the new export is complete, the earlier one stays as it was, and the next export removes the temporary folder.
func (e *export) replace(dir string) error {
	if err := replaceable(dir, e.marker); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	}
	err := error(errSwap)
	if e.alone(dir) && !isMount(dir) {
		err = e.whole(dir)
	}
	if errors.Is(err, errSwap) {
		err = e.inPlace(dir)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fault.Wrap(err, fault.ResourceExhausted, "cannot write the export: there is no space for it in %s", filepath.Dir(dir))
	}
	return err
}

// old returns the text of the earlier marker, or nil.
func (e *export) old(dir string) []byte {
	text, err := regularfile.ReadText(filepath.Join(dir, e.marker), maxMetadata)
	if err != nil {
		return nil
	}
	return text
}

// alone reports whether a folder is absent, or has nothing but an earlier export.
func (e *export) alone(dir string) bool {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	own := append(e.parts(e.old(dir)), e.marker)
	return err == nil && !slices.ContainsFunc(entries, func(entry fs.DirEntry) bool { return !slices.Contains(own, entry.Name()) })
}

// whole replaces dir as a whole. It returns errSwap if that is not possible.
func (e *export) whole(dir string) (err error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, folderMode); err != nil {
		return cannotWrite(err)
	}
	scratch, done, err := backup.ScratchCopy(dir)
	if err != nil {
		if _, absent := os.Stat(dir); absent == nil {
			return fmt.Errorf("%w: %w", errSwap, err) // Its own files may be writable.
		}
		return cannotWrite(err)
	}
	defer func() { err = errors.Join(err, done()) }()
	part := filepath.Join(scratch, "export")
	if err := e.prepare(part); err != nil {
		return err
	}
	text, err := e.describe(e.old(dir), func(part string) string { return part })
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(part, e.marker), text); err != nil {
		return err
	}
	if err := atomicfile.SyncFolder(part); err != nil {
		return cannotWrite(err)
	}
	if os.Rename(part, dir) != nil { // It succeeds if dir is absent or empty.
		if err := exchange(part, dir); err != nil {
			return fmt.Errorf("%w: %w", errSwap, err)
		}
	}
	return atomicfile.SyncFolder(parent)
}

// Scratch creates a temporary folder for the copy from which an export to dir is made: beside dir, or in dir if that is
// a mount, or if nothing can be created beside it. done removes it.
func Scratch(dir string) (scratch string, done func() error, err error) {
	if !isMount(dir) {
		scratch, done, err = backup.ScratchCopy(dir)
		if _, absent := os.Stat(dir); err == nil || absent != nil {
			return scratch, done, err
		}
	}
	return backup.ScratchCopy(filepath.Join(dir, scratchName))
}

// prepare writes the parts to a new folder.
func (e *export) prepare(part string) error {
	if err := os.Mkdir(part, folderMode); err != nil {
		return cannotWrite(err)
	}
	if err := e.write(part); err != nil {
		return err
	}
	if err := syncFolders(part); err != nil {
		return cannotWrite(err)
	}
	return nil
}

// inPlace replaces the parts in dir and keeps everything else in it.
func (e *export) inPlace(dir string) (err error) {
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return cannotWrite(err)
	}
	scratch, done, err := backup.ScratchCopy(filepath.Join(dir, scratchName))
	if err != nil {
		return cannotWrite(err)
	}
	defer func() { err = errors.Join(err, done()) }()
	part := filepath.Join(scratch, "export")
	if err := e.prepare(part); err != nil {
		return err
	}
	entries, err := os.ReadDir(part)
	if err != nil {
		return cannotWrite(err)
	}
	names := make(map[string]string)
	for _, entry := range entries {
		if names[entry.Name()], err = install(filepath.Join(part, entry.Name()), dir); err != nil {
			return cannotWrite(err)
		}
	}
	if err := atomicfile.SyncFolder(dir); err != nil {
		return cannotWrite(err)
	}
	old := e.old(dir)
	text, err := e.describe(old, func(part string) string { return names[part] })
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, e.marker), text, fileMode); err != nil {
		return cannotWrite(err)
	}
	used := slices.Collect(maps.Values(names))
	for _, stale := range e.parts(old) {
		if !slices.Contains(used, stale) {
			_ = os.RemoveAll(filepath.Join(dir, stale)) // It is no longer part of the export, even if it stays.
		}
	}
	return atomicfile.SyncFolder(dir)
}

// install moves a part to dir and returns its name there. An earlier part of the same name comes in its place.
func install(part, dir string) (name string, err error) {
	name = filepath.Base(part)
	if os.Rename(part, filepath.Join(dir, name)) == nil || exchange(part, filepath.Join(dir, name)) == nil {
		return name, nil
	}
	// Neither is possible where the earlier part is a mount, or if the file system can't exchange names. Under a name
	// of its own the new part does not need the place of the earlier one, which is described until the end.
	for i := 2; ; i++ {
		free := fmt.Sprintf("%s.%d", name, i)
		if _, err := os.Lstat(filepath.Join(dir, free)); errors.Is(err, fs.ErrNotExist) {
			return free, os.Rename(part, filepath.Join(dir, free))
		} else if err != nil {
			return "", err
		}
	}
}
