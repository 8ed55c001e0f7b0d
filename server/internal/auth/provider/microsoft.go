package provider

import (
	"strings"

	"clave/server/internal/base/pattern"
)

// microsoftTenant matches the id of a tenant.
var microsoftTenant = pattern.New(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// microsoftIssuer reports whether the issuer of a token is the tenant of its user. All tenants sign with the same keys.
func microsoftIssuer(common, issuer string, claims map[string]any) bool {
	tenant, _ := claims["tid"].(string)
	return microsoftTenant.MatchString(tenant) && issuer == strings.Replace(common, "/common/", "/"+tenant+"/", 1)
}
