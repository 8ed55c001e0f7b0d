package forward

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/httpx/custommethod"
	"clave/server/internal/transport/calls"
	"clave/server/internal/transport/port"
)

// Which requests a node that does not lead may serve by itself: reads of the latest state over gRPC and REST, and
// Listen over gRPC. Reads of a transaction need the leader's locks, and reads at a time chosen by the client need
// commits that may not have arrived. Unrecognized requests are forwarded.

// service is the prefix of the paths of Firestore's calls over gRPC.
const service = "/" + calls.Service + "/"

// listen is the path of Listen over gRPC.
const listen = service + "Listen"

// names lists the parameters and the members of REST requests that name a transaction or a time.
var names = []string{"transaction", "newTransaction", "new_transaction", "readTime", "read_time"}

// readingVerb reports whether a :verb of REST reads, by POST.
func readingVerb(verb string) bool {
	return slices.ContainsFunc(calls.All, func(c *calls.Call) bool { return c.Reads && c.Verb != "" && c.Verb == verb })
}

// Reading classifies a request or a call at a node that does not lead.
type Reading int

// The readings.
const (
	// Forward means that the leader must serve the request.
	Forward Reading = iota
	// Brief is a read of the latest state.
	Brief
	// Lasting is a stream of live queries.
	Lasting
)

// ReadingOfCall classifies a call of gRPC by its method and its message, which is not compressed.
func ReadingOfCall(method string, message []byte) Reading {
	if method == listen {
		return Lasting
	}
	name, ours := strings.CutPrefix(method, service)
	call := calls.ByName[name]
	if !ours || call == nil || !call.Reads || len(message) > maxKept {
		return Forward
	}
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 || slices.Contains(call.Pins, number) {
			return Forward
		}
		value := protowire.ConsumeFieldValue(number, kind, message[n:])
		if value < 0 {
			return Forward
		}
		message = message[n+value:]
	}
	return Brief
}

// ReadingOf classifies a request over HTTP by its parameters and its body. It restores what it reads of the body. The
// GetBody of a Brief request with a body returns the body again.
func ReadingOf(r *http.Request) Reading {
	if port.IsCall(r) || !ofDocuments(r.URL.Path) {
		return Forward
	}
	// A method override, and a query with $ or an escape, could mean something else to the handler than here.
	if r.Header.Get("X-Http-Method-Override") != "" || strings.Contains(r.URL.RawQuery, "$") || strings.Contains(r.URL.RawQuery, "%") {
		return Forward
	}
	for name := range r.URL.Query() {
		if slices.Contains(names, name) {
			return Forward
		}
	}
	switch _, method := custommethod.Cut(r.URL.Path); {
	case r.Method == http.MethodGet && method == "":
		return Brief
	case r.Method != http.MethodPost || !readingVerb(method) || r.ContentLength < 0 || r.ContentLength > maxKept:
		return Forward
	}
	body, ok := peek(r, int(r.ContentLength))
	var fields map[string]json.RawMessage
	if !ok || len(body) > 0 && json.Unmarshal(body, &fields) != nil {
		return Forward
	}
	for name := range fields {
		if slices.Contains(names, name) {
			return Forward
		}
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return Brief
}

// ofDocuments reports whether a REST path is that of documents: /v1/projects/P/databases/D/documents and below.
func ofDocuments(path string) bool {
	parts := strings.SplitN(path, "/", 8)
	if len(parts) < 7 || parts[1] != "v1" || parts[2] != "projects" || parts[4] != "databases" {
		return false
	}
	root, _, _ := strings.Cut(parts[6], ":")
	return root == "documents"
}

// peek returns the first n bytes of a request's body without consuming them. It returns false if there are fewer.
func peek(r *http.Request, n int) ([]byte, bool) {
	if r.Body == nil {
		return nil, n == 0
	}
	head := make([]byte, n)
	read, err := io.ReadFull(r.Body, head)
	r.Body = &peeked{Reader: io.MultiReader(bytes.NewReader(head[:read]), r.Body), Closer: r.Body}
	return head, err == nil
}

// peeked is a body whose first bytes were read ahead.
type peeked struct {
	io.Reader
	io.Closer
}
