package config

import (
	"net/url"

	"github.com/spf13/pflag"

	"clave/server/fault"
)

// Auth is what is configured of Authentication.
type Auth struct {
	// SMSWebhook is where text messages with codes are handed over, or empty.
	SMSWebhook string
	// NoSignUp leaves sign-up to administrators, unless a project's settings allow it.
	NoSignUp bool
	// AsEmulator gives the official emulator's answers where they differ from production's; never with ModeServe.
	AsEmulator bool
	// DebugLog is the file to which codes and links are appended, or empty.
	DebugLog string
	// ProductionSettings gives projects that configure nothing the settings of a new production project instead of the official
	// emulator's. ModeServe always does.
	ProductionSettings bool
}

// declareAuth declares its flags.
func (c *Config) declareAuth(flags *pflag.FlagSet) {
	flags.StringVar(&c.Auth.SMSWebhook, "sms-webhook", "", "https `URL` that sends text messages with codes: see server/doc/auth.md (default: CLAVE_SMS_WEBHOOK)")
	flags.BoolVar(&c.Auth.NoSignUp, "no-sign-up", false, "only administrators make accounts")
	if !c.Production() {
		flags.BoolVar(&c.Auth.AsEmulator, "as-emulator", false, "where Auth in production and the official emulator differ, answer as the emulator")
		flags.BoolFunc("debug", "also append e-mail links and text message codes to firebase-debug.log in the current folder, where the Firebase CLI writes them", func(on string) error {
			if c.Auth.DebugLog = ""; on == "true" {
				c.Auth.DebugLog = "firebase-debug.log"
			}
			return nil
		})
		flags.BoolVar(&c.Auth.ProductionSettings, "production-settings", false, "begin projects with a new production project's Auth settings, such as e-mail enumeration protection, not with the official emulator's")
	}
}

// checkAuth refuses contradictions and webhooks that must not receive codes: production allows https, and http on this machine.
func (c *Config) checkAuth() error {
	if c.Auth.AsEmulator && c.Auth.ProductionSettings {
		return fault.E(fault.InvalidArgument, "--as-emulator and --production-settings exclude each other")
	}
	if c.Auth.SMSWebhook == "" {
		return nil
	}
	u, err := url.Parse(c.Auth.SMSWebhook)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fault.E(fault.InvalidArgument, "--sms-webhook %s: want an address that begins with https://", c.Auth.SMSWebhook)
	}
	if c.Production() && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return fault.E(fault.InvalidArgument, "--sms-webhook %s: codes leave this machine by https only", c.Auth.SMSWebhook)
	}
	return nil
}
