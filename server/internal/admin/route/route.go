package route

import (
	"context"
	"strings"

	"clave/server/internal/httpx/custommethod"
)

// Route is one method of an API.
type Route struct {
	// Name is the method's name in the audit log, such as firestore.admin.CreateIndex.
	Name string
	// Method is the HTTP method, and Pattern the path. Segments in braces are variables; {name...} takes all further
	// segments. A verb of a custom method is at its end, after a colon.
	Method, Pattern string
	// Permission is the permission that the caller's role must have, by its name at Google.
	Permission string
	// Stream is the maximum number of bytes of a body that Do reads by itself, as Call.Stream, and not as JSON; zero for
	// the other methods. Calls that are not refused are not in the audit log: their number depends on files.
	Stream int64
	// Do serves a request. Its result is written as JSON.
	Do func(ctx context.Context, c *Call) (any, error)
}

// Match reports whether the path of a request is the route's, and returns the variables.
func (r *Route) Match(path string) (vars map[string]string, ok bool) {
	pattern, verb := r.Pattern, ""
	if i := strings.LastIndexByte(pattern, ':'); i > strings.LastIndexByte(pattern, '/') {
		pattern, verb = pattern[:i], pattern[i+1:]
	}
	if verb != "" {
		name, got := custommethod.Cut(path)
		if got != verb {
			return nil, false
		}
		path = name
	}
	vars = make(map[string]string)
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, segment := range want {
		if i >= len(have) || have[i] == "" && i > 0 {
			return nil, false
		}
		name, variable := strings.CutPrefix(segment, "{")
		if !variable {
			if segment != have[i] {
				return nil, false
			}
			continue
		}
		name = strings.TrimSuffix(name, "}")
		if rest, all := strings.CutSuffix(name, "..."); all {
			vars[rest] = strings.Join(have[i:], "/")
			return vars, true
		}
		vars[name] = have[i]
	}
	return vars, len(want) == len(have)
}
