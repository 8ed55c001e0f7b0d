package backup

import (
	"os"
	"path/filepath"
	"time"
)

// lastName is the file in a data folder whose time is that of the last backup.
const lastName = "last-backup"

// RecordBackup records in a data folder that a backup was just made.
func RecordBackup(data string) error {
	return os.WriteFile(filepath.Join(data, lastName), []byte("The time of this file is that of the last backup.\n"), fileMode)
}

// Last returns the time of the last backup of a data folder, or fs.ErrNotExist if there was none.
func Last(data string) (time.Time, error) {
	info, err := os.Stat(filepath.Join(data, lastName))
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
