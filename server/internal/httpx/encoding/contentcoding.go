// Package encoding reads which content codings an HTTP client accepts.
package encoding

import "strings"

// Accepts reports whether an Accept-Encoding header names a coding with a weight above 0. It ignores *.
func Accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		weight, stated := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(params, " ", "")), "q=0")
		if !stated || strings.Trim(weight, ".0") != "" {
			return true
		}
	}
	return false
}
