package api

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"clave/server/internal/auth/service"
)

// mask returns the fields that a request's updateMask lists, in camel case.
func mask(r *request) []string { return fieldsOf(r.http.URL.Query().Get("updateMask")) }

// fieldsOf returns the fields that a mask lists, in camel case, or nothing for all fields.
func fieldsOf(text string) []string {
	if text == "" {
		return nil
	}
	fields := strings.Split(text, ",")
	for i := range fields {
		fields[i] = camel(strings.TrimSpace(fields[i]))
	}
	if slices.Contains(fields, "*") {
		return nil
	}
	return fields
}

// configRun adapts a method on a project's settings.
func configRun(call func(context.Context, service.Call, *service.ConfigRequest) (map[string]any, error)) run {
	return func(ctx context.Context, r *request) (any, error) {
		return answered(call(ctx, r.call, &service.ConfigRequest{Mask: mask(r), Body: r.body}))
	}
}

// tenantRun adapts a method on tenants.
func tenantRun[A any](call func(context.Context, service.Call, *service.TenantRequest) (A, error)) run {
	return func(ctx context.Context, r *request) (any, error) {
		q := r.http.URL.Query()
		size, err := strconv.Atoi(q.Get("pageSize"))
		if err != nil {
			size = 0 // not given
		}
		r.call.Tenant = ""
		return answered(call(ctx, r.call, &service.TenantRequest{ID: r.args["tenant"], Mask: mask(r), Body: r.body, PageSize: size, PageToken: q.Get("pageToken")}))
	}
}

// configID returns the id of the configuration of an identity provider that a request names; empty for none.
func configID(r *request) string {
	id := r.args["config"]
	for _, name := range []string{"oauthIdpConfigId", "inboundSamlConfigId", "idpId"} {
		if id == "" {
			id = r.http.URL.Query().Get(name)
		}
	}
	return id
}

// idpRun adapts a method on the configurations of identity providers.
func idpRun[A any](kind string, call func(context.Context, service.Call, *service.IdpConfigRequest) (A, error)) run {
	return func(ctx context.Context, r *request) (any, error) {
		q := r.http.URL.Query()
		size, err := strconv.Atoi(q.Get("pageSize"))
		if err != nil {
			size = 0 // not given
		}
		return answered(call(ctx, r.call, &service.IdpConfigRequest{Kind: kind, ID: configID(r), Mask: mask(r), Body: r.body, PageSize: size, PageToken: q.Get("pageToken")}))
	}
}

// tenantRoutes lists the methods on tenants and identity providers.
func tenantRoutes(t map[string]route, s *service.Service) {
	base := toolkit + "v2/projects/*/tenants"
	t["GET "+base] = route{run: tenantRun(s.ListTenants), admin: true}
	t["POST "+base] = route{run: tenantRun(s.CreateTenant), admin: true}
	t["GET "+base+"/*"] = route{run: tenantRun(s.GetTenant), admin: true}
	t["PATCH "+base+"/*"] = route{run: tenantRun(s.UpdateTenant), admin: true}
	t["DELETE "+base+"/*"] = route{run: tenantRun(s.DeleteTenant), admin: true}
	for _, kind := range []string{"oauthIdpConfigs", "inboundSamlConfigs", "defaultSupportedIdpConfigs"} {
		for _, above := range []string{"v2/projects/*/", "v2/projects/*/tenants/*/"} {
			list := toolkit + above + kind
			t["GET "+list] = route{run: idpRun(kind, s.ListIdpConfigs), admin: true}
			t["POST "+list] = route{run: idpRun(kind, s.CreateIdpConfig), admin: true}
			t["GET "+list+"/*"] = route{run: idpRun(kind, s.GetIdpConfig), admin: true}
			t["PATCH "+list+"/*"] = route{run: idpRun(kind, s.UpdateIdpConfig), admin: true}
			t["DELETE "+list+"/*"] = route{run: idpRun(kind, s.DeleteIdpConfig), admin: true}
		}
	}
}
