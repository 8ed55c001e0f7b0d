package seed

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The keys of an object that represents a value of a type that JSON lacks.
const (
	timestampKey = "$timestamp"
	dateKey      = "$date"
)

// convert returns the value for the Firestore client of a value of JSON.
func convert(in any, now time.Time) (any, error) {
	switch v := in.(type) {
	case json.Number:
		return convertNumber(v)
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			var err error
			if out[i], err = convert(element, now); err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return out, nil
	case map[string]any:
		if len(v) == 1 {
			for _, key := range []string{timestampKey, dateKey} {
				if text, ok := v[key].(string); ok {
					return convertMoment(key, text, now)
				}
			}
		}
		return convertMap(v, now)
	default:
		return in, nil
	}
}

// convertMap converts the values of a map.
func convertMap(in map[string]any, now time.Time) (map[string]any, error) {
	out := make(map[string]any, len(in))
	for key, value := range in {
		if strings.HasPrefix(key, "$") {
			return nil, fmt.Errorf("%s: unknown or malformed special value", key)
		}
		converted, err := convert(value, now)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		out[key] = converted
	}
	return out, nil
}

// convertNumber returns an integer for a number that is written as an integer, and a double otherwise.
func convertNumber(n json.Number) (any, error) {
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		return i, nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil, fmt.Errorf("number %s: %w", n, err)
	}
	return f, nil
}

// convertMoment returns the timestamp of a relative time, or the text of its day.
func convertMoment(key, text string, now time.Time) (any, error) {
	at, err := Moment(text, now)
	if err != nil {
		return nil, err
	}
	if key == dateKey {
		return at.In(zone).Format(time.DateOnly), nil
	}
	return at, nil
}
