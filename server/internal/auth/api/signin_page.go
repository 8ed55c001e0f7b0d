package api

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"clave/server/internal/auth/service"
	"clave/server/internal/base/pattern"
	"clave/server/internal/base/randid"
)

// The last parts of the paths of the pages that web SDKs open for signInWithPopup and signInWithRedirect, and of the
// script of one. The first parts are those of Firebase's servers and, for clients with connectAuthEmulator, of the
// official emulator.
const (
	handlerPage = "/auth/handler"
	framePage   = "/auth/iframe"
	popupsPath  = "/auth/popups.js"
)

// frameHTML is the frame, which passes the result of a sign-in to the page that contains it.
//
//go:embed signin_frame.html
var frameHTML []byte

// popupsJS is the script that connects pages with the frame without Google's library.
//
//go:embed signin_popups.js
var popupsJS []byte

// handlerHTML is the handler. It sends the browser to a provider, and receives the provider's response, which it passes
// to the frame or keeps for it.
//
//go:embed signin_handler.html
var handlerHTML string

// handlerTemplate is the handler's template.
var handlerTemplate = template.Must(template.New("handler").Parse(handlerHTML))

// signInWords are the handler's texts in one language.
type signInWords struct {
	Lang    string `json:"-"`
	Title   string `json:"-"`
	Wait    string `json:"-"`
	Bad     string `json:"bad"`
	Domain  string `json:"domain"`
	Lost    string `json:"lost"`
	Closed  string `json:"closed"`
	Refused string `json:"refused"`
}

// signInTexts are the handler's texts by language.
var signInTexts = map[string]signInWords{
	"es": {
		"es", "Iniciar sesión", "Un instante…", "Falta información en la solicitud de inicio de sesión. Vuelve a la página e inténtalo de nuevo.",
		"El dominio de la página no está autorizado para iniciar sesión en este proyecto.",
		"Este inicio de sesión no empezó en esta ventana, o el navegador borró sus datos. Vuelve a la página e inténtalo de nuevo.",
		"La página que abrió esta ventana ya no está. Cierra la ventana e inténtalo de nuevo.", "El servidor no pudo empezar el inicio de sesión:",
	},
	"en": {
		"en", "Sign in", "One moment…", "The sign-in request lacks information. Go back to the page and try again.",
		"The domain of the page is not authorized for sign-in to this project.",
		"This sign-in did not begin in this window, or the browser removed its data. Go back to the page and try again.",
		"The page that opened this window is gone. Close the window and try again.", "The server could not begin the sign-in:",
	},
}

// signInData is what the handler's script reads.
type signInData struct {
	Words signInWords `json:"words"`
	// Begin is set for a sign-in that begins, and Answer for a provider's response, whose form is Posted if it has one.
	Begin bool `json:"begin"`
	// Query are the parameters of a sign-in that begins. The script must use these, which were checked, and not read the
	// address itself: browsers and this server read some addresses differently.
	Query  map[string]string `json:"query,omitempty"`
	Answer bool              `json:"answer"`
	Posted string            `json:"posted"`
}

// shownHandler is the handler's page.
type shownHandler struct {
	Words        signInWords
	Problem      string
	Script, Data string
}

// signInPage serves the handler, the frame or its script if the request's path is that of one, and reports whether it
// is.
func (h *Handler) signInPage(w http.ResponseWriter, r *http.Request) bool {
	rest, ok := strings.CutPrefix(r.URL.Path, "/__")
	if !ok {
		rest, ok = strings.CutPrefix(r.URL.Path, "/emulator")
	}
	switch {
	case !ok || !h.o.SignInPages:
		return false
	case rest == framePage && r.Method == http.MethodGet:
		h.frame(w, r)
	case rest == popupsPath && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		WritePopups(w, r)
	case rest == handlerPage && (r.Method == http.MethodGet || r.Method == http.MethodPost):
		h.handler(w, r)
	default:
		return false
	}
	return true
}

// frame serves the frame to pages of the project's authorized domains. It passes the provider's response and the
// session id to the page around it, which signs in with them as the user, so no other site may contain it.
func (h *Handler) frame(w http.ResponseWriter, r *http.Request) {
	policy := "frame-ancestors 'self'"
	project, err := h.service.GetProject(r.Context(), h.describeCall(r), &service.PublicRequest{})
	if err != nil {
		h.o.Log.Error("cannot read the authorized domains for the frame of a sign-in", "error", err)
	} else {
		for _, domain := range project.AuthorizedDomains {
			if !sourceHost.MatchString(domain) {
				continue // It would end the policy or add to it.
			}
			for _, source := range []string{"http://", "http://*.", "https://", "https://*."} {
				policy += " " + source + domain + ":*"
			}
		}
	}
	w.Header().Set("Content-Security-Policy", policy)
	WriteFrame(w)
}

// sourceHost matches the hosts that a Content-Security-Policy can name.
var sourceHost = pattern.New(`^[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$`)

// WriteFrame writes the frame's page.
func WriteFrame(w http.ResponseWriter) {
	pageHeaders(w)
	_, _ = w.Write(frameHTML) // It fails only when the client has disconnected.
}

// WritePopups writes the script that connects pages with the frame. Pages of all sites may load it: it has no secret.
func WritePopups(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	_, _ = w.Write(popupsJS) // It fails only when the client has disconnected.
}

// pageHeaders sets the headers of both pages. The handler's address has the provider's response, which no other server
// must receive as referrer.
func pageHeaders(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
}

// handler serves the handler.
func (h *Handler) handler(w http.ResponseWriter, r *http.Request) {
	const enough = 1 << 20 // SAML responses are large.
	r.Body = http.MaxBytesReader(w, r.Body, enough)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	words := signInTexts["en"]
	if strings.HasPrefix(r.Header.Get("Accept-Language"), "es") {
		words = signInTexts["es"]
	}
	data, shown, status := signInData{Words: words, Posted: r.PostForm.Encode()}, shownHandler{Words: words}, http.StatusOK
	switch q := r.URL.Query(); { // ParseForm has refused what is not valid in it
	case r.Method == http.MethodPost || q.Get("state") != "" || q.Get("error") != "" || len(q) == 0:
		data.Answer = true // The fragment may have the response.
	case q.Get("apiKey") == "" || q.Get("providerId") == "":
		shown.Problem, status = words.Bad, http.StatusBadRequest
	case !h.mayReturn(h.describeCall(r), q):
		shown.Problem, status = words.Domain, http.StatusForbidden
	default:
		data.Begin, data.Query = true, make(map[string]string, len(q))
		for name := range q {
			data.Query[name] = q.Get(name)
		}
	}
	text, err := json.Marshal(data)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	const size = 16
	shown.Data, shown.Script = string(text), randid.New(size)
	pageHeaders(w)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+shown.Script+"'; style-src 'unsafe-inline'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'")
	w.WriteHeader(status)
	if err := handlerTemplate.Execute(w, shown); err != nil {
		h.o.Log.Error("cannot write the page of a sign-in", "error", err)
	}
}

// mayReturn reports whether a sign-in may return to the page that began it: its address must be of an authorized
// domain, so that the handler leads to no other site. SDKs send it for popups too, which do not return.
func (h *Handler) mayReturn(call service.Call, q url.Values) bool {
	return h.service.MayContinue(call, q.Get("redirectUrl"))
}
