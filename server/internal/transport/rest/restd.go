// Package rest serves Firestore over HTTP and JSON: it converts paths and bodies to messages for database/api,
// responses to JSON, and errors to the bodies of Google's servers. Like those it is strict about paths: a path that
// names no method is a plain 404.
//
// A path is /v1/projects/P/databases/D/documents[/…][:method]. Bodies omit database, parent and name, which the path
// contains. Bodies may be compressed by gzip, and responses are if the client accepts it. Of Google's system
// parameters, fields (or the header X-Goog-FieldMask) and prettyPrint are supported.
package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/api"
	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/httpx/encoding"
	"clave/server/internal/limit/parse"
	"clave/server/internal/model/wire"
	"clave/server/internal/observe/meter"
	"clave/server/internal/transport/calls"
)

// Options configure the handler.
type Options struct {
	// Firestore answers the calls.
	Firestore *api.Server
	// Tokens identifies callers.
	Tokens token.Callers
	// AppCheck decides about clients by their App Check tokens; nil allows all.
	AppCheck *appcheck.Checker
	// ProxyHops is the number of trusted reverse proxies that append the client's address to X-Forwarded-For.
	ProxyHops int
	// Parsing limits the memory of large bodies that are parsed; nil means a separate limit.
	Parsing *parse.Limit
	// Meter counts calls; nil counts nothing.
	Meter *meter.Meter
	// Log receives internal errors; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Parsing == nil {
		o.Parsing = parse.New(0)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Firestore == nil || o.Tokens == nil {
		return errors.New("restd: needs a Firestore server and a token verifier")
	}
	return nil
}

// New returns the handler.
func New(o Options) (http.Handler, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	d := &handler{o: o, counted: o.Meter.Calls("rest", slices.Collect(maps.Keys(calls.ByName)), nil)}
	d.buffers.New = func() any { return new([]byte) }
	return d, nil
}

// handler answers requests.
type handler struct {
	o Options
	// counted counts the calls.
	counted *meter.Calls
	// buffers are *[]byte in which responses are built.
	buffers sync.Pool
}

// ServeHTTP answers a request.
func (d *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, ok := parseTarget(methodOf(r), r.URL.EscapedPath())
	call, known := calls.ByName[t.method]
	if !ok || !known {
		d.counted.BeginIn(r.Context(), meter.Other).End(fault.NotFound)
		http.NotFound(w, r)
		return
	}
	code := fault.Unknown // of a call that panics
	counted := d.counted.BeginIn(r.Context(), t.method)
	defer func() { counted.End(code) }()
	buffer := d.buffers.Get().(*[]byte)
	packable := encoding.Accepts(r.Header.Get("Accept-Encoding"), "gzip")
	out := &answer{w: w, stream: call.Answers && call.Message == nil, packable: packable, buf: (*buffer)[:0]}
	defer func() {
		if cap(out.buf) <= flushAt { // A larger buffer is not kept for the next response.
			*buffer = out.buf
			d.buffers.Put(buffer)
		}
	}()
	err := d.serve(r, t, call, out)
	code = wire.Code(err)
	if err != nil {
		if wire.Unnamed(err) {
			d.o.Log.Error("call failed", "transport", "rest", "method", t.method, "path", r.URL.Path, "error", err)
		}
		out.fail(err)
		return
	}
	out.end()
}

// methodOf returns the method of a request. Behind proxies that pass only GET and POST, clients send POST and the
// method in a header, as with Google's servers. HEAD is GET without the body of the response.
func methodOf(r *http.Request) string {
	if r.Method == http.MethodHead {
		return http.MethodGet
	}
	if meant := r.Header.Get("X-HTTP-Method-Override"); meant != "" && r.Method == http.MethodPost {
		return strings.ToUpper(meant)
	}
	return r.Method
}

// serve does the call.
func (d *handler) serve(r *http.Request, t target, call *calls.Call, out *answer) error {
	caller, err := d.o.Tokens.Caller(r.Context(), r.Header.Get("Authorization"), t.db.Project)
	if err == nil && !caller.Privileged {
		err = d.o.AppCheck.Check(appcheck.Firestore, t.db.Project, r.Header.Get(appcheck.Header))
	}
	if err != nil {
		return err
	}
	caller.Address = clientaddr.Address(r, d.o.ProxyHops)
	params := r.URL.Query()
	if call.Message != nil {
		return fault.E(fault.Unimplemented, "Method %s/%s is unimplemented over REST", calls.Service, call.Name)
	}
	if out.system, err = parseSystem(params, r.Header, call.Answer); err != nil {
		return err
	}
	var body []byte
	var share *parse.Share
	if call.HasBody {
		if body, share, err = d.body(r); err != nil {
			return err
		}
		defer share.Release()
	}
	m := call.Request()
	maps.DeleteFunc(params, func(name string, values []string) bool { return isSystem(name) || len(values) == 0 })
	if err := m.DecodeJSON(string(body), params, t); err != nil {
		return err
	}
	return m.Serve(parse.With(r.Context(), share), d.o.Firestore, caller, out.send)
}

// answer writes the response of a call: one message, or an array of messages as they arrive.
type answer struct {
	w      http.ResponseWriter
	stream bool
	// packable is set if the client accepts gzip.
	packable bool
	system   system
	sent     int
	buf      []byte
}

// pruned is a response of which only some parts are sent.
type pruned struct {
	calls.Response
	message proto.Message
}

// AppendJSON implements calls.Response.
func (p pruned) AppendJSON(dst []byte) ([]byte, error) { return wire.AppendJSON(dst, p.message) }

// flushAt is the number of bytes of an array that are buffered before they are sent.
const flushAt = 16 << 10

// send takes one response.
func (a *answer) send(r calls.Response) error {
	if a.stream {
		if a.sent == 0 {
			a.buf = append(a.buf, '[')
		} else {
			a.buf = append(a.buf, ',', '\r', '\n')
		}
	}
	if a.system.fields != nil {
		m := r.Message()
		a.system.fields.prune(m)
		r = pruned{r, m}
	}
	from := len(a.buf)
	var err error
	if a.buf, err = r.AppendJSON(a.buf); err != nil {
		return err
	}
	if a.system.pretty {
		a.buf = indented(a.buf, from)
	}
	a.sent++
	if a.stream && len(a.buf) >= flushAt {
		return a.flush()
	}
	return nil
}

// indented returns a text with line breaks in the JSON that begins at a place.
func indented(text []byte, from int) []byte {
	var out bytes.Buffer
	// The output of AppendJSON is valid JSON.
	_ = json.Indent(&out, text[from:], "", "  ")
	return append(text[:from], out.Bytes()...)
}

// flush writes the buffer. The port limits the time in which the client must read it: the query holds its snapshot
// meanwhile.
func (a *answer) flush() error {
	a.w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_, err := a.w.Write(a.buf)
	a.buf = a.buf[:0]
	if err != nil {
		return fmt.Errorf("%w: %w", context.Canceled, err)
	}
	return nil
}

// end sends the rest of the buffer.
func (a *answer) end() {
	if a.stream {
		if a.sent == 0 {
			a.buf = append(a.buf, '[')
		}
		a.buf = append(a.buf, ']')
	}
	a.buf = append(a.buf, '\n')
	a.pack()
	// It fails only if the client has disconnected.
	_ = a.flush()
}

// fail sends an error. In an array it is an element; one that was begun on the wire ends with it.
func (a *answer) fail(err error) {
	body := wire.ErrorJSON(err)
	if a.stream {
		body = append(append([]byte{'['}, body...), ']', '\n')
	}
	if a.w.Header().Get("Content-Type") != "" {
		a.buf = append(append(a.buf, ",\r\n"...), body[1:]...)
		_ = a.flush()
		return
	}
	h := a.w.Header()
	h.Set("Content-Type", "application/json; charset=UTF-8")
	a.w.WriteHeader(wire.HTTP(wire.Code(err)))
	_, _ = a.w.Write(body)
}
