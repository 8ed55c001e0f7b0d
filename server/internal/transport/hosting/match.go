package hosting

import (
	"regexp"

	"clave/server/internal/base/fault"
	"clave/server/internal/transport/hosting/glob"
)

// match is the pattern of the paths to which a rule applies: a glob or a regular expression. If a rule has both, the
// glob decides, as in Firebase's emulator.
type match struct {
	Source string `json:"source"`
	Glob   string `json:"glob"`
	Regex  string `json:"regex"`

	glob  *glob.Glob
	regex *regexp.Regexp
}

// isAs reports whether two rules have the same pattern.
func (m *match) isAs(other match) bool {
	return m.Source == other.Source && m.Glob == other.Glob && m.Regex == other.Regex
}

// pattern returns the glob, or empty.
func (m *match) pattern() string {
	if m.Glob != "" {
		return m.Glob
	}
	return m.Source
}

// compile checks a rule's pattern and prepares it.
func (m *match) compile() error {
	if m.pattern() == "" && m.Regex == "" {
		return fault.E(fault.InvalidArgument, "source is missing")
	}
	var err error
	if m.Regex != "" {
		if m.regex, err = regexp.Compile(m.Regex); err != nil {
			return fault.E(fault.InvalidArgument, "regex %q is not valid RE2: %v", m.Regex, err)
		}
	}
	if m.pattern() != "" {
		if m.glob, err = glob.Parse(m.pattern(), false); err != nil {
			return fault.E(fault.InvalidArgument, "source %q: %s", m.pattern(), fault.FromError(err).Message)
		}
	}
	return nil
}

// matches reports whether the rule applies to a path.
func (m *match) matches(path string) bool {
	if m.glob != nil {
		return m.glob.Match(path)
	}
	return m.regex.MatchString(path)
}
