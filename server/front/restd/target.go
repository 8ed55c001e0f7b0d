package restd

import (
	"net/url"
	"strings"

	"clave/server/resource"
)

// target is what a request's path names.
type target struct {
	// method is the call.
	method string
	// db is the database.
	db resource.Database
	// segments are the ids after documents.
	segments []string
}

// parent returns the name of the document that the first n segments name, or of the root.
func (t target) name(n int) string {
	if n == 0 {
		return t.db.Root()
	}
	return t.db.Root() + "/" + strings.Join(t.segments[:n], "/")
}

// parseTarget finds the call that a method and a path name. An escaped slash is a slash, as with Google's servers; ok is
// false for what names no call. Names are left for the calls to check.
func parseTarget(method, path string) (t target, ok bool) {
	after, ok := strings.CutPrefix(path, "/v1/projects/")
	if !ok {
		if after, ok = strings.CutPrefix(path, "/v1beta1/projects/"); !ok {
			return t, false
		}
	}
	rest, verb := cutVerb(after)
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
	t.method = callOf(method, verb, len(t.segments))
	return t, t.method != ""
}

// cutVerb cuts :method off the end of a path, if its last segment has one.
func cutVerb(path string) (rest, verb string) {
	last := strings.LastIndexByte(path, '/')
	colon := strings.LastIndexByte(path, ':')
	if colon <= last {
		return path, ""
	}
	if _, known := verbs[path[colon+1:]]; !known && last >= 0 && strings.Count(path, "/") > 3 {
		// A colon may stand in a document's id.
		return path, ""
	}
	return path[:colon], path[colon+1:]
}

// scope says where a :method may stand.
type scope uint8

// The scopes.
const (
	// database methods stand after documents only.
	database scope = iota
	// parent methods stand after documents or a document.
	parent
)

// verbs are the :methods, which are all POST.
var verbs = map[string]struct {
	method string
	scope  scope
}{
	"batchGet":            {"BatchGetDocuments", database},
	"beginTransaction":    {"BeginTransaction", database},
	"commit":              {"Commit", database},
	"rollback":            {"Rollback", database},
	"batchWrite":          {"BatchWrite", database},
	"executePipeline":     {"ExecutePipeline", database},
	"write":               {"Write", database},
	"listen":              {"Listen", database},
	"runQuery":            {"RunQuery", parent},
	"runAggregationQuery": {"RunAggregationQuery", parent},
	"partitionQuery":      {"PartitionQuery", parent},
	"listCollectionIds":   {"ListCollectionIds", parent},
}

// callOf returns the call of a method, a :method and a number of segments after documents, or nothing.
func callOf(method, verb string, segments int) string {
	document := segments > 0 && segments%2 == 0
	if verb != "" {
		v, ok := verbs[verb]
		if !ok || method != "POST" || (v.scope == database && segments > 0) {
			return ""
		}
		return v.method
	}
	switch method {
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
