package rest

import (
	"net/http"
	"net/url"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"clave/server/internal/base/fault"
)

// system holds a request's parameters for the transport: Google's system parameters. Other ones are accepted and
// ignored, including callback: a script on this origin with chosen content would bypass the pages' content security
// policy.
type system struct {
	// fields are the selected parts of the response; nil means all.
	fields selection
	// pretty adds line breaks.
	pretty bool
}

// isSystem reports whether a query parameter is for the transport, not for the method.
func isSystem(name string) bool {
	switch name {
	case "key", "alt", "access_token", "oauth_token", "prettyPrint", "fields", "quotaUser", "uploadType", "upload_protocol", "callback":
		return true
	default:
		return strings.HasPrefix(name, "$")
	}
}

// parseSystem reads the parameters of a request for a call whose responses are messages of the given kind.
func parseSystem(params url.Values, h http.Header, md protoreflect.MessageDescriptor) (s system, err error) {
	first := func(names ...string) string {
		for _, name := range names {
			if v := params.Get(name); v != "" {
				return v
			}
		}
		return ""
	}
	form, _, _ := strings.Cut(first("alt", "$alt"), ";")
	if form == "proto" {
		return s, fault.E(fault.Unimplemented, "Responses are JSON; alt=proto is unimplemented.")
	}
	s.pretty = first("prettyPrint", "$prettyPrint") == "true"
	text := first("fields", "$fields")
	if text == "" {
		text = h.Get("X-Goog-FieldMask")
	}
	if text == "" {
		return s, nil
	}
	if s.fields, err = parseSelection(text); err != nil {
		return s, err
	}
	return s, s.fields.check(md, "")
}
