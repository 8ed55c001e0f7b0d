package api

import (
	"context"
	"slices"
	"strings"
	"time"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/appcheck/debugtoken"
	"clave/server/internal/base/fault"
)

// checkService is a service in the App Check API. UpdateTime and ETag are ignored in requests.
type checkService struct {
	Name             string `json:"name,omitempty"`
	EnforcementMode  string `json:"enforcementMode,omitempty"`
	ReplayProtection string `json:"replayProtection,omitempty"`
	UpdateTime       string `json:"updateTime,omitempty"`
	ETag             string `json:"etag,omitempty"`
}

// checkServices is a list of services.
type checkServices struct {
	Services []checkService `json:"services"`
}

// servicesUpdate is the request of services:batchUpdate.
type servicesUpdate struct {
	UpdateMask string `json:"updateMask"`
	Requests   []struct {
		Service    checkService `json:"service"`
		UpdateMask string       `json:"updateMask"`
	} `json:"requests"`
}

// debugToken is a debug token in the App Check API. Token is part of requests only.
type debugToken struct {
	Name        string `json:"name,omitempty"`
	DisplayName string `json:"displayName,omitempty"`
	Token       string `json:"token,omitempty"`
	UpdateTime  string `json:"updateTime,omitempty"`
}

// debugTokens is a list of debug tokens.
type debugTokens struct {
	DebugTokens []debugToken `json:"debugTokens,omitempty"`
}

// none is a request or a response without fields.
type none struct{}

// checkSettingsRoutes lists the methods on the settings of App Check, which are for owners.
func (h *Handler) checkSettingsRoutes(t map[string]route, version string) {
	services, tokens := checkHost+version+"projects/*/services", checkHost+version+"projects/*/apps/*/debugTokens"
	t["GET "+services] = checkRoute(h.listServices).forAdmin()
	t["POST "+services+":batchUpdate"] = checkRoute(h.updateServices).forAdmin()
	t["GET "+services+"/*"] = checkRoute(h.getService).forAdmin()
	t["PATCH "+services+"/*"] = checkRoute(h.updateService).forAdmin()
	t["GET "+tokens] = checkRoute(h.listDebugTokens).forAdmin()
	t["POST "+tokens] = checkRoute(h.createDebugToken).forAdmin()
	t["GET "+tokens+"/*"] = checkRoute(h.getDebugToken).forAdmin()
	t["PATCH "+tokens+"/*"] = checkRoute(h.updateDebugToken).forAdmin()
	t["DELETE "+tokens+"/*"] = checkRoute(h.deleteDebugToken).forAdmin()
}

// settings returns the settings of App Check of a request's project, or an error if the server has none.
func (a AppCheck) settings(r *request) (*appcheck.Settings, error) {
	if _, err := a.service(); err != nil {
		return nil, err
	}
	return a.Settings.Of(r.call.Project)
}

// servicesOf is the part of the names of services before their ids.
func servicesOf(r *request) string { return "projects/" + r.call.Project + "/services/" }

// shownService returns a service as the API shows it.
func shownService(r *request, m appcheck.ServiceMode) checkService {
	out := checkService{Name: servicesOf(r) + m.Service, EnforcementMode: m.Mode}
	if !m.Updated.IsZero() {
		out.UpdateTime = m.Updated.Format(time.RFC3339Nano)
	}
	return out
}

// listServices lists the services.
func (h *Handler) listServices(_ context.Context, r *request, _ *none) (*checkServices, error) {
	s, err := h.o.AppCheck.settings(r)
	if err != nil {
		return nil, err
	}
	all, err := s.List()
	out := &checkServices{Services: make([]checkService, 0, len(all))}
	for _, m := range all {
		out.Services = append(out.Services, shownService(r, m))
	}
	return out, err
}

// getService returns a service.
func (h *Handler) getService(_ context.Context, r *request, _ *none) (*checkService, error) {
	s, err := h.o.AppCheck.settings(r)
	if err != nil {
		return nil, err
	}
	m, err := s.Get(r.args["service"])
	if err != nil {
		return nil, err
	}
	out := shownService(r, m)
	return &out, nil
}

// changedMode returns the mode that a request changes.
func changedMode(service string, q checkService, mask []string) (appcheck.ServiceMode, error) {
	for _, name := range mask {
		if !slices.Contains([]string{"*", "enforcementMode", "replayProtection"}, name) {
			return appcheck.ServiceMode{}, fault.E(fault.InvalidArgument, "Invalid update mask: %.64q is no field that can be changed.", name)
		}
	}
	has := func(name string) bool {
		return len(mask) == 0 || slices.Contains(mask, "*") || slices.Contains(mask, name)
	}
	if q.ReplayProtection != "" && q.ReplayProtection != "OFF" && has("replayProtection") {
		return appcheck.ServiceMode{}, fault.E(fault.Unimplemented, "replayProtection is not implemented: servers mark tokens as used by verifyToken with consume.")
	}
	if !has("enforcementMode") {
		return appcheck.ServiceMode{}, fault.E(fault.InvalidArgument, "The update mask must have enforcementMode.")
	}
	return appcheck.ServiceMode{Service: service, Mode: q.EnforcementMode}, nil
}

// updateService changes the mode of a service.
func (h *Handler) updateService(ctx context.Context, r *request, q *checkService) (*checkService, error) {
	s, err := h.o.AppCheck.settings(r)
	if err != nil {
		return nil, err
	}
	m, err := changedMode(r.args["service"], *q, mask(r))
	if err != nil {
		return nil, err
	}
	if err := s.Set(ctx, []appcheck.ServiceMode{m}); err != nil {
		return nil, err
	}
	return h.getService(ctx, r, &none{})
}

// updateServices changes the modes of several services, all or none.
func (h *Handler) updateServices(ctx context.Context, r *request, q *servicesUpdate) (*checkServices, error) {
	s, err := h.o.AppCheck.settings(r)
	if err != nil {
		return nil, err
	}
	all := make([]appcheck.ServiceMode, 0, len(q.Requests))
	for _, one := range q.Requests {
		id, ok := strings.CutPrefix(one.Service.Name, servicesOf(r))
		if !ok {
			return nil, fault.E(fault.InvalidArgument, "The service %.128q is not of the project.", one.Service.Name)
		}
		text := one.UpdateMask
		if text == "" {
			text = q.UpdateMask
		}
		m, err := changedMode(id, one.Service, fieldsOf(text))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	if err := s.Set(ctx, all); err != nil {
		return nil, err
	}
	return h.listServices(ctx, r, &none{})
}

// shownDebugToken returns a debug token as the API shows it, without the token.
func shownDebugToken(r *request, i debugtoken.Info) debugToken {
	return debugToken{
		Name:        "projects/" + r.call.Project + "/apps/" + i.App + "/debugTokens/" + i.ID,
		DisplayName: i.Name, UpdateTime: i.Created.Format(time.RFC3339),
	}
}

// debugTokensOf returns the debug tokens of a request's app.
func (h *Handler) debugTokensOf(ctx context.Context, r *request) ([]debugtoken.Info, error) {
	if _, err := h.o.AppCheck.settings(r); err != nil {
		return nil, err
	}
	all, err := h.o.AppCheck.DebugTokens.List(ctx, r.call.Project)
	return slices.DeleteFunc(all, func(i debugtoken.Info) bool { return i.App != r.args["app"] }), err
}

// listDebugTokens lists the debug tokens of an app.
func (h *Handler) listDebugTokens(ctx context.Context, r *request, _ *none) (*debugTokens, error) {
	all, err := h.debugTokensOf(ctx, r)
	out := &debugTokens{}
	for _, i := range all {
		out.DebugTokens = append(out.DebugTokens, shownDebugToken(r, i))
	}
	return out, err
}

// getDebugToken returns a debug token of an app.
func (h *Handler) getDebugToken(ctx context.Context, r *request, _ *none) (*debugToken, error) {
	return h.findDebugToken(ctx, r, r.args["debugToken"])
}

// findDebugToken returns a debug token of an app by its id.
func (h *Handler) findDebugToken(ctx context.Context, r *request, id string) (*debugToken, error) {
	all, err := h.debugTokensOf(ctx, r)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(i debugtoken.Info) bool { return i.ID == id })
	if i < 0 {
		return nil, fault.E(fault.NotFound, "The app has no debug token %.64q.", id)
	}
	out := shownDebugToken(r, all[i])
	return &out, nil
}

// createDebugToken registers a debug token.
func (h *Handler) createDebugToken(ctx context.Context, r *request, q *debugToken) (*debugToken, error) {
	if _, err := h.o.AppCheck.settings(r); err != nil {
		return nil, err
	}
	if q.Token == "" {
		return nil, fault.E(fault.InvalidArgument, "The token is missing: a random UUID of version 4.")
	}
	id, err := h.o.AppCheck.DebugTokens.Add(ctx, r.call.Project, r.args["app"], q.DisplayName, q.Token)
	if err != nil {
		return nil, err
	}
	return h.findDebugToken(ctx, r, id)
}

// updateDebugToken renames a debug token.
func (h *Handler) updateDebugToken(ctx context.Context, r *request, q *debugToken) (*debugToken, error) {
	if _, err := h.o.AppCheck.settings(r); err != nil {
		return nil, err
	}
	for _, name := range mask(r) {
		if name != "displayName" && name != "*" {
			return nil, fault.E(fault.InvalidArgument, "Only displayName of a debug token can be changed.")
		}
	}
	if err := h.o.AppCheck.DebugTokens.Rename(ctx, r.call.Project, r.args["app"], r.args["debugToken"], q.DisplayName); err != nil {
		return nil, err
	}
	return h.getDebugToken(ctx, r, &none{})
}

// deleteDebugToken removes a debug token.
func (h *Handler) deleteDebugToken(ctx context.Context, r *request, _ *none) (*none, error) {
	if _, err := h.o.AppCheck.settings(r); err != nil {
		return nil, err
	}
	return &none{}, h.o.AppCheck.DebugTokens.Remove(ctx, r.call.Project, r.args["app"], r.args["debugToken"])
}
