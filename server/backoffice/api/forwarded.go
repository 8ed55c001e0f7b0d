package api

import "strings"

// forwarded returns the addresses of all X-Forwarded-For headers, the client's first, each proxy's view after it.
func forwarded(headers []string) []string {
	var chain []string
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			if part = strings.TrimSpace(part); part != "" {
				chain = append(chain, part)
			}
		}
	}
	return chain
}
