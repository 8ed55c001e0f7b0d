package rules_test

import (
	"context"
	"os"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// siteDocuments are the documents that the site's rules look up.
type siteDocuments map[string]value.Map

// Lookup implements rules.Reader.
func (s siteDocuments) Lookup(_ context.Context, name resource.Document, _ bool) (*document.Document, error) {
	fields, ok := s[name.Path]
	if !ok {
		return nil, nil
	}
	return &document.Document{Name: name, Fields: fields}, nil
}

// siteRules compiles the site's own rules.
func siteRules(tb testing.TB) *rules.Ruleset {
	tb.Helper()
	text, err := os.ReadFile("../../../firestore.rules")
	if err != nil {
		tb.Fatal(err)
	}
	r, issues := rules.Compile(string(text))
	if r == nil {
		tb.Fatal(rules.Summary(issues))
	}
	return r
}

// siteRequests returns requests of the site, and whether they are allowed.
func siteRequests(tb testing.TB) map[string]struct {
	request *rules.Request
	allowed bool
} {
	tb.Helper()
	documents := siteDocuments{"adminusers/ann": {"role": value.String("admin"), "active": value.Bool(true)}}
	ann := &rules.Auth{UID: "ann", Claims: map[string]any{"sub": "ann", "email": "ann@example.com", "email_verified": true}}
	now := value.Timestamp{Seconds: 1767225600}
	events := &query.Query{
		DB: database, From: []query.From{{Collection: "MusicEvent"}}, Limit: 3,
		Where: query.Field{Path: value.FieldPath{"eventDate"}, Op: query.GreaterThanOrEqual, Value: now},
	}
	messages := &query.Query{DB: database, From: []query.From{{Collection: "ContactRequests"}}, Limit: query.NoLimit}
	for _, q := range []**query.Query{&events, &messages} {
		n, err := (*q).Normalize()
		if err != nil {
			tb.Fatal(err)
		}
		*q = n
	}
	message := resource.Document{DB: database, Path: "ContactRequests/1"}
	created := &document.Document{Name: message, Fields: value.Map{
		"name": value.String("Eva"), "email": value.String("eva@example.com"), "subject": value.String("Hola"),
		"message": value.String("¿Hay clases?"), "status": value.String("new"), "createdAt": now,
	}}
	make := func(allowed bool, q rules.Request) struct {
		request *rules.Request
		allowed bool
	} {
		q.Reader, q.Time = documents, now
		return struct {
			request *rules.Request
			allowed bool
		}{&q, allowed}
	}
	return map[string]struct {
		request *rules.Request
		allowed bool
	}{
		"events":           make(true, rules.Request{Method: rules.List, Query: events}),
		"messages/admin":   make(true, rules.Request{Method: rules.List, Query: messages, Auth: ann}),
		"messages/visitor": make(false, rules.Request{Method: rules.List, Query: messages}),
		"send":             make(true, rules.Request{Method: rules.Create, Name: message, After: created}),
		"read/admin":       make(true, rules.Request{Method: rules.Get, Name: message, Before: created, Auth: ann}),
	}
}

func TestSiteRules(t *testing.T) {
	r := siteRules(t)
	for name, c := range siteRequests(t) {
		d, err := r.Allow(t.Context(), c.request)
		if err != nil || d.Allowed != c.allowed {
			t.Errorf("%s: allowed %t, %v; want %t: %s", name, d.Allowed, err, c.allowed, d.Denial())
		}
	}
}

// BenchmarkSiteRules authorizes requests of the site.
func BenchmarkSiteRules(b *testing.B) {
	r := siteRules(b)
	for name, c := range siteRequests(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			c.request.Spend = func(context.Context, int) error { return nil } // as in the authorizer
			for b.Loop() {
				if _, err := r.Allow(b.Context(), c.request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCompile compiles the site's rules.
func BenchmarkCompile(b *testing.B) {
	text, err := os.ReadFile("../../../firestore.rules")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		rules.Compile(string(text))
	}
}
