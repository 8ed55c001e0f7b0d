package hosting

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
)

// token is a part of the source or of the destination of a redirect with captures, in the syntax of path-to-regexp 1:
// text, or a parameter such as :name, :name?, :name*, :name+, :name(\d+), (\d+) or *.
type token struct {
	// text is the token itself if it is no parameter.
	text string
	// name is the parameter's name; unnamed ones are numbered from 0.
	name string
	// prefix is the slash or the dot before a parameter.
	prefix string
	// pattern is the regular expression of a parameter's value.
	pattern string
	// optional and repeated are set by the modifiers ?, * and +.
	optional, repeated bool
	// partial is set if text other than a separator follows the parameter: its prefix is required then.
	partial bool
	// wild is set for a star, whose value may be empty, and any for a star or a pattern of the parameter's own.
	wild, any bool
	// written is a parameter as it is written.
	written string
}

// parameter matches an escaped character or a parameter of a path.
var parameter = pattern.New(`(\\.)|([/.])?(?:(?::(\w+)(?:\(((?:\\.|[^\\()])+)\))?|\(((?:\\.|[^\\()])+)\))([+*?])?|(\*))`)

// special matches the characters of a parameter's own pattern that lose their meaning.
var special = pattern.New(`[=!:$/()]`)

// tokens returns the tokens of a path.
func tokens(path string) []token {
	var list []token
	text, at, unnamed := "", 0, 0
	for _, m := range parameter.FindAllStringSubmatchIndex(path, -1) {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return path[m[2*i]:m[2*i+1]]
		}
		text += path[at:m[0]]
		at = m[1]
		if escaped := part(1); escaped != "" {
			text += escaped[1:]
			continue
		}
		if text != "" {
			list = append(list, token{text: text})
		}
		before := text
		text = ""
		modifier := part(6)
		t := token{
			name: part(3), prefix: part(2), written: path[m[0]:m[1]], wild: part(7) != "",
			optional: modifier == "?" || modifier == "*", repeated: modifier == "+" || modifier == "*",
		}
		t.partial = t.prefix != "" && at < len(path) && path[at:at+1] != t.prefix
		if t.name == "" {
			t.name = strconv.Itoa(unnamed)
			unnamed++
		}
		switch own := part(4) + part(5); {
		case own != "":
			t.any = true
			t.pattern = special.ReplaceAllString(own, `\$0`)
		case t.wild:
			t.any = true
			t.pattern = ".*"
		default:
			t.pattern = t.until(before)
		}
		list = append(list, t)
	}
	if text += path[at:]; text != "" {
		list = append(list, token{text: text})
	}
	return list
}

// until returns the pattern of a parameter without a pattern of its own: it ends before a separator, and before the
// character that precedes it, as in /:from-:to.
func (t *token) until(before string) string {
	separator := t.prefix
	if separator == "" {
		separator = "/"
	}
	if t.prefix == "" && len(before) == 1 && before != separator {
		c := regexp.QuoteMeta(before)
		return c + `|[^/` + c + `]+?`
	}
	return `[^\` + separator + `]+?`
}

// source is a glob with captures.
type source struct {
	tokens []token
	regex  *regexp.Regexp
}

// newSource parses a glob with captures. It does not distinguish lower and upper case, and a slash may follow the
// path, as in Firebase's emulator.
func newSource(glob string) (*source, error) {
	s := &source{}
	var route strings.Builder
	for _, t := range tokens(glob) {
		if t.text != "" {
			route.WriteString(regexp.QuoteMeta(t.text))
			continue
		}
		s.tokens = append(s.tokens, t)
		prefix, value := regexp.QuoteMeta(t.prefix), "(?:"+t.pattern+")"
		if t.repeated {
			value += "(?:" + prefix + value + ")*"
		}
		switch {
		case t.optional && t.partial:
			value = prefix + "(" + value + ")?"
		case t.optional:
			value = "(?:" + prefix + "(" + value + "))?"
		default:
			value = prefix + "(" + value + ")"
		}
		route.WriteString(value)
	}
	var err error
	if s.regex, err = regexp.Compile("(?i)^" + strings.TrimSuffix(route.String(), "/") + "/?$"); err != nil {
		return nil, fault.E(fault.InvalidArgument, "source %q: %v", glob, err)
	}
	return s, nil
}

// find returns the captures of a path by name, or reports false if it does not match.
func (s *source) find(path string) (map[string]string, bool) {
	m := s.regex.FindStringSubmatchIndex(path)
	if m == nil {
		return nil, false
	}
	found := make(map[string]string, len(s.tokens))
	for i, t := range s.tokens {
		if from := m[2*i+2]; from >= 0 {
			value := path[from:m[2*i+3]]
			// A capture of one segment that begins with a dot, as in /:name.:ext, matches slashes, but inserts none.
			if !strings.Contains(value, "/") || t.repeated || t.any {
				found[t.name] = value
			}
		}
	}
	return found, true
}

// named reports whether a capture has a name.
func (s *source) named() bool {
	return slices.ContainsFunc(s.tokens, func(t token) bool { return strings.Contains(t.written, ":") })
}

// names returns the names of the captures.
func (s *source) names() map[string]bool {
	names := make(map[string]bool)
	for _, t := range s.tokens {
		names[t.name] = true
	}
	return names
}

// groups returns the groups of a regular expression that matched, by number and by name, or false if the path does not
// match it.
func groups(regex *regexp.Regexp, path string) (map[string]string, bool) {
	m := regex.FindStringSubmatchIndex(path)
	if m == nil {
		return nil, false
	}
	found := make(map[string]string)
	for i, name := range regex.SubexpNames() {
		if m[2*i] < 0 {
			continue
		}
		value := path[m[2*i]:m[2*i+1]]
		found[strconv.Itoa(i)] = value
		if name != "" {
			found[name] = value
		}
	}
	return found, true
}

// fill inserts captures into a destination. It reports false if one is missing or empty.
func fill(destination []token, captures map[string]string) (string, bool) {
	var out strings.Builder
	for _, t := range destination {
		value, ok := captures[t.name]
		switch {
		case t.text != "":
			out.WriteString(t.text)
		case !ok && t.optional:
			if t.partial {
				out.WriteString(t.prefix)
			}
		case !ok, value == "" && !t.wild:
			return "", false
		default:
			out.WriteString(t.prefix + escapePath(value))
		}
	}
	return out.String(), true
}
