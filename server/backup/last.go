package backup

import (
	"os"
	"path/filepath"
	"time"
)

// lastName is the file in a data folder whose time is that of the last backup.
const lastName = "last-backup"

// Note notes in a data folder that a backup of it was made just now.
func Note(data string) error {
	return os.WriteFile(filepath.Join(data, lastName), []byte("The time of this file is that of the last backup.\n"), fileMode)
}

// Last returns when the last backup of a data folder was made; fs.ErrNotExist when none was.
func Last(data string) (time.Time, error) {
	info, err := os.Stat(filepath.Join(data, lastName))
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
