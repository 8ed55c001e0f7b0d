package webchannel

import "strings"

// address has the parameters in the address of a request, as they are after decoding; empty if they are missing. A map
// of all parameters, as of url.ParseQuery, would take more time than the rest of the handling of a small message.
type address struct {
	// session is the session's id, request the number of a request, and ack that of the last array that the client has.
	session, request, ack string
	// kind is the type of a request, such as terminate.
	kind string
	// once is "1" if each response of the back channel must end, and timeout is for how long it may be without output.
	once, timeout string
	// database is the database of a handshake, and headers are the headers that older SDKs send there.
	database, headers string
}

// parseAddress parses the query of a request's address. ok is false for one that url.ParseQuery refuses. Of a parameter
// that occurs several times the first one that is not empty counts.
func parseAddress(query string) (a address, ok bool) {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if strings.Contains(pair, ";") {
			return address{}, false
		}
		name, value, _ := strings.Cut(pair, "=")
		if name, ok = unescape(name); !ok {
			return address{}, false
		}
		if value, ok = unescape(value); !ok {
			return address{}, false
		}
		if to := a.parameter(name); to != nil && *to == "" {
			*to = value
		}
	}
	return a, true
}

// parameter returns the place of a parameter, or nil for one that is ignored.
func (a *address) parameter(name string) *string {
	switch name {
	case "SID":
		return &a.session
	case "RID":
		return &a.request
	case "AID":
		return &a.ack
	case "TYPE":
		return &a.kind
	case "CI":
		return &a.once
	case "TO":
		return &a.timeout
	case "database":
		return &a.database
	case "$httpHeaders":
		return &a.headers
	}
	return nil
}
