package pipeline

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"clave/server/internal/model/value"
)

// holds returns a function of two strings that is true or false.
func holds(name string, eval func(a, b string) bool) *Function {
	return texts(name, "boolean", "js", func(a, b string) result { return boolean(eval(a, b)) })
}

// trimmed returns a function that removes characters, white space by default, from the ends of a string.
func trimmed(name string, trim func(s string, of func(rune) bool) string) *Function {
	return &Function{Name: name, Args: "string, string?", Result: "string", Source: "go", Min: 1, Max: 2, eval: func(_ *frame, args []value.Value) result {
		chars := value.String(" \t\n\r\v\f\u0085\u00a0")
		if len(args) == 2 {
			var ok bool
			if chars, ok = args[1].(value.String); !ok {
				return wrongType(name, "String", args[1])
			}
		}
		switch s := args[0].(type) {
		case value.String:
			set := make(map[rune]bool, min(len(chars), 1024))
			for _, c := range string(chars) { // Package strings reads all characters for each one of the string.
				set[c] = true
			}
			return of(value.String(trim(string(s), func(c rune) bool { return set[c] })))
		default:
			return wrongType(name, "String", s)
		}
	}}
}

// concatenated joins strings.
func concatenated(name string, args []value.Value) result {
	var b strings.Builder
	for _, arg := range args {
		s, ok := arg.(value.String)
		if !ok {
			return wrongType(name, "String", arg)
		}
		if b.Len()+len(s) > maxValue {
			return tooLarge()
		}
		b.WriteString(string(s))
	}
	return of(value.String(b.String()))
}

// reversed returns a string with its characters in reverse order.
func reversed(s string) result {
	runes := []rune(s)
	slices.Reverse(runes)
	return of(value.String(runes))
}

// substring returns the characters of a string from a position, which counts from the end if it is negative.
func substring(_ *frame, args []value.Value) result {
	s, ok := args[0].(value.String)
	if !ok {
		return wrongType("substring", "String", args[0])
	}
	from, length, no := span("substring", args[1:])
	if no.fail != nil {
		return no
	}
	runes := []rune(string(s))
	return of(value.String(cut(runes, from, length)))
}

// span reads an offset and an optional length.
func span(name string, args []value.Value) (from, length int64, no result) {
	n, ok := args[0].(value.Int)
	if !ok {
		return 0, 0, wrongType(name, "Long", args[0])
	}
	length = 1 << 62
	if len(args) == 2 {
		m, ok := args[1].(value.Int)
		if !ok {
			return 0, 0, wrongType(name, "Long", args[1])
		}
		if m < 0 {
			return 0, 0, failed("The function %s(...) is invalid: length must be non-negative.", name)
		}
		length = int64(m)
	}
	return int64(n), length, unset
}

// cut returns a part of a slice. A negative offset counts from the end.
func cut[T any](s []T, from, length int64) []T {
	n := int64(len(s))
	if from < 0 {
		from = max(from+n, 0)
	}
	from = min(from, n)
	return s[from : from+min(length, n-from)]
}

// repeated evaluates string_repeat.
func repeated(_ *frame, args []value.Value) result {
	s, ok := args[0].(value.String)
	if !ok {
		return wrongType("string_repeat", "String", args[0])
	}
	n, ok := args[1].(value.Int)
	if !ok {
		return wrongType("string_repeat", "Long", args[1])
	}
	switch {
	case n < 0:
		return failed("The function string_repeat(...) is invalid: the number of repetitions must be non-negative.")
	case len(s) > 0 && int64(n) > maxValue/int64(len(s)):
		return tooLarge()
	case len(s) == 0:
		return of(s)
	}
	return of(value.String(strings.Repeat(string(s), int(n))))
}

// replaced returns a function that replaces the first n places of a string, or all.
func replaced(name string, n int) *Function {
	return &Function{Name: name, Args: "string, string, string", Result: "string", Source: "go", Min: 3, Max: 3, eval: func(_ *frame, args []value.Value) result {
		var s [3]string
		for i, arg := range args {
			text, ok := arg.(value.String)
			if !ok {
				return wrongType(name, "String", arg)
			}
			s[i] = string(text)
		}
		if s[1] == "" {
			return of(value.String(s[0]))
		}
		count := strings.Count(s[0], s[1])
		if n > 0 {
			count = min(count, n)
		}
		if len(s[0])+count*max(len(s[2])-len(s[1]), 0) > maxValue {
			return tooLarge()
		}
		return of(value.String(strings.Replace(s[0], s[1], s[2], n)))
	}}
}

// joined evaluates join.
func joined(f *frame, args []value.Value) result {
	items, ok := args[0].(value.Array)
	if !ok {
		return wrongType("join", "Array", args[0])
	}
	between, ok := args[1].(value.String)
	if !ok {
		return wrongType("join", "String", args[1])
	}
	if err := f.run.step(len(items) / itemsOfStep); err != nil {
		return aborted(err)
	}
	var out []value.Value
	for _, item := range items {
		switch {
		case value.IsNull(item):
			continue
		case len(out) > 0:
			out = append(out, between)
		}
		out = append(out, item)
	}
	return concatenated("join", out)
}

// split splits a string at a delimiter.
func split(s, at string) result {
	var out value.Array
	if (strings.Count(s, at)+1)*(bytesOfElement+1)+len(s) > maxValue {
		return tooLarge()
	}
	for _, part := range strings.Split(s, at) {
		out = append(out, value.String(part))
	}
	return of(out)
}

// length is the length in characters, bytes, elements or members.
func length(f *frame, args []value.Value) result {
	switch x := args[0].(type) {
	case value.String:
		return of(value.Int(utf8.RuneCountInString(string(x))))
	case value.Bytes:
		return of(value.Int(len(x)))
	case value.Array:
		return of(value.Int(len(x)))
	case value.Map:
		if v, ok, err := f.run.vector(x); err != nil {
			return aborted(err)
		} else if ok {
			return of(value.Int(len(v)))
		}
		return of(value.Int(len(x)))
	}
	return wrongType("length", "String, Bytes, Array, Map or Vector", args[0])
}

// inCase returns a string in another case. Unicode has characters that become several.
func inCase(s string, ascii func(string) string, full func(language.Tag, ...cases.Option) cases.Caser) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return full(language.Und).String(s)
		}
	}
	return ascii(s)
}

// textFunctions are the functions of strings.
var textFunctions = []*Function{
	text("char_length", "int64", "js", func(s string) result { return of(value.Int(utf8.RuneCountInString(s))) }),
	{Name: "byte_length", Args: "string or bytes", Result: "int64", Source: "js", Min: 1, Max: 1, eval: func(_ *frame, args []value.Value) result {
		switch x := args[0].(type) {
		case value.String:
			return of(value.Int(len(x)))
		case value.Bytes:
			return of(value.Int(len(x)))
		}
		return wrongType("byte_length", "String", args[0])
	}},
	{Name: "length", Args: "string, bytes, array, map or vector", Result: "int64", Source: "go", Min: 1, Max: 1, eval: length},
	{Name: "string_concat", Args: "string…", Result: "string", Source: "js", Min: 1, Max: -1, eval: func(_ *frame, args []value.Value) result {
		return concatenated("string_concat", args)
	}},
	holds("starts_with", strings.HasPrefix),
	holds("ends_with", strings.HasSuffix),
	holds("string_contains", strings.Contains),
	text("to_lower", "string", "js", func(s string) result { return of(value.String(inCase(s, strings.ToLower, cases.Lower))) }),
	text("to_upper", "string", "js", func(s string) result { return of(value.String(inCase(s, strings.ToUpper, cases.Upper))) }),
	trimmed("trim", strings.TrimFunc),
	trimmed("ltrim", strings.TrimLeftFunc),
	trimmed("rtrim", strings.TrimRightFunc),
	text("string_reverse", "string", "go", reversed),
	{Name: "string_repeat", Args: "string, int64", Result: "string", Source: "go", Min: 2, Max: 2, eval: repeated},
	replaced("string_replace_one", 1),
	replaced("string_replace_all", -1),
	texts("string_index_of", "int64", "go", func(s, search string) result {
		at := strings.Index(s, search)
		if at < 0 {
			return of(value.Int(-1))
		}
		return of(value.Int(utf8.RuneCountInString(s[:at])))
	}),
	{Name: "substring", Args: "string, int64, int64?", Result: "string", Source: "go", Min: 2, Max: 3, eval: substring},
	{Name: "join", Args: "array, string", Result: "string", Source: "go", Min: 2, Max: 2, eval: joined},
	texts("split", "array", "go", split),
}
