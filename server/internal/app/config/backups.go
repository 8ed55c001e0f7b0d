package config

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/folder"
	"clave/server/internal/store/backup/series"
)

// BackupPlace is the place of backups.
type BackupPlace struct {
	// At is a folder, or s3://BUCKET/PREFIX; empty for none.
	At string
	// KeyFile is the file with the keys of age; empty for backups that are not encrypted.
	KeyFile string
	// Endpoint, Region and Addressing are those of a bucket.
	Endpoint, Region, Addressing string
	// AccessKey, SecretKey and SessionToken are the credentials for a bucket.
	AccessKey, SecretKey, SessionToken string
}

// bucketScheme begins the place of backups in a bucket.
const bucketScheme = "s3://"

// IsBucket reports whether the place is a bucket.
func (p *BackupPlace) IsBucket() bool { return strings.HasPrefix(p.At, bucketScheme) }

// Declare declares the flags of a place. name is the flag that names the place.
func (p *BackupPlace) Declare(flags *pflag.FlagSet, name, usage string) {
	flags.StringVar(&p.At, name, "", usage)
	flags.StringVar(&p.KeyFile, "backup-key-file", "", "`FILE` with keys of age, one on each line, for which backups are encrypted; restoring needs a secret one (default: none)")
	flags.StringVar(&p.Endpoint, "backup-endpoint", "", "`URL` of the server of the bucket (default: $AWS_ENDPOINT_URL_S3, $AWS_ENDPOINT_URL, or AWS)")
	flags.StringVar(&p.Region, "backup-region", "", "`REGION` of the bucket (default: $AWS_REGION, $AWS_DEFAULT_REGION, or what the server reports)")
	flags.StringVar(&p.Addressing, "backup-addressing", "auto", "`STYLE` in which requests name the bucket: auto, path or virtual")
}

// FromEnvironment completes the place from the environment variables of the AWS tools.
func (p *BackupPlace) FromEnvironment(getenv func(string) string) {
	p.AccessKey, p.SecretKey, p.SessionToken = getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN")
	p.Endpoint = cmp.Or(p.Endpoint, getenv("AWS_ENDPOINT_URL_S3"), getenv("AWS_ENDPOINT_URL"))
	p.Region = cmp.Or(p.Region, getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"))
}

// ExportPlace returns the bucket of the exports of the administration APIs, which has the settings of the buckets of
// backups. It returns false for a folder, or none.
func (c *Config) ExportPlace() (p BackupPlace, ok bool) {
	p = c.Backups.BackupPlace
	p.At, p.KeyFile = c.AdminExports, ""
	return p, p.IsBucket()
}

// overlaps reports whether two buckets are the same, and one prefix is the other or in it: who may export could
// otherwise remove backups.
func (p *BackupPlace) overlaps(other *BackupPlace) bool {
	if !p.IsBucket() || !other.IsBucket() {
		return false
	}
	return folder.NamesOverlap(strings.TrimPrefix(p.At, bucketScheme), strings.TrimPrefix(other.At, bucketScheme))
}

// Check returns InvalidArgument for a place that is neither a folder nor a bucket.
func (p *BackupPlace) Check(name string) error {
	if strings.Contains(p.At, "://") && !p.IsBucket() {
		return fault.E(fault.InvalidArgument, "--%s %s: expected a folder or s3://BUCKET/PREFIX", name, p.At)
	}
	return nil
}

// Backups is the configuration of the backups that ModeServe makes.
type Backups struct {
	BackupPlace
	// Every is the time between two backups, and Verify that between two trial restores of the newest one; zero for
	// none.
	Every, Verify time.Duration
	// Keep says which backups are kept.
	Keep series.Keep
	// Log makes a server ship its log between backups.
	Log bool
	// every, verify and keep are the values of the flags.
	every, verify, keep string
}

// declareBackups declares the flags of backups.
func (c *Config) declareBackups(flags *pflag.FlagSet) {
	b := &c.Backups
	b.Declare(flags, "backup-to", "`FOLDER` on another disk, or s3://BUCKET/PREFIX, in which the server makes backups (default: none)")
	flags.StringVar(&b.every, "backup-every", "6h", "`TIME` between two backups, such as 6h or 1d")
	flags.StringVar(&b.keep, "backup-keep", "7d,4w,12m", "`PERIODS` of which the newest backup is kept, beside all of the last 24 hours: days, weeks and months")
	flags.BoolVar(&b.Log, "backup-log", true, "ship the log between backups, so that each second since a backup can be restored")
	flags.StringVar(&b.verify, "backup-verify", "1d", "`TIME` between two trial restores of the newest backup, which need space for the data; 0 for none")
}

// checkBackups parses the settings of backups.
func (c *Config) checkBackups() (err error) {
	b := &c.Backups
	_, exports := c.ExportPlace()
	for _, name := range []string{"backup-every", "backup-keep", "backup-verify", "backup-log", "backup-key-file", "backup-endpoint", "backup-region", "backup-addressing"} {
		bucket := name == "backup-endpoint" || name == "backup-region" || name == "backup-addressing"
		if b.At == "" && c.given[name] && !(exports && bucket) {
			return fault.E(fault.InvalidArgument, "--%s needs --backup-to, the place of the backups", name)
		}
	}
	switch {
	case b.At == "":
		return nil
	case c.Memory:
		return fault.E(fault.InvalidArgument, "--backup-to and --memory exclude each other")
	}
	if err := b.Check("backup-to"); err != nil {
		return err
	}
	if b.Every, err = parseInterval("backup-every", b.every); err != nil {
		return err
	}
	if b.Every == 0 {
		return fault.E(fault.InvalidArgument, "--backup-every 0: omit --backup-to for no backups")
	}
	if b.Verify, err = parseInterval("backup-verify", b.verify); err != nil {
		return err
	}
	if b.Keep, err = series.ParseKeep(b.keep); err != nil {
		return fault.Wrap(err, fault.InvalidArgument, "--backup-keep %s", fault.Reason(err))
	}
	return nil
}

// Ships reports whether the server ships its log between backups.
func (c *Config) Ships() bool {
	return c.Backups.At != "" && c.Backups.Log && !c.Memory
}

// parseInterval parses a flag's time of at least a second, such as 6h or 1d, or 0.
func parseInterval(flag, text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 366 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && (d == 0 || d >= time.Second) {
		return d, nil
	}
	return 0, fault.E(fault.InvalidArgument, "--%s %s: expected a time of at least a second, such as 6h or 1d", flag, text)
}
