package commands

import (
	"context"

	"clave/server/internal/app/backups"
	"clave/server/internal/app/config"
	"clave/server/internal/base/process"
	"clave/server/internal/database/verify"
	"clave/server/internal/store/backup/series"
)

// Verify compares the records of a data folder that no server uses, or of a backup, with each other.
func Verify(ctx context.Context, o Options, dir string) (*verify.Report, error) {
	o.EnsureDefaults()
	return backups.Verify(ctx, dir, o.opener(&config.Config{DataDir: dir}, new(process.Components)).Sizes())
}

// VerifyBackup compares the records of a backup of a series with each other and with the backup's inventory.
func VerifyBackup(ctx context.Context, o Options, at *series.Series, b series.Backup) (*verify.Report, error) {
	o.EnsureDefaults()
	return backups.VerifyBackup(ctx, at, b, o.opener(new(config.Config), new(process.Components)).Sizes())
}
