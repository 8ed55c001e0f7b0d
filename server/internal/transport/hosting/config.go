package hosting

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/jsontree"
	"clave/server/internal/transport/hosting/glob"
)

// Config is the hosting section of firebase.json for one site.
type Config struct {
	// Public is the folder of the site, or empty for a site of redirects and of rewrites to services only.
	Public        string
	CleanURLs     bool
	TrailingSlash *bool
	Rewrites      []rewrite
	Redirects     []redirect
	Headers       []headers
	// I18n is the folder within Public that has folders for languages and countries; empty for none.
	I18n string
	// Warnings are about the members that are not used.
	Warnings []Warning

	// ignored are the patterns of the files that are not served.
	ignored []*glob.Glob
}

// Warning is about a member of the section that is not used, because it is invalid or not supported.
type Warning struct {
	// Line and Column are the member's place in the section's text, counted from 1.
	Line, Column int
	// Member is the path of the member in the section, such as rewrites[2].
	Member string
	// Text says why the member is not used, and what happens instead.
	Text string
}

// rewrite serves a path by another file or by a service.
type rewrite struct {
	match
	Destination string          `json:"destination"`
	Function    json.RawMessage `json:"function"`
	Run         *runService     `json:"run"`
	Dynamic     bool            `json:"dynamicLinks"`
	// missing names the unsupported target, such as "a function"; empty if the target is supported.
	missing string
}

// runService names a Cloud Run service. Its region and tag have no meaning here: Options.Services has its address.
type runService struct {
	ServiceID string `json:"serviceId"`
}

// headers adds header fields to the responses under a path.
type headers struct {
	match
	Headers []field `json:"headers"`
}

// field is one header field.
type field struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Parse reads the section of one site. It skips invalid and unsupported rules with a warning: the others are served. It
// returns InvalidArgument if there is nothing to serve.
func Parse(section []byte) (*Config, error) {
	p := &sectionParser{text: section, config: &Config{}}
	root, err := parseValue(section)
	if err == nil && !root.IsObject() {
		err = errKind
	}
	if err != nil {
		return nil, fault.E(fault.InvalidArgument, "hosting: %v", err)
	}
	for _, m := range root.Members {
		if err := p.member(m); err != nil {
			return nil, err
		}
	}
	c := p.config
	switch {
	case c.Public != "":
	case p.source:
		return nil, fault.E(fault.InvalidArgument, "hosting: public is missing, and source is not supported: build the site and name its folder as public")
	case len(c.Redirects) == 0 && !slices.ContainsFunc(c.Rewrites, func(r rewrite) bool { return r.Destination == "" }):
		return nil, fault.E(fault.InvalidArgument, "hosting: public is missing: name the folder of the built site")
	}
	return c, nil
}

// Services returns the ids of the services that rewrites name, each once, in the order of the section.
func (c *Config) Services() []string {
	var ids []string
	for _, r := range c.Rewrites {
		if r.Run != nil && !slices.Contains(ids, r.Run.ServiceID) {
			ids = append(ids, r.Run.ServiceID)
		}
	}
	return ids
}

// parseValue parses the value with which a text begins.
func parseValue(text []byte) (*jsontree.Value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&json.RawMessage{}); err != nil {
		return nil, err
	}
	return jsontree.Parse(text[:d.InputOffset()])
}

// errKind is the error of a section that is not of the expected kind.
var errKind = errors.New("it must be an object")

// sectionParser parses a section.
type sectionParser struct {
	text   []byte
	config *Config
	// source is set if the section names the source of a web framework.
	source bool
}

// member reads a member of the section. Members that concern deployment only have no effect.
func (p *sectionParser) member(m *jsontree.Value) error {
	c := p.config
	switch m.Name {
	case "public":
		if err := json.Unmarshal(m.Raw, &c.Public); err != nil {
			return fault.E(fault.InvalidArgument, "hosting: public must be a string: the folder of the built site")
		}
	case "source":
		p.source = true
	case "cleanUrls":
		p.decode(m, &c.CleanURLs)
	case "trailingSlash":
		p.decode(m, &c.TrailingSlash)
	case "i18n":
		var i18n struct {
			Root string `json:"root"`
		}
		if p.decode(m, &i18n) {
			if i18n.Root == "" {
				p.warn(m, "root is missing; pages have no other languages")
			} else {
				c.I18n = cmp.Or(strings.Trim(cleaned(i18n.Root), "/"), ".")
			}
		}
	case "ignore":
		rules(p, m, func(pattern *string) error {
			g, err := glob.Parse(*pattern, true)
			if err != nil {
				return fault.E(fault.InvalidArgument, "%q: %s", *pattern, fault.FromError(err).Message)
			}
			c.ignored = append(c.ignored, g)
			return nil
		})
	case "rewrites":
		c.Rewrites = rules(p, m, (*rewrite).prepare)
	case "redirects":
		c.Redirects = rules(p, m, (*redirect).prepare)
	case "headers":
		c.Headers = rules(p, m, (*headers).prepare)
	}
	return nil
}

// rules reads a list of rules. It skips those that prepare refuses.
func rules[T any](p *sectionParser, m *jsontree.Value, prepare func(*T) error) []T {
	switch {
	case m.IsNull():
		return nil
	case !m.IsArray():
		p.warn(m, "it must be a list; it has no effect")
		return nil
	}
	var kept []T
	for _, e := range m.Items {
		var rule T
		err := json.Unmarshal(e.Raw, &rule)
		if err != nil {
			err = fault.E(fault.InvalidArgument, "%s", typeError(err))
		} else {
			err = prepare(&rule)
		}
		if err != nil {
			p.warn(e, fault.FromError(err).Message+"; the rule is skipped")
			continue
		}
		kept = append(kept, rule)
	}
	return kept
}

// decode decodes a member, or warns that it can't and reports false.
func (p *sectionParser) decode(m *jsontree.Value, into any) bool {
	if err := json.Unmarshal(m.Raw, into); err != nil {
		p.warn(m, typeError(err)+"; it has no effect")
		return false
	}
	return true
}

// warn records a warning about a member.
func (p *sectionParser) warn(m *jsontree.Value, text string) {
	line, column := jsontree.Place(p.text, m.Offset)
	p.config.Warnings = append(p.config.Warnings, Warning{Line: line, Column: column, Member: m.Path(), Text: text})
}

// typeError returns the text of an error of package json about a value of a wrong type.
func typeError(err error) string {
	typed := (*json.UnmarshalTypeError)(nil)
	switch {
	case !errors.As(err, &typed):
		return err.Error()
	case typed.Field == "":
		return "it must not be of type " + typed.Value
	}
	return fmt.Sprintf("%s must not be of type %s", typed.Field, typed.Value)
}

// prepare checks a rewrite.
func (r *rewrite) prepare() error {
	switch {
	case r.Destination != "":
		r.Run = nil // the file comes first
	case len(r.Function) > 0:
		r.missing = "a function"
	case r.Run != nil:
		if r.Run.ServiceID == "" {
			return fault.E(fault.InvalidArgument, "run.serviceId is missing")
		}
	case r.Dynamic:
		r.missing = "dynamic links"
	default:
		return fault.E(fault.InvalidArgument, "destination is missing")
	}
	return r.compile()
}

// prepare checks a rule of header fields.
func (h *headers) prepare() error {
	for _, f := range h.Headers {
		if !isToken(f.Key) || strings.ContainsAny(f.Value, "\r\n\x00") {
			return fault.E(fault.InvalidArgument, "%q is not a valid header field", http.CanonicalHeaderKey(f.Key))
		}
	}
	return h.compile()
}
