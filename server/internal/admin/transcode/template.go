package transcode

import (
	"regexp"
	"strings"
)

// template is the path of a form, such as /v1/{name=projects/*/databases/*}:exportDocuments.
type template struct {
	// parts are the constant texts and the variables in the order of the path.
	parts []part
}

// part is a constant text of a path, or a variable: the dotted path of a field and the form of its values.
type part struct {
	text  string
	field []string
	value *regexp.Regexp
}

// parseTemplate parses a path. A star stands for a segment, and two for one or more.
func parseTemplate(path string) template {
	var t template
	for path != "" {
		begin := strings.IndexByte(path, '{')
		if begin < 0 {
			t.parts = append(t.parts, part{text: path})
			break
		}
		end := begin + strings.IndexByte(path[begin:], '}')
		field, form, found := strings.Cut(path[begin+1:end], "=")
		if !found {
			form = "*"
		}
		form = regexp.QuoteMeta(form)
		form = strings.ReplaceAll(form, `\*\*`, `.+`)
		form = strings.ReplaceAll(form, `\*`, `[^/]+`)
		t.parts = append(t.parts, part{text: path[:begin]}, part{field: strings.Split(field, "."), value: regexp.MustCompile("^" + form + "$")})
		path = path[end+1:]
	}
	return t
}

// fill returns the path with the values of a message; ok is false if one of them does not have its form.
func (t template) fill(value func(field []string) string) (path string, ok bool) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.field == nil {
			b.WriteString(p.text)
			continue
		}
		v := value(p.field)
		if !p.value.MatchString(v) {
			return "", false
		}
		b.WriteString(v)
	}
	return b.String(), true
}

// has reports whether a field of the message itself is a variable of the path.
func (t template) has(name string) bool {
	for _, p := range t.parts {
		if len(p.field) == 1 && p.field[0] == name {
			return true
		}
	}
	return false
}
