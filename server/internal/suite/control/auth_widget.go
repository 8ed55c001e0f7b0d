package control

import (
	_ "embed"
	"html/template"
	"net/http"
	"unicode"
	"unicode/utf8"

	"clave/server/internal/httpx/httpjson"
)

// The pages that web SDKs open for signInWithPopup and signInWithRedirect: the handler, in which a person picks or
// makes up an account of a provider, and the frame, which passes the result to the page. Browser tests drive the
// handler by the ids, classes, labels and title of the official emulator's.
//
//go:embed auth_handler.html
var handlerHTML string

//go:embed auth_frame.html
var frameHTML string

// handlerPage is the handler; it shows the accounts of the project.
var handlerPage = template.Must(template.New("handler").Parse(handlerHTML))

// handlerPage serves the handler.
func (h *accounts) handlerPage(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("apiKey") == "" || q.Get("providerId") == "" {
		httpjson.Write(w, http.StatusBadRequest, map[string]any{"authEmulator": map[string]any{"error": "missing apiKey or providerId query parameters"}})
		return
	}
	pageHeaders(w)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'")
	provider := q.Get("providerId")
	// It fails only when the client has disconnected.
	_ = handlerPage.Execute(w, struct{ Project, Provider, Name string }{h.service.Project(), provider, shownProvider(provider)})
}

// framePage serves the frame.
func framePage(w http.ResponseWriter, _ *http.Request) {
	pageHeaders(w)
	_, _ = w.Write([]byte(frameHTML))
}

// shownProvider returns a provider's id as the page shows it: google.com as Google.com.
func shownProvider(id string) string {
	r, size := utf8.DecodeRuneInString(id)
	return string(unicode.ToUpper(r)) + id[size:]
}

// pageHeaders are the headers of both pages.
func pageHeaders(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
}
