package transfer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// The columns of a file that `firebase auth:export` writes as CSV, which has no line of names. Providers have four
// columns: id, e-mail address, name and picture.
var (
	csvColumns = map[int]string{
		0: "localId", 1: "email", 3: "passwordHash", 4: "salt", 5: "displayName", 6: "photoUrl", 23: "createdAt", 24: "lastLoginAt", 25: "phoneNumber", 27: "customAttributes",
	}
	csvFlags     = map[int]string{2: "emailVerified", 26: "disabled"}
	csvProviders = map[int]string{
		7: "google.com", 11: "facebook.com", 15: "twitter.com", 19: "github.com", 28: "apple.com", 32: "microsoft.com",
		36: "gc.apple.com", 40: "playgames.google.com", 44: "linkedin.com", 48: "yahoo.com",
	}
)

// The fewest columns, which older versions of the Firebase CLI wrote, and the most.
const (
	leastColumns = 26
	mostColumns  = 53 // with an empty one after the last comma
)

// isCSV reports whether a file of accounts is CSV.
func isCSV(name string) bool { return strings.EqualFold(path.Ext(name), ".csv") }

// parseCSV returns the accounts of a CSV file in the form of JSON.
func parseCSV(text []byte) ([]map[string]any, error) {
	r := csv.NewReader(bytes.NewReader(text))
	// The Firebase CLI does not double a quote after a backslash, as in claims.
	r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = true, -1, true
	var users []map[string]any
	for {
		columns, err := r.Read()
		if errors.Is(err, io.EOF) {
			return users, nil
		}
		line, _ := r.FieldPos(0)
		if err != nil {
			return nil, err
		}
		if len(columns) < leastColumns || len(columns) > mostColumns {
			return nil, fmt.Errorf("line %d has %d columns; firebase auth:export writes %d to %d", line, len(columns), leastColumns, mostColumns)
		}
		u, err := csvUser(columns)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		users = append(users, u)
	}
}

// csvUser returns the account of a line.
func csvUser(columns []string) (map[string]any, error) {
	at := func(i int) string {
		if i < len(columns) {
			return columns[i]
		}
		return ""
	}
	u := make(map[string]any)
	for i, name := range csvColumns {
		if v := at(i); v != "" {
			u[name] = v
		}
	}
	for i, name := range csvFlags {
		switch v := at(i); v {
		case "true", "false":
			u[name] = v == "true"
		case "":
		default:
			return nil, fmt.Errorf("column %d is %q, not true or false", i+1, v)
		}
	}
	if claims, ok := u["customAttributes"].(string); ok && !json.Valid([]byte(claims)) {
		return nil, fmt.Errorf("column %d, the custom claims, is not JSON", 28)
	}
	var providers []any
	for i, id := range csvProviders {
		if at(i) != "" {
			providers = append(providers, map[string]any{"providerId": id, "rawId": at(i), "email": at(i + 1), "displayName": at(i + 2), "photoUrl": at(i + 3)})
		}
	}
	u["providerUserInfo"] = providers
	return u, nil
}
