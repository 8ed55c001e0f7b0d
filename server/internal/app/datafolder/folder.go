// Package datafolder prepares the data folder of a server: it creates the folder with private rights, refuses one whose
// data are incomplete, and removes what a refused import has created.
package datafolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/pebble"
	"clave/server/internal/suite/transfer"
)

// The folders in the data folder: of the store, and of the replica of a node on PostgreSQL. nodeFile is the file with
// the node's name, and markerFile the one that marks an import in progress.
const (
	Store      = "store"
	Replica    = "replica"
	nodeFile   = "node"
	markerFile = "importing"
)

// Folder is a data folder. The zero Folder stands for data in memory, of which only the zero Marker may be used.
type Folder struct {
	Dir string
	// Importing holds the absolute paths of this process's imports, which may complete an interrupted one.
	Importing []string
	// Unused is set when an import was refused. If this process has created the folder, Remove then removes it.
	Unused bool
	// made is the store's folder if this process has created it, and unused what it has created.
	made, unused string
}

// Marker returns the path of the file that marks an import in progress; empty for data in memory.
func (f *Folder) Marker() string {
	if f.Dir == "" {
		return ""
	}
	return filepath.Join(f.Dir, markerFile)
}

// Make creates the data folder with a folder in it. It returns FailedPrecondition for a data folder with an interrupted
// import or restore, and for one that can't be created or written to.
func (f *Folder) Make(name string) (path string, err error) {
	if err := f.interrupted(); err != nil {
		return "", err
	}
	backup.RemoveUnfinished(f.Dir)
	path = filepath.Join(f.Dir, name)
	pebble.RemoveLeft(f.Dir)
	pebble.RemoveLeft(path)
	if missing(path) {
		f.made, f.unused = path, path
		if missing(f.Dir) {
			f.unused = f.Dir
		}
	}
	// Pebble's files are readable by all, so their folder must not be.
	if err = os.MkdirAll(path, 0o700); err == nil {
		err = os.Chmod(path, 0o700)
	}
	if err != nil {
		return "", f.madeError(err)
	}
	return path, nil
}

// missing reports whether there is nothing at a path.
func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// Remove removes, if Unused is set, the folders that this process has created. A folder that another process uses
// stays.
func (f *Folder) Remove() error {
	if !f.Unused || f.made == "" {
		return nil
	}
	return pebble.Remove(f.made, f.unused)
}

// madeError returns the error for a data folder that can't be created or, if it exists, can't be written to.
func (f *Folder) madeError(err error) error {
	if info, statErr := os.Stat(f.Dir); statErr == nil && info.IsDir() {
		return fault.Wrap(err, fault.FailedPrecondition,
			"cannot write to the data folder %s: %v. Make it writable for the user of the server, or choose another with --data.", f.Dir, err)
	}
	return fault.Wrap(err, fault.FailedPrecondition, "cannot create the data folder %s: %v. Choose another with --data.", f.Dir, err)
}

// OpenError returns the error for a data folder that can't be opened, with a remedy.
func (f *Folder) OpenError(err error) error {
	var named *fault.Error
	if errors.As(err, &named) && named.Code != fault.FailedPrecondition {
		return err
	}
	if named != nil {
		return fault.Wrap(err, named.Code, "%s: another clave uses this data folder. Stop it first, or choose another folder with --data.", f.Dir)
	}
	return fault.Wrap(err, fault.FailedPrecondition, "cannot open the data in %s: %v. Correct that, or choose another folder with --data.", f.Dir, err)
}

// interrupted returns an error if a restore or an import of the data folder was interrupted, unless this process
// continues the same import, or any if the marker does not name its source.
func (f *Folder) interrupted() error {
	copied, err := backup.Interrupted(f.Dir)
	if err != nil {
		return err
	}
	if strings.HasSuffix(copied, "clave move") {
		return fault.E(fault.FailedPrecondition, "%s: a copy from %s was interrupted, and the data are incomplete. Run clave move again.", f.Dir, copied)
	}
	if copied != "" {
		return fault.E(fault.FailedPrecondition, "%s: a restore from %s was interrupted, and the data are incomplete. Run clave restore again.", f.Dir, copied)
	}
	source, err := transfer.Unfinished(f.Marker())
	if err != nil {
		return err
	}
	known := slices.Contains(f.Importing, source) || source == backup.UnknownSource && len(f.Importing) > 0
	if of, ok := strings.CutSuffix(source, transfer.MigrationMark); ok && !known {
		return fault.E(fault.FailedPrecondition,
			"%s: a migration from %s was interrupted, and the data hold a part of it. Run clave migrate from-firebase again with the same source, which completes it.", f.Dir, of)
	}
	if source == backup.UnknownSource && !known {
		return fault.E(fault.FailedPrecondition,
			"%s: an import or a migration was interrupted as it began. Run clave import or clave migrate from-firebase again with the same source, which completes it, or restore a backup.", f.Dir)
	}
	if source != "" && !known {
		return fault.E(fault.FailedPrecondition,
			"%s: an import of %s was interrupted, and the data hold a part of it. Run clave import again with the same source, which completes it, or restore a backup.", f.Dir, source)
	}
	return nil
}

// CheckExists returns an error if the folder holds no store.
func (f *Folder) CheckExists() error {
	if _, err := os.Stat(filepath.Join(f.Dir, Store)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(f.Dir, Replica)); err == nil {
		return fault.E(fault.FailedPrecondition,
			"%s: this is the folder of a node on PostgreSQL, which holds a replica. Run the command on the machine of the node that leads; clave cluster status shows it.", f.Dir)
	}
	return fault.E(fault.NotFound, "%s: there are no data. Name the server's folder with --data.", f.Dir)
}

// Node returns the name of the node of the folder, which is stored there.
func (f *Folder) Node() (string, error) {
	file := filepath.Join(f.Dir, nodeFile)
	text, err := os.ReadFile(file)
	if name := strings.TrimSpace(string(text)); err == nil && name != "" {
		return name, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	name := host + "-" + randid.New(6)
	if err := atomicfile.Write(file, []byte(name+"\n"), 0o600); err != nil {
		return "", fault.Wrap(err, fault.FailedPrecondition, "cannot write to the data folder %s: %v", f.Dir, err)
	}
	return name, nil
}
