package rest

import (
	"net/url"
	"strings"

	"clave/server/internal/httpx/custommethod"
	"clave/server/internal/model/resource"
	"clave/server/internal/transport/calls"
)

// target is the parsed path of a request.
type target struct {
	// method is the call.
	method string
	// db is the database.
	db resource.Database
	// segments are the ids after documents.
	segments []string
}

// name returns the name of the document that the first n segments name, or of the root.
func (t target) name(n int) string {
	if n == 0 {
		return t.db.Root()
	}
	return t.db.Root() + "/" + strings.Join(t.segments[:n], "/")
}

// Database implements calls.Place.
func (t target) Database() string { return t.db.String() }

// Name implements calls.Place.
func (t target) Name() string { return t.name(len(t.segments)) }

// Collection implements calls.Place.
func (t target) Collection() (parent, id string) {
	last := len(t.segments) - 1
	return t.name(last), t.segments[last]
}

// parseTarget finds the call that a method and a path name. An escaped slash is a slash, as with Google's servers. ok
// is false if the path names no call. The calls check names.
func parseTarget(httpMethod, path string) (t target, ok bool) {
	after, ok := strings.CutPrefix(path, "/v1/projects/")
	if !ok {
		if after, ok = strings.CutPrefix(path, "/v1beta1/projects/"); !ok {
			return t, false
		}
	}
	rest, method := cutVerb(after)
	plain, err := url.PathUnescape(rest)
	if err != nil {
		return t, false
	}
	segments := strings.Split(plain, "/")
	if len(segments) < 4 || segments[0] == "" || segments[1] != "databases" || segments[2] == "" || segments[3] != "documents" {
		return t, false
	}
	t.db = resource.Database{Project: segments[0], ID: segments[2]}
	t.segments = segments[4:]
	t.method = callOf(httpMethod, method, len(t.segments))
	return t, t.method != ""
}

// cutVerb cuts :method off the end of a path. A document's id may contain a colon: an unknown method is part of the id.
func cutVerb(path string) (rest, method string) {
	rest, method = custommethod.Cut(path)
	if _, known := verbs[method]; !known {
		return path, ""
	}
	return rest, method
}

// verbs are the calls with a :method, which are all POST, by that.
var verbs = func() map[string]*calls.Call {
	out := make(map[string]*calls.Call)
	for _, call := range calls.All {
		if call.Verb != "" {
			out[call.Verb] = call
		}
	}
	return out
}()

// callOf returns the call of an HTTP method, a :method and a number of segments after documents, or "".
func callOf(httpMethod, method string, segments int) string {
	// Ids of collections and documents alternate.
	document := segments > 0 && segments%2 == 0
	if method != "" {
		call, ok := verbs[method]
		if !ok || httpMethod != "POST" || (!call.OnDocument && segments > 0) {
			return ""
		}
		return call.Name
	}
	switch httpMethod {
	case "GET":
		if document {
			return "GetDocument"
		}
		if segments > 0 {
			return "ListDocuments"
		}
	case "POST":
		if segments > 0 {
			return "CreateDocument"
		}
	case "PATCH":
		if segments > 0 {
			return "UpdateDocument"
		}
	case "DELETE":
		if segments > 0 {
			return "DeleteDocument"
		}
	}
	return ""
}
