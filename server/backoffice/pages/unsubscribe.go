package pages

import (
	"context"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"strings"

	"clave/server/fault"
)

// unsubscribeFile is the built page, in which unsubscribeText replaces unsubscribeMark.
const (
	unsubscribeFile = "boletin/plantilla.html"
	unsubscribeMark = "<!--baja-->"
)

// Subscriptions are the newsletter's.
type Subscriptions interface {
	// Subscriber returns the address of an unsubscribe link's token.
	Subscriber(token string) (string, error)
	// Unsubscribe erases its subscriptions.
	Unsubscribe(ctx context.Context, token string) error
}

// unsubscribeText is the form for confirming, and the result. Following a link alone erases nothing:
// programs that scan e-mails follow links too.
var unsubscribeText = template.Must(template.New("unsubscribe").Parse(`<h1 class="titulo-1">Boletín</h1>
{{if eq .State "ask"}}<p class="entrada mt-5 mb-7 wrap-anywhere">¿Quieres dejar de recibir el boletín en {{.Email}}?</p>
<form method="post"><button type="submit" class="{{.Button}}">Darme de baja</button></form>
{{else if eq .State "done"}}<p class="entrada mt-5 mb-7" role="status">Listo: ya no recibirás el boletín. Borramos tu correo de la lista.</p>
{{else if eq .State "invalid"}}<p class="entrada mt-5 mb-7" role="alert">Este enlace no es válido o está incompleto. Escríbenos y te damos de baja.</p>
{{else}}<p class="entrada mt-5 mb-7" role="alert">No pudimos darte de baja. Intenta de nuevo en unos minutos.</p>
<form method="post"><button type="submit" class="{{.Button}}">Darme de baja</button></form>
{{end}}`))

// unsubscribe answers GET and POST of an unsubscribe link.
func (h *handler) unsubscribe(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("t")
	email, err := h.o.Subscriptions.Subscriber(token)
	state, status := "ask", http.StatusOK
	if err == nil && r.Method == http.MethodPost {
		state = "done"
		ctx, cancel := context.WithTimeout(r.Context(), eraseTime)
		err = h.o.Subscriptions.Unsubscribe(ctx, token)
		cancel()
	}
	if err != nil {
		state, status = "failed", http.StatusServiceUnavailable
		if fault.Of(err).Code == fault.InvalidArgument {
			state, status = "invalid", http.StatusNotFound
		} else {
			h.o.Log.ErrorContext(r.Context(), "unsubscribing failed", "error", err)
		}
	}
	page, fileErr := fs.ReadFile(h.o.Site, unsubscribeFile)
	before, after, ok := strings.Cut(string(page), unsubscribeMark)
	var text strings.Builder
	button := "boton boton-primario"
	if err := errors.Join(fileErr, unsubscribeText.Execute(&text, struct{ State, Email, Button string }{state, email, button})); err != nil || !ok {
		h.o.Log.ErrorContext(r.Context(), "the page of unsubscribing cannot be made", "error", err)
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", never)
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Referrer-Policy", "no-referrer") // the address holds the link's token
	w.WriteHeader(status)
	_, _ = w.Write([]byte(before + text.String() + after)) // the client may have disconnected
}
