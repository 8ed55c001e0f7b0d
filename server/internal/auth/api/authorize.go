package api

import (
	"net/http"
	"net/url"
	"strings"

	"clave/server/internal/auth/service"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/clientaddr"
)

// hops returns how many reverse proxies are trusted.
func (h *Handler) hops() int {
	if h.o.TrustProxy {
		return 1
	}
	return 0
}

// describeCall reads the parts that all calls have in common.
func (h *Handler) describeCall(r *http.Request) service.Call {
	hops := h.hops()
	c := service.Call{Address: clientaddr.Address(r, hops).String(), UserAgent: r.UserAgent(), Key: r.URL.Query().Get("key"), Project: h.service.Project()}
	if c.Key == "" {
		c.Key = r.Header.Get("X-Goog-Api-Key")
	}
	scheme := clientaddr.Scheme(r, hops)
	c.Origin = (&url.URL{Scheme: scheme, Host: r.Host}).String()
	c.Locale = r.Header.Get("X-Firebase-Locale")
	return c
}

// bearer reports whether the Authorization header has a token.
func bearer(r *http.Request) bool {
	scheme, _, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return ok && strings.EqualFold(scheme, "bearer")
}

// authorize identifies administrators and clients with an API key, and refuses all others.
func (h *Handler) authorize(req *request, route route) error {
	if p := req.args["project"]; p != "" && req.args["account"] == "" {
		if !projectOK(p) {
			return fault.E(fault.InvalidArgument, "Invalid project id.")
		}
		req.call.Project = p
	}
	if account := req.args["account"]; account != "" {
		known, err := h.service.Tokens().ServiceAccount(req.http.Context(), account)
		if err != nil {
			return err
		}
		if req.call.Project = known.Project; known.Project == "" {
			req.call.Project = h.service.Project() // Admin decides
		}
	}
	if bearer(req.http) && !route.open && req.host != tokenHost { // a refresh token requires no other credential
		if err := h.admin(req, req.call.Project); err != nil {
			return err
		}
		req.call.Admin = true
		return nil
	}
	if route.open {
		return nil
	}
	if req.call.Key == "" || !h.keyOK(req.call.Key) {
		return fault.E(fault.PermissionDenied, "The request is missing a valid API key.")
	}
	if req.args["project"] != "" && !route.ofApp {
		return insufficient()
	}
	if route.admin {
		return fault.E(fault.Unauthenticated, "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential.")
	}
	return nil
}

// admin returns an error unless the request's credential is that of an administrator of project.
func (h *Handler) admin(req *request, project string) error {
	caller, err := h.o.Admins.Admin(req.http.Context(), req.http.Header.Get("Authorization"), project)
	req.caller = caller
	req.caller.Address = clientaddr.Address(req.http, h.hops())
	if fault.CodeOf(err) == fault.Unauthenticated {
		return fault.Wrap(err, fault.Unauthenticated, "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "+
			"authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.")
	}
	return err
}

// insufficient returns the error for clients that name a project.
func insufficient() error {
	return fault.E(fault.FailedPrecondition, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id.")
}

// keyOK reports whether clients may use the API key.
func (h *Handler) keyOK(key string) bool {
	if len(h.o.APIKeys) == 0 {
		return true
	}
	for _, k := range h.o.APIKeys {
		if k == key {
			return true
		}
	}
	return false
}

// projectOK reports whether a string has the form of a project's id.
func projectOK(id string) bool {
	const longest = 64
	return len(id) <= longest && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:") == ""
}

// scope completes the call with the project and the tenant of the body.
func (h *Handler) scope(req *request) error {
	if target, _ := req.body["targetProjectId"].(string); target != "" && req.args["project"] == "" {
		if !req.call.Admin {
			return insufficient()
		}
		if !projectOK(target) {
			return fault.E(fault.InvalidArgument, "Invalid project id.")
		}
		if err := h.admin(req, target); err != nil {
			return err
		}
		req.call.Project = target
	}
	tenant, _ := req.body["tenantId"].(string)
	if path := req.args["tenant"]; path != "" {
		if tenant != "" && tenant != path {
			return fault.E(fault.FailedPrecondition, "TENANT_ID_MISMATCH")
		}
		tenant = path
	}
	const longest = 64
	if len(tenant) > longest || strings.ContainsAny(tenant, "\x00/") {
		return fault.E(fault.FailedPrecondition, "INVALID_TENANT_ID")
	}
	req.call.Tenant = tenant
	return nil
}
