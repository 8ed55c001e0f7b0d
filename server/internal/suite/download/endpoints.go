package download

import (
	"maps"
	"net/url"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/accountkey"
)

// The APIs that a download calls.
const (
	APIFirestore = "firestore"
	APIAdmin     = "firestore-admin"
	APIIdentity  = "identity"
	APIRules     = "rules"
)

// google are the endpoints of the APIs at Google.
var google = map[string]string{
	APIFirestore: "https://firestore.googleapis.com",
	APIAdmin:     "https://firestore.googleapis.com",
	APIIdentity:  "https://identitytoolkit.googleapis.com",
	APIRules:     "https://firebaserules.googleapis.com",
}

// Endpoints are the URLs of the APIs. An API without one is not called, and what it has is not downloaded.
type Endpoints map[string]string

// Google returns the endpoints of Google.
func Google() Endpoints { return maps.Clone(google) }

// ParseEndpoints parses endpoints of the form API=URL. Without any they are those of Google. Otherwise the APIs that
// are not named are not called, so that nothing reaches Google by mistake.
func ParseEndpoints(given []string) (Endpoints, error) {
	if len(given) == 0 {
		return Google(), nil
	}
	all := make(Endpoints)
	for _, one := range given {
		api, text, _ := strings.Cut(one, "=")
		u, err := url.Parse(text)
		switch {
		case google[api] == "":
			return nil, fault.E(fault.InvalidArgument, "--endpoint %s: the APIs are firestore, firestore-admin, identity and rules, as in firestore=https://firestore.googleapis.com", api)
		case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
			return nil, fault.E(fault.InvalidArgument, "--endpoint %s: expected a URL of http or https without a user, a query and a fragment", api)
		case api == APIFirestore && strings.Trim(u.Path, "/") != "":
			return nil, fault.E(fault.InvalidArgument, "--endpoint %s: this endpoint has no path", api)
		}
		if err := accountkey.Secure(u); err != nil {
			return nil, err
		}
		all[api] = strings.TrimSuffix(u.String(), "/")
	}
	if all[APIFirestore] == "" {
		return nil, fault.E(fault.InvalidArgument, "--endpoint: name that of firestore too")
	}
	return all, nil
}

// Plain reports whether all endpoints are on this machine without TLS, as those of emulators are.
func (e Endpoints) Plain() bool {
	for _, u := range e {
		if !strings.HasPrefix(u, "http:") {
			return false
		}
	}
	return true
}
