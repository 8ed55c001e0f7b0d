package hosting

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

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

	// I18n is read to be refused.
	I18n json.RawMessage `json:"i18n"`
}

// match is how a rule says which paths it means: a glob or a regular expression.
type match struct {
	Source string `json:"source"`
	Glob   string `json:"glob"`
	Regex  string `json:"regex"`

	globs   []string
	negated bool
	regex   *regexp.Regexp
}

// rewrite serves another file under a path.
type rewrite struct {
	match
	Destination string          `json:"destination"`
	Function    json.RawMessage `json:"function"`
	Run         json.RawMessage `json:"run"`
	Dynamic     bool            `json:"dynamicLinks"`
}

// redirect sends the client to another address.
type redirect struct {
	match
	Destination string `json:"destination"`
	Type        int    `json:"type"`
}

// headers adds header fields to the answers under a path.
type headers struct {
	match
	Headers []field `json:"headers"`
}

// field is one header field.
type field struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Parse reads the hosting section. It answers InvalidArgument for what is wrong or not supported.
func Parse(section []byte) (*Config, error) {
	c := &Config{}
	decoder := json.NewDecoder(bytes.NewReader(section))
	if err := decoder.Decode(c); err != nil {
		return nil, fault.E(fault.InvalidArgument, "hosting: %v", err)
	}
	if c.Public == "" {
		return nil, fault.E(fault.InvalidArgument, "hosting: public is missing: name the folder of the built site")
	}
	if len(c.I18n) > 0 {
		return nil, fault.E(fault.InvalidArgument, "hosting: i18n is not supported")
	}
	for i := range c.Rewrites {
		r := &c.Rewrites[i]
		if len(r.Function) > 0 || len(r.Run) > 0 || r.Dynamic || r.Destination == "" {
			return nil, fault.E(fault.InvalidArgument, "hosting: rewrites[%d]: only a destination is supported", i)
		}
		if err := r.compile(); err != nil {
			return nil, fault.E(fault.InvalidArgument, "hosting: rewrites[%d]: %v", i, err)
		}
	}
	for i := range c.Redirects {
		r := &c.Redirects[i]
		if r.Type == 0 {
			r.Type = 301
		}
		if err := r.compile(); err != nil || r.Type < 300 || r.Type > 308 {
			return nil, fault.E(fault.InvalidArgument, "hosting: redirects[%d]: type must be 301 to 308 and the source a glob or regex", i)
		}
		if strings.Contains(r.Destination, ":") && !strings.Contains(r.Destination, "://") {
			return nil, fault.E(fault.InvalidArgument, "hosting: redirects[%d]: captures are not supported", i)
		}
	}
	for i := range c.Headers {
		if err := c.Headers[i].compile(); err != nil {
			return nil, fault.E(fault.InvalidArgument, "hosting: headers[%d]: %v", i, err)
		}
	}
	return c, nil
}

// extglob matches the one extended glob that we translate, @(a|b).
var extglob = regexp.MustCompile(`@\(([^()]*)\)`)

// compile checks a rule's pattern and prepares it.
func (m *match) compile() error {
	if m.Regex != "" {
		re, err := regexp.Compile(m.Regex)
		m.regex = re
		if err != nil {
			return fault.E(fault.InvalidArgument, "regex %q is not RE2: %v", m.Regex, err)
		}
		return nil
	}
	glob := m.Source
	if glob == "" {
		glob = m.Glob
	}
	if rest, negated := strings.CutPrefix(glob, "!"); negated {
		m.negated, glob = true, rest
	}
	glob = extglob.ReplaceAllStringFunc(glob, func(s string) string {
		return "{" + strings.ReplaceAll(s[2:len(s)-1], "|", ",") + "}"
	})
	glob = "/" + strings.TrimPrefix(glob, "/")
	if glob == "/" && m.Source == "" && m.Glob == "" || strings.ContainsAny(glob, "()") || !doublestar.ValidatePattern(glob) {
		return fault.E(fault.InvalidArgument, "source %q is not a glob we know; of extended globs only @(a|b) is supported", m.Source+m.Glob)
	}
	m.globs = []string{glob}
	return nil
}

// matches reports whether the rule means a path.
func (m *match) matches(path string) bool {
	if m.regex != nil {
		return m.regex.MatchString(path)
	}
	for _, glob := range m.globs {
		if ok, err := doublestar.Match(glob, path); err == nil && ok {
			return !m.negated
		}
	}
	return m.negated
}
