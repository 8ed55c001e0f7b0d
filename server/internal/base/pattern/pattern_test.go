package pattern_test

import (
	"reflect"
	"regexp"
	"testing"

	"clave/server/internal/base/pattern"
)

// TestPattern compares the methods with those of package regexp.
func TestPattern(t *testing.T) {
	const expression = `([a-z])(\d?)`
	p, r := pattern.New(expression), regexp.MustCompile(expression)
	for _, text := range []string{"", "A", "a1 b c3"} {
		for name, pair := range map[string][2]any{
			"MatchString":                {p.MatchString(text), r.MatchString(text)},
			"FindStringSubmatch":         {p.FindStringSubmatch(text), r.FindStringSubmatch(text)},
			"FindAllStringSubmatch":      {p.FindAllStringSubmatch(text, 2), r.FindAllStringSubmatch(text, 2)},
			"FindAllStringSubmatchIndex": {p.FindAllStringSubmatchIndex(text, -1), r.FindAllStringSubmatchIndex(text, -1)},
			"ReplaceAllString":           {p.ReplaceAllString(text, "$2"), r.ReplaceAllString(text, "$2")},
		} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Errorf("%s(%q) = %v, want %v", name, text, pair[0], pair[1])
			}
		}
	}
	const invalid = "("
	defer func() {
		if recover() == nil {
			t.Error("an invalid expression was used")
		}
	}()
	pattern.New(invalid).MatchString("")
}
