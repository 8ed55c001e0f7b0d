package rules

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/eval"
	"clave/server/internal/rules/syntax"
)

// object is a JSON object.
type object = map[string]any

// render returns a value in the official emulator's JSON form of expression values.
func render(v eval.Value) []byte {
	text, err := json.Marshal(expressionValue(v))
	if err != nil {
		return []byte("{}")
	}
	return text
}

// expressionValue returns a value in the form of firebase-tools' ExpressionValue.
func expressionValue(v eval.Value) any { // long: one case a type
	switch x := v.(type) {
	case value.Null:
		return object{"nullValue": nil}
	case value.Bool:
		return object{"boolValue": bool(x)}
	case value.Int:
		return object{"intValue": strconv.FormatInt(int64(x), 10)}
	case value.Double:
		if f := float64(x); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return object{"floatValue": f}
		}
		return object{"floatValue": endless(float64(x))}
	case value.String:
		return object{"stringValue": string(x)}
	case value.Bytes:
		return object{"bytesValue": base64.StdEncoding.EncodeToString([]byte(x))}
	case value.Timestamp:
		return object{"timestampValue": x.Time().Format(time.RFC3339Nano)}
	case eval.Duration:
		return object{"durationValue": durationText(x)}
	case value.GeoPoint:
		return object{"latlngValue": object{"latitude": x.Lat, "longitude": x.Lng}}
	case value.Array:
		return object{"listValue": object{"values": expressionValues(x)}}
	case *eval.Set:
		return object{"setValue": object{"values": expressionValues(x.Items())}}
	case value.Map:
		return object{"mapValue": object{"fields": expressionFields(x)}}
	case *eval.Document:
		return object{"mapValue": object{"fields": object{
			"data": expressionValue(x.Data), "id": expressionValue(value.String(x.ID)), "__name__": expressionValue(x.Name),
		}}}
	case *eval.Partial:
		return object{"mapValue": object{"fields": expressionFields(x.Fields)}}
	case *eval.Path, value.Reference:
		return object{"pathValue": object{"segments": pathSegments(v)}}
	case *eval.Diff:
		return object{"mapDiffValue": object{"keyStatuses": x.Statuses()}}
	case *eval.Field:
		return object{"constraintValue": object{"simpleConstraints": constraints(x)}}
	case *eval.Failure:
		at := object{}
		if x.At.Line > 0 {
			at = object{"sourcePosition": position(x.At), "causeMessage": x.Text}
		}
		return object{"undefined": at}
	}
	return object{}
}

// endless returns the name of a float that JSON can't represent.
func endless(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return "NaN"
}

// durationText returns a duration in the JSON form of protocol buffers: seconds with no, three, six or nine decimals.
func durationText(d eval.Duration) string {
	sign, seconds, nanos := "", d.Seconds, d.Nanos
	if seconds < 0 || nanos < 0 {
		sign, seconds, nanos = "-", -seconds, -nanos
	}
	fraction := fmt.Sprintf(".%09d", nanos)
	for range 3 {
		fraction = strings.TrimSuffix(fraction, "000")
	}
	return fmt.Sprintf("%s%d%ss", sign, seconds, strings.TrimSuffix(fraction, "."))
}

// expressionValues renders a list.
func expressionValues(items []eval.Value) []any {
	out := make([]any, len(items))
	for i, v := range items {
		out[i] = expressionValue(v)
	}
	return out
}

// expressionFields renders a map.
func expressionFields(m map[string]eval.Value) object {
	out := make(object, len(m))
	for k, v := range m {
		out[k] = expressionValue(v)
	}
	return out
}

// pathSegments renders a path.
func pathSegments(v eval.Value) []any {
	p := eval.PathOf(v)
	out := make([]any, len(p.Parts))
	for i, s := range p.Parts {
		switch s.Kind {
		case syntax.Literal:
			out[i] = object{"simple": s.Text}
		case syntax.Capture:
			out[i] = object{"capture": object{"variableName": s.Text}}
		case syntax.Glob:
			out[i] = object{"globCapture": object{"variableName": s.Text}}
		}
	}
	return out
}

// constraints renders the facts about a field.
func constraints(f *eval.Field) []any {
	var out []any
	add := func(comparator string, v eval.Value) {
		out = append(out, object{"comparator": comparator, "value": expressionValue(v)})
	}
	if f.Equal != nil {
		add("EQ", f.Equal)
	}
	for _, v := range f.Not {
		add("NEQ", v)
	}
	if f.Low != nil {
		add(map[bool]string{true: "GTE", false: "GT"}[f.Low.Inclusive], f.Low.Value)
	}
	if f.High != nil {
		add(map[bool]string{true: "LTE", false: "LT"}[f.High.Inclusive], f.High.Value)
	}
	for _, v := range f.Contains {
		add("LIST_CONTAINS", v)
	}
	return out
}

// position renders a place in the text.
func position(s syntax.Span) object {
	return object{"line": s.Line, "column": s.Column, "currentOffset": s.Start, "endOffset": max(s.Start, s.End-1)}
}
