package hosting

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"clave/server/fault"
)

// match is the pattern of the paths to which a rule applies: a glob, a glob with captures such as /blog/:post*, or a
// regular expression.
type match struct {
	Source string `json:"source"`
	Glob   string `json:"glob"`
	Regex  string `json:"regex"`

	glob    string
	negated bool
	regex   *regexp.Regexp
}

// extglob matches the one extended glob that we translate, @(a|b).
var extglob = regexp.MustCompile(`@\(([^()]*)\)`)

// capture matches a capture of a glob or of a redirect's destination: a segment, or with a star all that follows. A
// number is a group of a regular expression.
var capture = regexp.MustCompile(`:([A-Za-z0-9_]+)(\*?)`)

// isAs reports whether two rules have the same pattern.
func (m *match) isAs(other match) bool {
	return m.Source == other.Source && m.Glob == other.Glob && m.Regex == other.Regex
}

// compile checks a rule's pattern and prepares it.
func (m *match) compile() error {
	if m.Regex != "" {
		re, err := regexp.Compile(m.Regex)
		m.regex = re
		if err != nil {
			return fault.E(fault.InvalidArgument, "regex %q is not valid RE2: %v", m.Regex, err)
		}
		return nil
	}
	glob := m.Source
	if glob == "" {
		glob = m.Glob
	}
	if glob == "" {
		return fault.E(fault.InvalidArgument, "source is missing")
	}
	if rest, negated := strings.CutPrefix(glob, "!"); negated {
		m.negated, glob = true, rest
	}
	glob = "/" + strings.TrimPrefix(glob, "/")
	if strings.Contains(glob, "/:") {
		return m.compileCaptures(glob)
	}
	m.glob = extglob.ReplaceAllStringFunc(glob, func(s string) string {
		return "{" + strings.ReplaceAll(s[2:len(s)-1], "|", ",") + "}"
	})
	segments := strings.Split(m.glob, "/")
	for i, s := range segments {
		if s == "*" {
			segments[i] = "?*" // a segment, not nothing
		}
	}
	m.glob = strings.Join(segments, "/")
	if strings.ContainsAny(m.glob, "()") || !doublestar.ValidatePattern(m.glob) {
		return fault.E(fault.InvalidArgument, "source %q is not a supported glob; of extended globs only @(a|b) is supported", glob)
	}
	return nil
}

// compileCaptures prepares a glob whose segments may be captures. It must not contain other wildcards.
func (m *match) compileCaptures(glob string) error {
	if m.negated || strings.ContainsAny(capture.ReplaceAllString(glob, ""), "*?[]{}()") {
		return fault.E(fault.InvalidArgument, "source %q: captures and other wildcards together are not supported", glob)
	}
	var text strings.Builder
	rest := glob
	for at := capture.FindStringSubmatchIndex(rest); at != nil; at = capture.FindStringSubmatchIndex(rest) {
		text.WriteString(regexp.QuoteMeta(rest[:at[0]]))
		segment := "[^/]+"
		if at[4] != at[5] {
			segment = ".*"
		}
		text.WriteString("(?P<" + rest[at[2]:at[3]] + ">" + segment + ")")
		rest = rest[at[1]:]
	}
	re, err := regexp.Compile("^" + text.String() + regexp.QuoteMeta(rest) + "$")
	m.regex = re
	if err != nil {
		return fault.E(fault.InvalidArgument, "source %q: %v", glob, err)
	}
	return nil
}

// matches reports whether the rule applies to a path.
func (m *match) matches(path string) bool {
	if m.regex != nil {
		return m.regex.MatchString(path)
	}
	ok, err := doublestar.Match(m.glob, path)
	return (err == nil && ok) != m.negated
}

// expand inserts the captures of a path into a destination. Several slashes at its beginning become one, because the
// path of a request must not determine the host.
func (m *match) expand(path, destination string) string {
	if m.regex == nil {
		return destination
	}
	found := m.regex.FindStringSubmatch(path)
	filled := capture.ReplaceAllStringFunc(destination, func(s string) string {
		name := strings.Trim(s, ":*")
		i := m.regex.SubexpIndex(name)
		if n, err := strconv.Atoi(name); i < 0 && err == nil {
			i = n
		}
		if i < 0 || i >= len(found) {
			return s // such as a port
		}
		return escapePath(found[i])
	})
	if strings.HasPrefix(destination, "/") && !strings.HasPrefix(destination, "//") {
		return "/" + strings.TrimLeft(filled, "/\\")
	}
	return filled
}
