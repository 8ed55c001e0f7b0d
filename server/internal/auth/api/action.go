package api

import (
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/updateform"
	"clave/server/internal/base/fault"
)

// ActionPath is the path of the links in e-mails in production.
const ActionPath = "/__/auth/action"

// pages contains the template of the page to which links lead.
//
//go:embed action.html
var pages embed.FS

// page is the parsed page.
var page = template.Must(template.ParseFS(pages, "action.html"))

// words are the page's texts in one language.
type words struct {
	Lang, Reset, Verify, Change, Recover, Password, Go, Done, Next, Bad, Weak string
}

// texts are the page's texts by language.
var texts = map[string]words{
	"es": {
		"es", "Restablecer la contraseña", "Verificar el correo electrónico", "Confirmar el nuevo correo electrónico", "Deshacer el cambio de correo electrónico",
		"Contraseña nueva", "Continuar", "Listo.", "Volver al sitio", "El enlace no es válido o ya se usó. Pide uno nuevo.", "La contraseña no cumple los requisitos.",
	},
	"en": {
		"en", "Reset your password", "Verify your e-mail address", "Confirm your new e-mail address", "Undo the change of your e-mail address",
		"New password", "Continue", "Done.", "Back to the site", "The link is not valid or was used already. Request a new one.", "The password does not meet the requirements.",
	},
}

// shown holds the data of the page.
type shown struct {
	Words                 words
	Title, Message, Email string
	Code, Next, Tenant    string
	Mode                  string
	Form, WantsPassword   bool
}

// action serves the page to which links in e-mails lead. The page uses a link only when the user presses the button,
// because mail servers open links too.
func (h *Handler) action(w http.ResponseWriter, r *http.Request) {
	const enough = 64 << 10
	r.Body = http.MaxBytesReader(w, r.Body, enough)
	if r.Method != http.MethodGet && r.Method != http.MethodPost || r.ParseForm() != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	call := h.describeCall(r)
	call.Tenant = r.Form.Get("tenantId")
	s := shown{Words: texts["en"], Code: r.Form.Get("oobCode"), Mode: r.Form.Get("mode"), Tenant: call.Tenant}
	if strings.HasPrefix(r.Form.Get("lang"), "es") {
		s.Words = texts["es"]
	}
	call.Locale = s.Words.Lang // That of the e-mail to the former address, when a link changes it.
	// Only authorized domains: an open redirect would give phishing pages a link that begins with this server's name.
	if next := r.Form.Get("continueUrl"); next != "" && h.service.MayContinue(call, next) {
		s.Next = next
	}
	if s.Mode == "signIn" && s.Next != "" {
		http.Redirect(w, r, withQuery(s.Next, r.URL.Query()), http.StatusSeeOther)
		return
	}
	status := h.follow(r, call, &s)
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	w.WriteHeader(status)
	if err := page.Execute(w, s); err != nil {
		h.o.Log.Error("cannot write the page of an e-mail link", "error", err)
	}
}

// withQuery adds the parameters of a link to the URL to which it continues.
func withQuery(address string, q url.Values) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // MayContinue parsed it
	}
	all := u.Query()
	for name, values := range q {
		if name != "continueUrl" {
			all[name] = values
		}
	}
	u.RawQuery = all.Encode()
	return u.String()
}

// follow checks the link, or uses it if the user pressed the button, and sets the page's result.
func (h *Handler) follow(r *http.Request, call service.Call, s *shown) int {
	s.Title = map[string]string{
		"resetPassword": s.Words.Reset, "verifyEmail": s.Words.Verify, "verifyAndChangeEmail": s.Words.Change, "recoverEmail": s.Words.Recover,
	}[s.Mode]
	// Without a new password ResetPassword checks a code of any kind and changes nothing.
	checked, err := h.service.ResetPassword(r.Context(), call, &service.ResetRequest{OobCode: &s.Code})
	if err != nil || s.Title == "" {
		s.Title, s.Message = s.Words.Bad, ""
		return http.StatusBadRequest
	}
	s.Email, s.Form, s.WantsPassword = checked.Email, true, s.Mode == "resetPassword"
	if checked.NewEmail != "" {
		s.Email = checked.NewEmail
	}
	if r.Method == http.MethodGet {
		return http.StatusOK
	}
	if s.WantsPassword {
		password := r.PostForm.Get("newPassword")
		_, err = h.service.ResetPassword(r.Context(), call, &service.ResetRequest{OobCode: &s.Code, NewPassword: &password})
	} else {
		_, err = h.service.Update(r.Context(), call, &updateform.Request{OobCode: &s.Code})
	}
	if err == nil {
		s.Form, s.Message = false, s.Words.Done
		return http.StatusOK
	}
	switch code, _, _ := strings.Cut(fault.FromError(err).Message, " "); {
	case code == "WEAK_PASSWORD" || code == "PASSWORD_DOES_NOT_MEET_REQUIREMENTS":
		s.Message = s.Words.Weak
	default:
		s.Form, s.Message = false, s.Words.Bad
	}
	return http.StatusBadRequest
}
