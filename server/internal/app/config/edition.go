package config

import (
	"slices"
	"strings"

	"clave/server/internal/base/fault"
)

// The editions of databases.
const (
	standard   = "standard"
	enterprise = "enterprise"
)

// checkEdition returns an error for an edition that does not exist. Empty is the default.
func checkEdition(edition string) error {
	if edition == "" || strings.EqualFold(edition, standard) || strings.EqualFold(edition, enterprise) {
		return nil
	}
	return fault.E(fault.InvalidArgument, "edition %q: expected %s or %s", edition, standard, enterprise)
}

// IsEnterprise reports whether a database has the Enterprise edition: because firebase.json gives it that edition,
// or by the edition of all databases.
func (c *Config) IsEnterprise(id string) bool {
	return strings.EqualFold(c.Edition, enterprise) || slices.Contains(c.enterprise, id)
}
