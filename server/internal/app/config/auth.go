package config

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/loopback"
)

// Auth is the configuration of Authentication.
type Auth struct {
	// SMSWebhook is the URL that receives text messages with codes, or empty.
	SMSWebhook string
	// SecretKeyFile is the file with the keys that seal the secrets of identity providers in ModeServe; empty for none.
	SecretKeyFile string
	// NoSignUp restricts sign-up to administrators, unless a project's settings allow it.
	NoSignUp bool
	// NoAnonymous and NoPasswords turn off anonymous accounts, and those with an address and a password, as
	// auth.providers of firebase.json says, unless a project's settings allow them.
	NoAnonymous, NoPasswords bool
	// AsEmulator selects the official emulator's behaviour where it differs from production's. It is not allowed with
	// ModeServe.
	AsEmulator bool
	// DebugLog is the file to which codes and links are appended, or empty.
	DebugLog string
	// ProductionSettings gives projects that configure nothing the settings of a new production project instead of the
	// official emulator's. ModeServe always does.
	ProductionSettings bool
	// AppCheck has the modes of App Check; nil without App Check. AppCheckKeys is the URL of the keys of another App Check
	// service whose tokens count too; empty for none.
	AppCheck     *appcheck.Modes
	AppCheckKeys string
}

// declareAuth declares the flags of Authentication.
func (c *Config) declareAuth(flags *pflag.FlagSet) {
	flags.StringVar(&c.Auth.SMSWebhook, "sms-webhook", "", "https `URL` of a webhook that sends text messages (see server/doc/auth.md) (default: CLAVE_SMS_WEBHOOK)")
	flags.BoolVar(&c.Auth.NoSignUp, "no-sign-up", false, "let only administrators create accounts")
	if c.Production() {
		c.declareSecretKeys(flags)
		c.declareAppCheck(flags)
	}
	if !c.Production() {
		flags.BoolVar(&c.Auth.AsEmulator, "as-emulator", false, "respond like the official emulator where it differs from Auth in production")
		flags.BoolFunc("debug", "append e-mail links and text message codes to firebase-debug.log in the current folder, as the Firebase CLI does", func(on string) error {
			if c.Auth.DebugLog = ""; on == "true" {
				c.Auth.DebugLog = "firebase-debug.log"
			}
			return nil
		})
		flags.BoolVar(&c.Auth.ProductionSettings, "production-settings", false, "start projects with the Auth settings of a new production project, such as e-mail enumeration protection, instead of the official emulator's")
	}
}

// declareSecretKeys declares the flag of the keys that seal secrets.
func (c *Config) declareSecretKeys(flags *pflag.FlagSet) {
	flags.StringVar(&c.Auth.SecretKeyFile, "secret-key-file", "", "`FILE` outside the data folder with the keys that seal the secrets of identity providers; openssl rand -base64 32 prints a key (see server/doc/providers.md) (default: CLAVE_SECRET_KEY_FILE)")
}

// Keyless are the folders in which the keys that seal secrets must not be: the data folder, that of backups, and that
// of the site, which everybody may read.
func (c *Config) Keyless() []string {
	folders := []string{c.Backups.At, c.publicFolder()}
	if strings.Contains(c.Backups.At, "://") {
		folders = folders[1:]
	}
	if !c.Memory {
		folders = append(folders, c.DataDir)
	}
	return slices.DeleteFunc(folders, func(folder string) bool { return folder == "" })
}

// publicFolder returns the folder of the site that is served; empty without one.
func (c *Config) publicFolder() string {
	var section map[string]json.RawMessage
	var folder string
	// The section may be followed by the rest of the file. An invalid one is reported where the site is opened.
	if json.NewDecoder(bytes.NewReader(c.Hosting)).Decode(&section) != nil || json.Unmarshal(section["public"], &folder) != nil || folder == "" {
		return ""
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(c.Root, folder)
	}
	return folder
}

// checkAuth returns an error for contradictory settings and for webhooks that must not receive codes. Production allows
// only https, and http on this machine.
func (c *Config) checkAuth() error {
	if c.Auth.AsEmulator && c.Auth.ProductionSettings {
		return fault.E(fault.InvalidArgument, "--as-emulator and --production-settings exclude each other")
	}
	if err := c.checkAppCheck(); err != nil {
		return err
	}
	if c.Auth.SMSWebhook == "" {
		return nil
	}
	u, err := url.Parse(c.Auth.SMSWebhook)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fault.E(fault.InvalidArgument, "--sms-webhook %s: expected an address that begins with https://", c.Auth.SMSWebhook)
	}
	if c.Production() && u.Scheme == "http" && !loopback.Is(u.Hostname()) {
		return fault.E(fault.InvalidArgument, "--sms-webhook %s: codes for other machines need https", c.Auth.SMSWebhook)
	}
	return nil
}
