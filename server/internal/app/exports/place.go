package exports

import (
	"os"
	"path/filepath"

	"clave/server/internal/admin/firestoreadmin"
	"clave/server/internal/app/backups"
	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/folder"
	"clave/server/internal/store/backup"
)

// Place returns the folder of exports, which it creates, as an absolute path without links; empty for none, and
// what moves documents to and from it.
func Place(c *config.Config, moves firestoreadmin.Transfers, clock clock.Clock) (string, firestoreadmin.Transfers, error) {
	place, ok := c.ExportPlace()
	if !ok {
		dir, err := exportFolder(c)
		return dir, moves, err
	}
	dir, err := filepath.Abs(filepath.Join(c.DataDir, backup.ExportsName))
	if err != nil {
		return "", nil, err
	}
	at, err := backups.OpenBucket(&place, clock)
	if err != nil {
		return "", nil, fault.Wrap(err, fault.CodeOf(err), "--admin-exports %s", fault.Reason(err))
	}
	b := &Bucket{Transfers: moves, Target: at, Folder: dir, Reserve: reserve}
	return dir, b, b.Open()
}

// exportFolder returns the folder of --admin-exports. The APIs write and read there whatever place a request names, so
// no data and no public files may be in it or around it.
func exportFolder(c *config.Config) (string, error) {
	dir := c.AdminExports
	if dir == "" {
		return "", nil
	}
	refused := func(err error) error {
		return fault.Wrap(err, fault.InvalidArgument, "--admin-exports %s: %v", c.AdminExports, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", refused(err)
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", refused(err)
	}
	for _, other := range c.Keyless() {
		overlap, err := folder.Overlap(dir, other)
		if err != nil {
			return "", refused(err)
		}
		if overlap {
			return "", fault.E(fault.InvalidArgument, "--admin-exports %s and %s: one is in the other. Name a folder of its own", c.AdminExports, other)
		}
	}
	return dir, nil
}
