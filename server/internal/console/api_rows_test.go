package console_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"clave/server/internal/app/config"
)

// rows is a page of rows.
type rows struct {
	Rows []struct {
		Document struct {
			Name       string
			CreateTime string
			Fields     map[string]struct {
				StringValue string
				ArrayValue  struct{ Values []any }
			}
		}
		Size int
	}
	Next string
	More bool
}

// ids returns the ids of the rows' documents.
func (r rows) ids() string {
	var out []string
	for _, row := range r.Rows {
		out = append(out, row.Document.Name[strings.LastIndex(row.Document.Name, "/")+1:])
	}
	return strings.Join(out, " ")
}

// TestRowsArePagesByBytes lists and queries documents of 0.7 MB: their values are shortened, and three fill a page.
func TestRowsArePagesByBytes(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.session()
	const letters = 700_000
	field := fmt.Sprintf(`{"stringValue": %q}`, strings.Repeat("ñ", letters/2))
	for i := range 7 {
		body := fmt.Sprintf(`{"fields": {"big": %s, "n": {"integerValue": "%d"}, "list": {"arrayValue": {"values": [%s]}}}}`,
			field, i, strings.TrimSuffix(strings.Repeat(`{"integerValue": "1"},`, 2000), ","))
		if res, text := s.request("PATCH", fmt.Sprintf("%s/large/d%d", documents, i), body); res.StatusCode != 200 {
			t.Fatalf("writing a large document: %d %s", res.StatusCode, text)
		}
	}
	s.set("large/d7/below/x", 1) // large/d7 is missing
	token, all := "", []string{}
	for range 4 {
		var page rows
		s.call("GET", "/api/rows?collection=large&pageToken="+url.QueryEscape(token), "", &page)
		if len(page.Rows) > 5 {
			t.Errorf("a page has %d documents of %d letters", len(page.Rows), letters)
		}
		for _, row := range page.Rows {
			if row.Document.CreateTime == "" {
				continue
			}
			if short := row.Document.Fields["big"].StringValue; row.Size < letters || len(short) != 256 || !strings.HasPrefix(short, "ññ") {
				t.Errorf("a row of a document of %d bytes has %d letters", row.Size, len(short))
			}
			if n := len(row.Document.Fields["list"].ArrayValue.Values); n < 20 || n > 100 {
				t.Errorf("%d items of a list are shown", n)
			}
		}
		all = append(all, page.ids())
		if token = page.Next; token == "" {
			break
		}
	}
	if got, want := strings.Join(all, " "), "d0 d1 d2 d3 d4 d5 d6 d7"; got != want {
		t.Errorf("the pages list %s, want %s", got, want)
	}
	var page rows
	query := `{"from": [{"collectionId": "large"}], "orderBy": [{"field": {"fieldPath": "n"}, "direction": "DESCENDING"}]}`
	s.call("GET", "/api/rows?query="+url.QueryEscape(query), "", &page)
	if got := page.ids(); got != "d6 d5 d4" || !page.More {
		t.Errorf("the query's page: %s, more %t, want d6 d5 d4 and more", got, page.More)
	}
	query = strings.ReplaceAll(query, `"n"`, `"big"`)
	s.call("GET", "/api/rows?query="+url.QueryEscape(query), "", &page)
	if got := len(page.Rows[0].Document.Fields["big"].StringValue); got < letters {
		t.Errorf("a field of the query's order has %d letters, but a cursor needs all", got)
	}
	page = rows{}
	s.call("POST", "/api/rows", `{"paths": ["large/d3", "large/none"]}`, &page)
	if got := page.ids(); got != "d3" || len(page.Rows[0].Document.Fields["big"].StringValue) != 256 {
		t.Errorf("the rows at two paths: %s, want d3, shortened", got)
	}
}
