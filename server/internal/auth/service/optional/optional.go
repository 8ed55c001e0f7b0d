// Package optional reads optional fields of requests and settings, which are nil if they are not set.
package optional

// String returns a string, or empty if it is not set.
func String(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// Bool returns a value, or def if it is not set.
func Bool(p *bool, def bool) bool {
	if p == nil {
		return def
	}
	return *p
}
