package api

import (
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
)

// parseOrderBy parses the order of a listing, such as "a desc, b.`c d`".
func parseOrderBy(s string) ([]query.Order, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var orders []query.Order
	for _, clause := range splitUnquoted(s, ",") {
		o, ok, err := parseClause(clause)
		switch {
		case !ok:
			return nil, fault.E(fault.InvalidArgument, "Invalid order by clause \"%s\".", s)
		case err != nil:
			return nil, err
		}
		orders = append(orders, o)
	}
	return orders, nil
}

// parseClause parses a field path and an optional direction. ok is false if the clause has another form.
func parseClause(clause string) (o query.Order, ok bool, err error) {
	var words []string
	for _, word := range splitUnquoted(clause, " \t\n\r") {
		if word != "" {
			words = append(words, word)
		}
	}
	if len(words) == 0 || len(words) > 2 {
		return o, false, nil
	}
	if len(words) == 2 {
		switch strings.ToLower(words[1]) {
		case "asc":
		case "desc":
			o.Desc = true
		default:
			return o, false, nil
		}
	}
	if _, err := value.ParseFieldPath(words[0]); err != nil {
		return o, false, nil
	}
	o.Path, err = wire.ParsePath(words[0])
	return o, true, err
}

// splitUnquoted splits a text at separators outside backticks. Within backticks a backslash escapes the next character.
func splitUnquoted(s, separators string) []string {
	var parts []string
	quoted, start := false, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '`':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && strings.IndexByte(separators, c) >= 0:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}
