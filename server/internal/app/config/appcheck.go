package config

import (
	"github.com/spf13/pflag"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/appcheck/keyset"
	"clave/server/internal/base/fault"
)

// declareAppCheck declares the flags of App Check.
func (c *Config) declareAppCheck(flags *pflag.FlagSet) {
	flags.Func("app-check", "turn on App Check: PRODUCT=MODE, separated by commas, with the products firestore and auth and the modes off, count and enforce, such as `firestore=enforce,auth=count` (default: none)", c.setAppCheck)
	flags.StringVar(&c.Auth.AppCheckKeys, "app-check-keys", "", "`URL` of the keys of another App Check service whose tokens count too, such as https://firebaseappcheck.googleapis.com/v1/jwks (default: none)")
}

// setAppCheck parses --app-check.
func (c *Config) setAppCheck(text string) error {
	modes, err := appcheck.ParseModes(text)
	c.Auth.AppCheck = &modes
	return err
}

// checkAppCheck returns an error for contradictory settings of App Check.
func (c *Config) checkAppCheck() error {
	switch {
	case c.Auth.AppCheckKeys == "":
		return nil
	case c.Auth.AppCheck == nil:
		return fault.E(fault.InvalidArgument, "--app-check-keys needs --app-check, such as --app-check firestore=count")
	case !keyset.ValidURL(c.Auth.AppCheckKeys):
		return fault.E(fault.InvalidArgument, "--app-check-keys %s: expected an address that begins with https://", c.Auth.AppCheckKeys)
	}
	return nil
}
