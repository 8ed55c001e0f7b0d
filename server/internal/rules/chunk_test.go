package rules_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// The files in testdata hold chunks, separated by lines of three dashes. A chunk is a piece of rules inside of match
// /databases/{database}/documents (or a whole file, if it begins with rules_version or service), then documents and
// requests, one a line:
//
//	doc /rooms/a {"owner": "ann"}
//	get /rooms/a as ann               ### allow
//	list /rooms where n > 3 && owner == "ann" as ann
//	create /rooms/b {"n": 1}          ### deny "false for 'create' @ L4"
//	update /rooms/a {"n": 2} as ann
//	delete /rooms/a
// The refusal must contain a text in quotes. After a line of rules, ### "text" is an issue that the line must have;
// every issue must be expected so. The lines of chunks that are not whole files are numbered from 4.

// chunk is one chunk of a file.
type chunk struct {
	place    string
	source   string
	issues   map[int][]string
	docs     map[string]*document.Document
	requests []chunkRequest
}

// chunkRequest is one request of a chunk.
type chunkRequest struct {
	place, line, expect string
}

var (
	requestLine = regexp.MustCompile(`^(doc|get|list|create|update|delete) /`)
	quoted      = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

// readChunks reads a file of chunks.
func readChunks(t *testing.T, file string) []*chunk {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []*chunk
	var c *chunk
	var source []string
	whole := false
	finish := func() {
		c.source = strings.Join(source, "\n")
		if !whole {
			c.source = "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{database}/documents {\n" + c.source + "\n  }\n}\n"
		}
		all = append(all, c)
	}
	begin := func(n int) {
		c = &chunk{place: fmt.Sprintf("%s:%d", filepath.Base(file), n), issues: make(map[int][]string), docs: make(map[string]*document.Document)}
		source, whole = nil, false
	}
	begin(1)
	for i, line := range strings.Split(string(text), "\n") {
		body, expect, _ := strings.Cut(line, "###")
		body, expect = strings.TrimRight(body, " "), strings.TrimSpace(expect)
		switch {
		case strings.TrimSpace(line) == "---":
			finish()
			begin(i + 2)
		case strings.HasPrefix(body, "doc /"):
			path, fields := cutFields(t, strings.TrimPrefix(body, "doc /"))
			c.docs[path] = newDocument(path, fields)
		case requestLine.MatchString(body):
			c.requests = append(c.requests, chunkRequest{fmt.Sprintf("%s:%d", filepath.Base(file), i+1), body, expect})
		default:
			if len(source) == 0 && (strings.HasPrefix(body, "rules_version") || strings.HasPrefix(body, "service")) {
				whole = true
			}
			source = append(source, body)
			number := len(source)
			if !whole {
				number += 3
			}
			for _, m := range quoted.FindAllStringSubmatch(expect, -1) {
				c.issues[number] = append(c.issues[number], strings.ReplaceAll(m[1], `\"`, `"`))
			}
		}
	}
	finish()
	return all
}

// newDocument returns a document.
func newDocument(path string, fields value.Map) *document.Document {
	return &document.Document{Name: resource.Document{DB: database, Path: path}, Fields: fields}
}

// cutFields splits "a/b {json}" into path and fields.
func cutFields(t *testing.T, text string) (string, value.Map) {
	t.Helper()
	path, body, ok := strings.Cut(text, " {")
	if !ok {
		return strings.TrimSpace(text), value.Map{}
	}
	v := jsonValue(t, "{"+body)
	m, _ := v.(value.Map)
	return path, m
}

// jsonValue converts plain JSON into a value. Numbers with a decimal point are floats.
func jsonValue(t *testing.T, text string) value.Value {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return plainValue(v)
}

// plainValue converts decoded JSON into a value.
func plainValue(v any) value.Value {
	switch x := v.(type) {
	case bool:
		return value.Bool(x)
	case string:
		return value.String(x)
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return value.Int(n)
		}
		f, _ := x.Float64()
		return value.Double(f)
	case []any:
		list := make(value.Array, len(x))
		for i, item := range x {
			list[i] = plainValue(item)
		}
		return list
	case map[string]any:
		m := make(value.Map, len(x))
		for k, item := range x {
			m[k] = plainValue(item)
		}
		return m
	}
	return value.Null{}
}

// Lookup implements rules.Reader. It returns the same documents before and after a write.
func (c *chunk) Lookup(_ context.Context, name resource.Document, _ bool) (*document.Document, error) {
	return c.docs[name.Path], nil
}

// parse parses a line into a request.
func (c *chunk) parse(t *testing.T, line string) *rules.Request {
	t.Helper()
	q := &rules.Request{Reader: c, Time: value.Timestamp{Seconds: 1767225600}}
	if before, user, ok := strings.Cut(line, " as "); ok {
		line = before
		user = strings.TrimSpace(user)
		q.Auth = &rules.Auth{UID: user, Claims: map[string]any{"sub": user, "admin": user == "root", "email": user + "@example.com"}}
	}
	verb, rest, _ := strings.Cut(line, " /")
	if verb == "list" {
		q.Method, q.Query = rules.List, parseQuery(t, rest)
		return q
	}
	path, fields := cutFields(t, rest)
	q.Name, q.Before = resource.Document{DB: database, Path: path}, c.docs[path]
	q.Method = map[string]rules.Method{"get": rules.Get, "create": rules.Create, "update": rules.Update, "delete": rules.Delete}[verb]
	if verb == "create" || verb == "update" {
		q.After = newDocument(path, fields)
	}
	return q
}

// operatorsOf are the comparisons of list lines.
var operatorsOf = map[string]query.Op{
	"==": query.Equal, "!=": query.NotEqual, "<": query.LessThan, "<=": query.LessThanOrEqual, ">": query.GreaterThan,
	">=": query.GreaterThanOrEqual, "contains": query.ArrayContains, "in": query.In, "not-in": query.NotIn, "contains-any": query.ArrayContainsAny,
}

// parseQuery parses a query such as "rooms/a/notes where n > 3 && m == 1 order n limit 5". ** before the id means a
// group.
func parseQuery(t *testing.T, text string) *query.Query {
	t.Helper()
	q := &query.Query{DB: database, Limit: query.NoLimit}
	text, limit, _ := strings.Cut(text, " limit ")
	if limit != "" {
		if _, err := fmt.Sscan(limit, &q.Limit); err != nil {
			t.Fatal(err)
		}
	}
	text, order, _ := strings.Cut(text, " order ")
	if order != "" {
		q.OrderBy = []query.Order{{Path: fieldPath(t, order)}}
	}
	path, where, _ := strings.Cut(text, " where ")
	segments := strings.Split(strings.TrimSpace(path), "/")
	from := query.From{Collection: segments[len(segments)-1]}
	segments = segments[:len(segments)-1]
	if len(segments) > 0 && segments[len(segments)-1] == "**" {
		from.AllDescendants = true
		segments = segments[:len(segments)-1]
	}
	q.Parent, q.From = strings.Join(segments, "/"), []query.From{from}
	and := &query.And{}
	for one := range strings.SplitSeq(where, " && ") {
		parts := strings.SplitN(strings.TrimSpace(one), " ", 3)
		if len(parts) < 3 {
			continue
		}
		v := jsonValue(t, parts[2])
		if s, ok := v.(value.String); ok && parts[0] == "__name__" {
			v = value.Reference(resource.Document{DB: database, Path: string(s)}.String())
		}
		if _, null := v.(value.Null); null && parts[1] == "==" {
			and.Filters = append(and.Filters, query.Unary{Path: fieldPath(t, parts[0]), Op: query.IsNull})
			continue
		}
		and.Filters = append(and.Filters, query.Field{Path: fieldPath(t, parts[0]), Op: operatorsOf[parts[1]], Value: v})
	}
	if len(and.Filters) > 0 {
		q.Where = and
	}
	n, err := q.Normalize()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

// fieldPath parses a field path.
func fieldPath(t *testing.T, text string) value.FieldPath {
	t.Helper()
	p, err := value.ParseFieldPath(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkIssues compares the issues of a chunk with the expected ones.
func (c *chunk) checkIssues(t *testing.T, issues []rules.Issue) {
	t.Helper()
	want := make(map[int][]string)
	for n, texts := range c.issues {
		want[n] = slices.Clone(texts)
	}
	for _, i := range issues {
		texts := want[i.Span.Line]
		at := slices.IndexFunc(texts, func(text string) bool { return strings.Contains(i.Text, text) })
		if at < 0 {
			t.Errorf("%s: unforetold issue %s %s", c.place, i.Severity, i)
			continue
		}
		want[i.Span.Line] = slices.Delete(texts, at, at+1)
	}
	for n, texts := range want {
		for _, text := range texts {
			t.Errorf("%s: line %d of the chunk has no issue %q (issues: %v)", c.place, n, text, issues)
		}
	}
}

func TestChunks(t *testing.T) {
	files, err := filepath.Glob("testdata/*.rules")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata: ", err)
	}
	requests := 0
	for _, file := range files {
		for _, c := range readChunks(t, file) {
			r, issues := rules.Compile(c.source)
			c.checkIssues(t, issues)
			if r == nil {
				if len(c.requests) > 0 {
					t.Errorf("%s: %s", c.place, rules.Summary(issues))
				}
				continue
			}
			for _, a := range c.requests {
				requests++
				d, err := r.Allow(t.Context(), c.parse(t, a.line))
				if err != nil {
					t.Fatal(err)
				}
				got := map[bool]string{true: "allow", false: "deny"}[d.Allowed]
				verdict, _, _ := strings.Cut(a.expect, " ")
				if got != verdict {
					t.Errorf("%s: %s: got %s, want %s: %s", a.place, a.line, got, a.expect, d.Denial())
					continue
				}
				for _, m := range quoted.FindAllStringSubmatch(a.expect, -1) {
					if !strings.Contains(d.Denial(), m[1]) {
						t.Errorf("%s: %s: refused with %q, want %q in it", a.place, a.line, d.Denial(), m[1])
					}
				}
			}
		}
	}
	t.Logf("%d requests", requests)
}
