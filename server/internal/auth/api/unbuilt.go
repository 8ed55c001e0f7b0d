package api

import (
	"context"

	"clave/server/internal/base/fault"
)

// unbuilt maps the API's methods that are not implemented to whether only administrators may call them.
var unbuilt = map[string]bool{
	"POST " + toolkit + "v1/accounts:issueSamlResponse":                 false,
	"POST " + toolkit + "v1/accounts:signInWithGameCenter":              false,
	"POST " + toolkit + "v1/accounts:verifyIosClient":                   false,
	"POST " + toolkit + "v2/projects/*/identityPlatform:initializeAuth": true,
	"POST " + toolkit + "v2/projects/*/tenants/*:getIamPolicy":          true,
	"POST " + toolkit + "v2/projects/*/tenants/*:setIamPolicy":          true,
	"POST " + toolkit + "v2/projects/*/tenants/*:testIamPermissions":    true,
	"GET " + toolkit + "v2/defaultSupportedIdps":                        true,
	"POST " + legacy + "setProjectConfig":                               true,
	"POST " + legacy + "signOutUser":                                    false,
}

// unbuiltRoutes lists the methods that are not implemented. They return an error that names the method.
func unbuiltRoutes(t map[string]route) {
	for name, admin := range unbuilt {
		t[name] = route{admin: admin, run: func(context.Context, *request) (any, error) {
			return nil, fault.E(fault.Unimplemented, "%s is not implemented.", name)
		}}
	}
}
