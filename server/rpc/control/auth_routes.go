package control

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"clave/server/fault"
	"clave/server/httpjson"
	"clave/server/identity"
)

// maxConfigBody is the greatest body that changes Auth's settings.
const maxConfigBody = 1 << 20

// Accounts answers the control routes of Auth, for `clave start`; everybody who reaches the port may use them:
//
//	GET       /                                                   says that it is there
//	DELETE    /emulator/v1/projects/P[/tenants/T]/accounts         deletes all accounts
//	GET PATCH /emulator/v1/projects/P/config                       the settings that tests change
//	GET       /emulator/v1/projects/P[/tenants/T]/oobCodes         the codes sent by e-mail
//	GET       /emulator/v1/projects/P[/tenants/T]/verificationCodes those sent by text message
//	GET       /emulator/action                                    follows a link that was sent by e-mail
//	GET       /emulator/auth/handler and /emulator/auth/iframe     pages of signInWithPopup and signInWithRedirect
//
// What is none of them is given to next.
func Accounts(s *identity.Service, next http.Handler) http.Handler {
	return &accounts{service: s, next: next}
}

// accounts answers the control routes of Auth.
type accounts struct {
	service *identity.Service
	next    http.Handler
}

// ServeHTTP answers a request.
func (h *accounts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/":
		httpjson.Write(w, http.StatusOK, map[string]any{"authEmulator": map[string]any{
			"ready": true, "docs": "https://firebase.google.com/docs/emulator-suite", "apiSpec": "/emulator/openapi.json",
		}})
		return
	case "/emulator/action":
		if r.Method == http.MethodGet {
			h.action(w, r)
			return
		}
	}
	if h.widget(w, r) {
		return
	}
	call, what, ok := accountRoute(r.URL.Path)
	if !ok {
		h.next.ServeHTTP(w, r)
		return
	}
	call.Origin = "http://" + r.Host
	ctx := r.Context()
	switch r.Method + " " + what {
	case "DELETE accounts":
		reply(w, struct{}{}, h.service.Clear(ctx, call))
	case "GET oobCodes":
		codes, err := h.service.SentCodes(ctx, call)
		reply(w, map[string]any{"oobCodes": codes}, err)
	case "GET verificationCodes":
		codes, err := h.service.SentSMSCodes(ctx, call)
		reply(w, map[string]any{"verificationCodes": codes}, err)
	case "GET config", "PATCH config":
		h.config(w, r, call)
	default:
		h.next.ServeHTTP(w, r)
	}
}

// accountRoute takes a path apart into the project and tenant and what is asked of them.
func accountRoute(path string) (c identity.Call, what string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/emulator/v1/projects/")
	if !ok {
		return c, "", false
	}
	segments := strings.Split(rest, "/")
	switch {
	case strings.Contains(rest, "\x00") || segments[0] == "":
		return c, "", false
	case len(segments) == 2:
		return identity.Call{Project: segments[0], Admin: true}, segments[1], true
	case len(segments) == 4 && segments[1] == "tenants" && segments[2] != "":
		return identity.Call{Project: segments[0], Tenant: segments[2], Admin: true}, segments[3], true
	}
	return c, "", false
}

// config shows or changes settings.
func (h *accounts) config(w http.ResponseWriter, r *http.Request, call identity.Call) {
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

// action follows a link that was sent by e-mail, as the page behind it would.
func (h *accounts) action(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	code := q.Get("oobCode")
	call := identity.Call{Project: h.service.Project(), Tenant: q.Get("tenantId"), Address: r.RemoteAddr, Origin: "http://" + r.Host}
	if q.Get("apiKey") == "" || code == "" && q.Get("mode") != "" {
		actionError(w, "missing apiKey or oobCode query parameter")
		return
	}
	var err error
	success := "The email has been successfully verified."
	switch q.Get("mode") {
	case "recoverEmail":
		_, err = h.service.Update(r.Context(), call, &identity.UpdateRequest{OobCode: &code})
		success = "The email has been successfully reset."
	case "verifyEmail", "verifyAndChangeEmail":
		_, err = h.service.Update(r.Context(), call, &identity.UpdateRequest{OobCode: &code})
	case "resetPassword":
		if !q.Has("newPassword") {
			actionError(w, "missing newPassword query parameter: to reset the password for the user, add &newPassword=NEW_PASSWORD_HERE to the URL")
			return
		}
		password := q.Get("newPassword")
		_, err = h.service.ResetPassword(r.Context(), call, &identity.ResetRequest{OobCode: &code, NewPassword: &password})
		success = "The password has been successfully updated."
	case "signIn":
		if !q.Has("continueUrl") {
			actionError(w, "missing continueUrl query parameter")
			return
		}
	default:
		actionError(w, "invalid mode")
		return
	}
	if err != nil {
		actionError(w, fault.Of(err).Message)
		return
	}
	if to, err := url.Parse(q.Get("continueUrl")); err == nil && to.IsAbs() {
		if q.Get("mode") == "signIn" {
			all := to.Query()
			for name, values := range q {
				if name != "continueUrl" {
					all[name] = values
				}
			}
			to.RawQuery = all.Encode()
		}
		http.Redirect(w, r, to.String(), http.StatusSeeOther)
		return
	}
	httpjson.Write(w, http.StatusOK, map[string]any{"authEmulator": map[string]any{"success": success, "email": ""}})
}

// actionError says what is wrong with a link.
func actionError(w http.ResponseWriter, text string) {
	httpjson.Write(w, http.StatusBadRequest, map[string]any{"authEmulator": map[string]any{
		"error": text, "instructions": "If you're trying to test the flow, ask for a new link and follow it once.",
	}})
}
