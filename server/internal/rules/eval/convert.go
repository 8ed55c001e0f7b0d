package eval

import (
	"math"
	"strconv"
	"strings"

	"clave/server/internal/model/value"
)

// toString evaluates string(v). It fails for a value that has no such text.
func toString(v Value) (string, *Failure) {
	switch x := v.(type) {
	case value.String:
		return string(x), nil
	case value.Int:
		return strconv.FormatInt(int64(x), 10), nil
	case value.Double:
		return formatFloat(float64(x)), nil
	case value.Bool:
		return strconv.FormatBool(bool(x)), nil
	case value.Null:
		return "null", nil
	case *Path:
		return x.shown(), nil
	case value.Reference:
		return referencePath(x).String(), nil
	}
	return "", unsupported("string("+TypeName(v)+")",
		"string(int), string(float), string(null), string(string), string(bool), string(path)")
}

// formatFloat prints a float as Java does: 1.5, 1.0E8, NaN.
func formatFloat(f float64) string {
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case abs == 0 || abs >= 1e-3 && abs < 1e7:
		s := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	s := strconv.FormatFloat(f, 'E', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}

// toStringValue is string(v).
func toStringValue(args []Value) Value {
	s, f := toString(args[0])
	if f != nil {
		return f
	}
	return value.String(s)
}

// toInt is int(v).
func toInt(args []Value) Value {
	switch x := args[0].(type) {
	case value.Double:
		return value.Int(truncate(float64(x)))
	case value.String:
		if n, err := strconv.ParseInt(string(x), 10, 64); err == nil && !strings.Contains(string(x), "_") {
			return value.Int(n)
		}
		return conversion(string(x), "int")
	}
	return args[0]
}

// truncate returns a float's integral part like Java's cast: the nearest int if it is out of range, and 0 for NaN.
func truncate(f float64) int64 {
	switch {
	case math.IsNaN(f):
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// conversion returns the failure for a string that is not a number.
func conversion(text, to string) *Failure {
	return failf("Type conversion error. Argument: [%s], From type: [string], To type: [%s].", text, to)
}

// toFloatValue is float(v).
func toFloatValue(args []Value) Value {
	s, ok := args[0].(value.String)
	if !ok {
		return value.Double(toFloat(args[0]))
	}
	f, ok := parseFloat(string(s))
	if !ok {
		return conversion(string(s), "float")
	}
	return value.Double(f)
}

// parseFloat parses a float like Java: surrounding blanks and a suffix f or d are allowed, and infinity is Infinity.
func parseFloat(s string) (float64, bool) {
	s = strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
	bare := strings.TrimLeft(s, "+-")
	if len(s)-len(bare) > 1 {
		return 0, false
	}
	switch bare {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		if strings.HasPrefix(s, "-") {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	hex := strings.HasPrefix(bare, "0x") || strings.HasPrefix(bare, "0X")
	if bare == "" || !strings.ContainsAny(bare[:1], ".0123456789") || strings.Contains(s, "_") ||
		hex && !strings.ContainsAny(bare, "pP") {
		return 0, false
	}
	if last := s[len(s)-1]; strings.IndexByte("fFdD", last) >= 0 {
		s = s[:len(s)-1]
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// toPath is path(text).
func toPath(args []Value) Value {
	text, ok := args[0].(value.String)
	if !ok {
		return typeError(args[0], "string")
	}
	p, failure := parsePath(string(text))
	if failure != "" {
		return &Failure{Text: failure}
	}
	return p
}
