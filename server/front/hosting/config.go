package hosting

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"clave/server/fault"
)

// Config is firebase.json's hosting section.
type Config struct {
	Public        string     `json:"public"`
	Ignore        []string   `json:"ignore"`
	CleanURLs     bool       `json:"cleanUrls"`
	TrailingSlash *bool      `json:"trailingSlash"`
	Rewrites      []rewrite  `json:"rewrites"`
	Redirects     []redirect `json:"redirects"`
	Headers       []headers  `json:"headers"`

	// I18n is read only to refuse it.
	I18n json.RawMessage `json:"i18n"`

	// ignored are the patterns of Ignore.
	ignored []match
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

// redirect sends the client to another address.
type redirect struct {
	match
	Destination string `json:"destination"`
	Type        int    `json:"type"`
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

// Parse reads the hosting section: one site, or a list of one. It returns InvalidArgument for invalid and for
// unsupported settings.
func Parse(section []byte) (*Config, error) {
	c := &Config{}
	if section = bytes.TrimSpace(section); bytes.HasPrefix(section, []byte("[")) {
		var sites []json.RawMessage
		if err := json.Unmarshal(section, &sites); err != nil {
			return nil, fault.E(fault.InvalidArgument, "hosting: %v", err)
		}
		if len(sites) != 1 {
			return nil, fault.E(fault.InvalidArgument, "hosting: only one site can be served, but there are %d: keep one, or omit hosting with --only", len(sites))
		}
		section = sites[0]
	}
	if err := json.Unmarshal(section, c); err != nil {
		return nil, fault.E(fault.InvalidArgument, "hosting: %v", err)
	}
	if c.Public == "" {
		return nil, fault.E(fault.InvalidArgument, "hosting: public is missing: name the folder of the built site")
	}
	if len(c.I18n) > 0 {
		return nil, fault.E(fault.InvalidArgument, "hosting: i18n is not supported")
	}
	return c, c.compile()
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

// compile checks the rules and prepares them.
func (c *Config) compile() error {
	for i := range c.Ignore {
		m := match{Glob: c.Ignore[i]}
		if err := m.compile(); err != nil {
			return fault.E(fault.InvalidArgument, "hosting: ignore[%d]: %v", i, err)
		}
		c.ignored = append(c.ignored, m)
	}
	for i := range c.Rewrites {
		if err := c.Rewrites[i].prepare(); err != nil {
			return fault.E(fault.InvalidArgument, "hosting: rewrites[%d]: %v", i, err)
		}
	}
	for i := range c.Redirects {
		if err := c.Redirects[i].prepare(); err != nil {
			return fault.E(fault.InvalidArgument, "hosting: redirects[%d]: %v", i, err)
		}
	}
	for i := range c.Headers {
		if err := c.Headers[i].compile(); err != nil {
			return fault.E(fault.InvalidArgument, "hosting: headers[%d]: %v", i, err)
		}
	}
	return nil
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
	return r.compile()
}
