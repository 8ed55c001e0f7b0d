package pages

import (
	"context"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"strings"

	"clave/server/internal/base/fault"
)

// linkFile is the built page of the newsletter's links. A text replaces linkMark in it.
const (
	linkFile = "boletin/plantilla.html"
	linkMark = "<!--baja-->"
)

// Subscriptions are those of the newsletter.
type Subscriptions interface {
	// Subscriber returns the address of an unsubscribe link's token.
	Subscriber(token string) (string, error)
	// Unsubscribe erases the subscriptions of the address of an unsubscribe link's token.
	Unsubscribe(ctx context.Context, token string) error
	// Confirming returns the address of a confirmation link's token.
	Confirming(token string) (string, error)
	// Confirm confirms the address of a confirmation link's token.
	Confirm(ctx context.Context, token string) error
}

// linkText has the texts of a link's page. A GET of a link changes nothing, because programs that scan e-mails
// follow links.
type linkText struct{ Question, Button, Done, Invalid, Failed string }

// unsubscribing and confirming are the texts of the two links.
var (
	unsubscribing = linkText{
		"¿Quieres dejar de recibir el boletín en", "Darme de baja", "Listo: ya no recibirás el boletín. Borramos tu correo de la lista.",
		"Este enlace no es válido o está incompleto. Escríbenos y te damos de baja.", "No pudimos darte de baja. Intenta de nuevo en unos minutos.",
	}
	confirming = linkText{
		"¿Quieres recibir el boletín en", "Confirmar mi suscripción", "¡Gracias! Tu suscripción al boletín quedó confirmada.",
		"Este enlace no es válido o ya venció. Suscríbete de nuevo y te enviaremos otro.", "No pudimos confirmar tu suscripción. Intenta de nuevo en unos minutos.",
	}
)

// linkPage shows the question with its form, or the result.
var linkPage = template.Must(template.New("link").Parse(`<h1 class="titulo-1">Boletín</h1>
{{if eq .State "question"}}<p class="entrada mt-5 mb-7 wrap-anywhere">{{.Words.Question}} {{.Email}}?</p>
<form method="post"><button type="submit" class="boton boton-primario">{{.Words.Button}}</button></form>
{{else if eq .State "done"}}<p class="entrada mt-5 mb-7" role="status">{{.Words.Done}}</p>
{{else if eq .State "invalid"}}<p class="entrada mt-5 mb-7" role="alert">{{.Words.Invalid}}</p>
{{else}}<p class="entrada mt-5 mb-7" role="alert">{{.Words.Failed}}</p>
<form method="post"><button type="submit" class="boton boton-primario">{{.Words.Button}}</button></form>
{{end}}`))

// link returns the handler of GET and POST of a link.
func (h *handler) link(words linkText, whose func(string) (string, error), act func(context.Context, string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token := r.URL.Query().Get("t")
		email, err := whose(token)
		state, status := "question", http.StatusOK
		if err == nil && r.Method == http.MethodPost {
			state = "done"
			ctx, cancel := context.WithTimeout(r.Context(), eraseTime)
			err = act(ctx, token)
			cancel()
		}
		if err != nil {
			state, status = "failed", http.StatusServiceUnavailable
			if fault.FromError(err).Code == fault.InvalidArgument {
				state, status = "invalid", http.StatusNotFound
			} else {
				h.o.Log.ErrorContext(r.Context(), "a link of the newsletter failed", "path", r.URL.Path, "error", err)
			}
		}
		h.linkAnswer(w, r, words, state, email, status)
	}
}

// linkAnswer writes a link's page.
func (h *handler) linkAnswer(w http.ResponseWriter, r *http.Request, words linkText, state, email string, status int) {
	page, fileErr := fs.ReadFile(h.o.Site, linkFile)
	before, after, ok := strings.Cut(string(page), linkMark)
	var text strings.Builder
	err := linkPage.Execute(&text, struct {
		State, Email string
		Words        linkText
	}{state, email, words})
	if err := errors.Join(fileErr, err); err != nil || !ok {
		h.o.Log.ErrorContext(r.Context(), "the page of a newsletter's link cannot be made", "error", err)
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", cacheNever)
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Referrer-Policy", "no-referrer") // the address holds the link's token
	w.WriteHeader(status)
	_, _ = w.Write([]byte(before + text.String() + after)) // the client may have disconnected
}
