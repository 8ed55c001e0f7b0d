package versions

import (
	"encoding/json"

	"clave/server/internal/base/fault"
)

// Config is the configuration of a version, in the form of Firebase Hosting's API.
type Config struct {
	Headers               []Header   `json:"headers,omitempty"`
	Redirects             []Redirect `json:"redirects,omitempty"`
	Rewrites              []Rewrite  `json:"rewrites,omitempty"`
	CleanURLs             bool       `json:"cleanUrls,omitempty"`
	TrailingSlashBehavior string     `json:"trailingSlashBehavior,omitempty"`
	// AppAssociation has no effect: the server has no apps.
	AppAssociation string `json:"appAssociation,omitempty"`
	I18n           *I18n  `json:"i18n,omitempty"`
}

// Pattern is the paths to which a rule applies: a glob or a regular expression.
type Pattern struct {
	Glob  string `json:"glob,omitempty"`
	Regex string `json:"regex,omitempty"`
}

// Header adds header fields.
type Header struct {
	Pattern
	Headers map[string]string `json:"headers"`
}

// Redirect sends clients to another address.
type Redirect struct {
	Pattern
	StatusCode int    `json:"statusCode,omitempty"`
	Location   string `json:"location"`
}

// Rewrite serves a path by another file or by a service.
type Rewrite struct {
	Pattern
	Path           string `json:"path,omitempty"`
	Function       string `json:"function,omitempty"`
	FunctionRegion string `json:"functionRegion,omitempty"`
	DynamicLinks   bool   `json:"dynamicLinks,omitempty"`
	Run            *Run   `json:"run,omitempty"`
}

// Run names a service.
type Run struct {
	ServiceID string `json:"serviceId"`
	Region    string `json:"region,omitempty"`
	Tag       string `json:"tag,omitempty"`
}

// I18n names the folder of the pages in other languages.
type I18n struct {
	Root string `json:"root"`
}

// object is an object of JSON.
type object map[string]any

// in returns an object with the pattern of a rule, as firebase.json has it.
func (p Pattern) in(o object) (object, error) {
	switch {
	case p.Glob != "" && p.Regex != "":
		return nil, fault.E(fault.InvalidArgument, "The configuration is not valid: a rule has a glob or a regex, not both: %.100q", p.Glob)
	case p.Regex != "":
		o["regex"] = p.Regex
	default:
		o["source"] = p.Glob
	}
	return o, nil
}

// text returns the configuration as a section of firebase.json. c may be nil.
func (c *Config) text() ([]byte, error) {
	section := object{"public": "."}
	if c == nil {
		return json.Marshal(section)
	}
	section["cleanUrls"] = c.CleanURLs
	switch c.TrailingSlashBehavior {
	case "", "TRAILING_SLASH_BEHAVIOR_UNSPECIFIED":
	case "ADD", "REMOVE":
		section["trailingSlash"] = c.TrailingSlashBehavior == "ADD"
	default:
		return nil, fault.E(fault.InvalidArgument, "The configuration is not valid: trailingSlashBehavior is %.100q, expected ADD or REMOVE", c.TrailingSlashBehavior)
	}
	if a := c.AppAssociation; a != "" && a != "AUTO" && a != "NONE" {
		return nil, fault.E(fault.InvalidArgument, "The configuration is not valid: appAssociation is %.100q, expected AUTO or NONE", a)
	}
	if c.I18n != nil {
		section["i18n"] = object{"root": c.I18n.Root}
	}
	var headers, redirects, rewrites []object
	add := func(to *[]object, p Pattern, o object) error {
		rule, err := p.in(o)
		*to = append(*to, rule)
		return err
	}
	for _, h := range c.Headers {
		fields := []object{}
		for key, value := range h.Headers {
			fields = append(fields, object{"key": key, "value": value})
		}
		if err := add(&headers, h.Pattern, object{"headers": fields}); err != nil {
			return nil, err
		}
	}
	for _, r := range c.Redirects {
		if err := add(&redirects, r.Pattern, object{"destination": r.Location, "type": r.StatusCode}); err != nil {
			return nil, err
		}
	}
	for _, r := range c.Rewrites {
		if err := add(&rewrites, r.Pattern, r.target()); err != nil {
			return nil, err
		}
	}
	section["headers"], section["redirects"], section["rewrites"] = headers, redirects, rewrites
	return json.Marshal(section)
}

// target returns the target of a rewrite as firebase.json has it.
func (r *Rewrite) target() object {
	switch {
	case r.Path != "":
		return object{"destination": r.Path}
	case r.Function != "":
		return object{"function": r.Function}
	case r.Run != nil:
		return object{"run": object{"serviceId": r.Run.ServiceID}}
	}
	return object{"dynamicLinks": r.DynamicLinks}
}
