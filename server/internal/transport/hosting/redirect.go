package hosting

import (
	"net/http"
	"path"
	"strconv"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
)

// redirect sends the client to another address.
type redirect struct {
	match
	Destination string `json:"destination"`
	Type        int    `json:"type"`

	// template is set if the source or the destination has captures. captures is nil if they are the groups of regex.
	captures *source
	template []token
}

// captured matches the beginning of a capture of a destination that the source must have.
var captured = pattern.New(`(^|/):`)

// prepare checks a redirect.
func (r *redirect) prepare() error {
	if r.Type == 0 {
		r.Type = http.StatusMovedPermanently
	}
	if r.Type < 300 || r.Type > 308 || r.Type == http.StatusNotModified {
		return fault.E(fault.InvalidArgument, "type %d is not a redirect", r.Type)
	}
	if r.Destination == "" {
		return fault.E(fault.InvalidArgument, "destination is missing")
	}
	if err := r.compile(); err != nil {
		return err
	}
	if r.regex != nil {
		known := make(map[string]bool)
		for i, name := range r.regex.SubexpNames() {
			known[strconv.Itoa(i)], known[name] = true, true
		}
		return r.prepareTemplate(known)
	}
	// @(a|b) is a group here, as on Firebase Hosting; Firebase's emulator expects the @ in the path.
	s, err := newSource(strings.ReplaceAll(path.Join("/", r.pattern()), "@(", "("))
	if !captured.MatchString(r.Destination) && (err != nil || !s.named()) {
		return nil
	}
	if err != nil {
		return err
	}
	r.captures = s
	return r.prepareTemplate(s.names())
}

// prepareTemplate prepares the insertion of captures into the destination. A colon elsewhere than at the beginning of a
// segment is text if no capture has the name after it, as in a port.
func (r *redirect) prepareTemplate(known map[string]bool) error {
	for i, t := range tokens(r.Destination) {
		must := strings.HasPrefix(t.written, "/:") || i == 0 && strings.HasPrefix(t.written, ":")
		switch {
		case t.text != "" || known[t.name] && strings.Contains(t.written, ":") || must && t.optional:
		case must:
			return fault.E(fault.InvalidArgument, "destination %q has the capture :%s, which the source lacks", r.Destination, t.name)
		default:
			t = token{text: t.written}
		}
		r.template = append(r.template, t)
	}
	return nil
}

// to returns the address to which a path is redirected, or reports false.
func (r *redirect) to(path string) (string, bool) {
	if r.template == nil {
		return r.Destination, r.matches(path)
	}
	var (
		captures map[string]string
		ok       bool
	)
	if r.captures != nil {
		captures, ok = r.captures.find(path)
	} else {
		captures, ok = groups(r.regex, path)
	}
	if !ok {
		return r.Destination, r.glob != nil && r.matches(path)
	}
	filled, ok := fill(r.template, captures)
	return r.onHost(filled), ok
}

// scheme matches the beginning of an address with a scheme.
var scheme = pattern.New(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// onHost returns an address whose host the path of the request does not determine: several slashes at its beginning
// become one, and a scheme becomes a part of the path, unless they are in the destination itself.
func (r *redirect) onHost(filled string) string {
	switch {
	case strings.HasPrefix(r.Destination, "//") || scheme.MatchString(r.Destination):
		return filled
	case scheme.MatchString(filled) || strings.HasPrefix(filled, "/") || strings.HasPrefix(filled, `\`):
		return "/" + strings.TrimLeft(filled, `/\`)
	}
	return filled
}
