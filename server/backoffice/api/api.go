package api

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"time"

	"clave/server/backoffice"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/httpx/httpjson"
)

// maxBody is the maximum size of a request in bytes: short forms, an issue of the newsletter, or a page of addresses.
const maxBody = 128 << 10

// Options configure the handler.
type Options struct {
	// ProxyHops is the number of trusted proxies in front of the server that append to X-Forwarded-For. Zero: the
	// header is ignored and the connection's address counts.
	ProxyHops int
	// Log receives the causes of internal errors. Nil logs nothing.
	Log *slog.Logger
}

// handler holds the state of the HTTP handler.
type handler struct {
	service *backoffice.Service
	options Options
}

// Handler returns the HTTP handler of a service. It handles all requests under /api/, in JSON.
func Handler(service *backoffice.Service, o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &handler{service: service, options: o}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/admin/codigo", d.post(d.code))
	mux.HandleFunc("/api/admin/registro", d.post(d.register))
	mux.HandleFunc("/api/admin/datos/contar", d.post(d.count))
	mux.HandleFunc("/api/admin/datos/borrar", d.post(d.erase))
	mux.HandleFunc("/api/admin/boletin/bajas", d.post(d.unsubscribeTokens))
	mux.HandleFunc("/api/admin/boletin/confirmados", d.post(d.confirmations))
	mux.HandleFunc("/api/admin/imagenes", d.picture)
	mux.HandleFunc("/api/admin/boletin/estado", d.post(d.newsletter))
	mux.HandleFunc("/api/admin/boletin/vista", d.post(d.previewIssue))
	mux.HandleFunc("/api/admin/boletin/prueba", d.post(d.testIssue))
	mux.HandleFunc("/api/admin/boletin/enviar", d.post(d.startIssue))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d.refuse(w, r, problem{http.StatusNotFound, "not-found", "No existe."})
	})
	return mux
}

// problem is an error of a request that is not passed to the service.
type problem struct {
	status int
	name   backoffice.Name
	text   string
}

// Error returns the problem's text.
func (p problem) Error() string { return p.text }

// post accepts a POST of JSON, makes the call and writes its response or its error.
func (d *handler) post(call func(r *http.Request) (int, any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			d.refuse(w, r, problem{http.StatusMethodNotAllowed, "method-not-allowed", "Usa POST."})
			return
		}
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			d.refuse(w, r, problem{http.StatusUnsupportedMediaType, "unsupported-media-type", "Envía JSON."})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		status, answer, err := call(r)
		if err != nil {
			d.refuse(w, r, err)
			return
		}
		write(w, status, answer)
	}
}

// code answers POST /api/admin/codigo.
func (d *handler) code(r *http.Request) (int, any, error) {
	var in struct {
		Code string `json:"code"`
	}
	if err := read(r, &in); err != nil {
		return 0, nil, err
	}
	ticket, err := d.service.CheckCode(clientaddr.Address(r, d.options.ProxyHops), in.Code)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, struct {
		Ticket    string `json:"ticket"`
		ExpiresIn int    `json:"expiresIn"`
	}{ticket.Value, int(ticket.ExpiresIn / time.Second)}, nil
}

// register answers POST /api/admin/registro.
func (d *handler) register(r *http.Request) (int, any, error) {
	var in struct {
		Ticket    string `json:"ticket"`
		FirstName string `json:"firstName"`
		LastName  string `json:"lastName"`
		Email     string `json:"email"`
		Password  string `json:"password"`
	}
	if err := read(r, &in); err != nil {
		return 0, nil, err
	}
	made, err := d.service.Register(r.Context(), backoffice.Registration(in))
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, struct {
		UID         string `json:"uid"`
		Email       string `json:"email"`
		DisplayName string `json:"displayName"`
	}{made.UID, made.Email, made.DisplayName}, nil
}

// read decodes a request's body, which must be one JSON object.
func read(r *http.Request, into any) error {
	decoder := json.NewDecoder(r.Body)
	err := decoder.Decode(into)
	if err == nil {
		_, err = decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return problem{http.StatusRequestEntityTooLarge, "payload-too-large", "La solicitud es demasiado grande."}
	}
	return problem{http.StatusBadRequest, backoffice.InvalidArgument, "La solicitud no es válida."}
}

// refuse writes an error: a refusal by its name and text, a problem as it is, anything else as an internal error.
func (d *handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var p problem
	if errors.As(err, &p) {
		write(w, p.status, errorBody(p.name, p.text))
		return
	}
	f := fault.FromError(err)
	name, text := backoffice.Internal, "Ocurrió un error. Intenta de nuevo."
	var refusal *backoffice.Refusal
	if errors.As(err, &refusal) {
		name, text = refusal.Name, f.Message
		if refusal.RetryAfter > 0 {
			seconds := (refusal.RetryAfter + time.Second - 1) / time.Second
			w.Header().Set("Retry-After", strconv.Itoa(int(seconds)))
		}
	}
	status := statusOf(f.Code)
	if status >= http.StatusInternalServerError {
		d.options.Log.ErrorContext(r.Context(), "back office", "path", r.URL.Path, "error", f)
	}
	write(w, status, errorBody(name, text))
}

// errorBody is the body of all error responses.
func errorBody(name backoffice.Name, text string) any {
	type detail struct {
		Code    backoffice.Name `json:"code"`
		Message string          `json:"message"`
	}
	return struct {
		Error detail `json:"error"`
	}{detail{name, text}}
}

// statusOf returns the HTTP status of a canonical code.
func statusOf(code fault.Code) int {
	switch code {
	case fault.InvalidArgument, fault.FailedPrecondition:
		return http.StatusBadRequest
	case fault.PermissionDenied:
		return http.StatusForbidden
	case fault.AlreadyExists:
		return http.StatusConflict
	case fault.ResourceExhausted:
		return http.StatusTooManyRequests
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// write sends a JSON response that must not be cached.
func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	httpjson.Write(w, status, body)
}
