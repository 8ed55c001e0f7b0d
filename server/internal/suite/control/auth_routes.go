package control

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"clave/server/internal/auth/api"
	"clave/server/internal/auth/service"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/httpjson"
)

// maxConfigBody is the maximum size of a body with Auth's settings.
const maxConfigBody = 1 << 20

// Accounts returns the handler of the control routes of Auth, for `clave start`; all clients of the port may use them:
//
//	          /                                                   reports that the emulator runs
//	DELETE    /emulator/v1/projects/P[/tenants/T]/accounts         deletes all accounts
//	GET PATCH /emulator/v1/projects/P[/tenants/T]/config           the settings that tests change
//	GET       /emulator/v1/projects/P[/tenants/T]/oobCodes         the codes sent by e-mail
//	GET       /emulator/v1/projects/P[/tenants/T]/verificationCodes those sent by text message
//	GET       /emulator/action                                    follows a link that was sent by e-mail
//	GET       /emulator/auth/handler and /emulator/auth/iframe     pages of signInWithPopup and signInWithRedirect
//	GET       /emulator/auth/popups.js                           their script instead of Google's
//
// Other requests go to next.
func Accounts(s *service.Service, next http.Handler) http.Handler {
	h := &accounts{service: s}
	mux := http.NewServeMux()
	mux.Handle("/", next)
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		httpjson.Write(w, http.StatusOK, map[string]any{"authEmulator": map[string]any{
			"ready": true, "docs": "https://firebase.google.com/docs/emulator-suite", "apiSpec": "/emulator/openapi.json",
		}})
	})
	mux.HandleFunc("GET /emulator/action", h.action)
	h.signInPages(mux)
	for _, path := range []string{projectPath, projectPath + "/tenants/{tenant}"} {
		mux.HandleFunc("DELETE "+path+"/accounts", accountRoute(h.clear))
		mux.HandleFunc("GET "+path+"/oobCodes", accountRoute(h.oobCodes))
		mux.HandleFunc("GET "+path+"/verificationCodes", accountRoute(h.verificationCodes))
		mux.HandleFunc("GET "+path+"/config", accountRoute(h.config))
		mux.HandleFunc("PATCH "+path+"/config", accountRoute(h.config))
	}
	return mux
}

// SignInPages serves the pages of signInWithPopup and signInWithRedirect on the port of a site, and passes other
// requests to next. After a redirect, browsers that keep the storage of frames apart by origin show the frame what the
// handler stored only if the site, the handler and the frame have one origin.
func SignInPages(s *service.Service, next http.Handler) http.Handler {
	pages := http.NewServeMux()
	(&accounts{service: s}).signInPages(pages)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/emulator/auth/") {
			pages.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// accounts serves the control routes of Auth.
type accounts struct{ service *service.Service }

// signInPages adds the pages of signInWithPopup and signInWithRedirect.
func (h *accounts) signInPages(mux *http.ServeMux) {
	mux.HandleFunc("GET /emulator/auth/handler", h.handlerPage)
	mux.HandleFunc("GET /emulator/auth/iframe", framePage)
	mux.HandleFunc("GET /emulator/auth/popups.js", api.WritePopups)
}

// accountRoute finds the project and the tenant that a path names. No id has a zero byte: keys of accounts end with it.
func accountRoute(serve func(http.ResponseWriter, *http.Request, service.Call)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		call := service.Call{Project: r.PathValue("project"), Tenant: r.PathValue("tenant"), Admin: true, Origin: "http://" + r.Host}
		if strings.Contains(r.URL.Path, "\x00") {
			http.NotFound(w, r)
			return
		}
		serve(w, r, call)
	}
}

// clear deletes all accounts.
func (h *accounts) clear(w http.ResponseWriter, r *http.Request, call service.Call) {
	reply(w, struct{}{}, h.service.Clear(r.Context(), call))
}

// oobCodes returns the codes sent by e-mail.
func (h *accounts) oobCodes(w http.ResponseWriter, r *http.Request, call service.Call) {
	codes, err := h.service.SentCodes(r.Context(), call)
	reply(w, map[string]any{"oobCodes": codes}, err)
}

// verificationCodes returns the codes sent by text message.
func (h *accounts) verificationCodes(w http.ResponseWriter, r *http.Request, call service.Call) {
	codes, err := h.service.SentSMSCodes(r.Context(), call)
	reply(w, map[string]any{"verificationCodes": codes}, err)
}

// config returns or changes settings.
func (h *accounts) config(w http.ResponseWriter, r *http.Request, call service.Call) {
	var body map[string]any
	if r.Method == http.MethodPatch {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxConfigBody))
		if err != nil || json.Unmarshal(text, &body) != nil || body == nil {
			reply(w, nil, fault.E(fault.InvalidArgument, "Invalid JSON payload received."))
			return
		}
	}
	shown, err := h.service.EmulatorConfig(r.Context(), call, body)
	reply(w, shown, err)
}
