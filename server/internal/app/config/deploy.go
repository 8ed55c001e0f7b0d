package config

import "clave/server/internal/base/fault"

// deployedTo sets from the environment where ModeDeploy releases files, unless flags or a store say so.
func (c *Config) deployedTo(getenv func(string) string) {
	if c.Mode != ModeDeploy {
		return
	}
	if c.AdminURL == "" && c.Store == "" {
		c.AdminURL = getenv("CLAVE_ADMIN_API")
	}
	if c.AdminURL != "" && c.Key == "" {
		c.Key = getenv("GOOGLE_APPLICATION_CREDENTIALS")
	}
}

// checkDeploy returns an error if ModeDeploy has two places to which to release, or no key for one that needs it.
func (c *Config) checkDeploy() error {
	switch {
	case c.Mode != ModeDeploy:
		return nil
	case c.AdminURL != "" && c.given["store"]:
		return fault.E(fault.InvalidArgument, "clave deploy: give --admin-api or --store, not both")
	case c.AdminURL != "" && c.Key == "":
		return fault.E(fault.InvalidArgument, "clave deploy: name the key of a service account with --key or in GOOGLE_APPLICATION_CREDENTIALS. clave credentials create makes one")
	case c.AdminURL == "" && c.Key != "":
		return fault.E(fault.InvalidArgument, "clave deploy: --key is for the server that --admin-api names")
	}
	return nil
}
