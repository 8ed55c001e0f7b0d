package authz

import (
	"runtime"
	"strings"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// TestWatchersHoldLittle makes large decisions. Those that wait for a watcher that reads nothing have a limited size,
// and those that a watcher begins with are shared by all watchers.
func TestWatchersHoldLittle(t *testing.T) {
	ruleset, issues := rules.Compile("rules_version = '2'; service cloud.firestore { match /a/{b} { allow read; } } //" + strings.Repeat("x", 200_000))
	if ruleset == nil {
		t.Fatal(rules.Summary(issues))
	}
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	doc := &document.Document{Name: resource.Document{DB: db, Path: "a/b"}, Fields: value.Map{"text": value.String(strings.Repeat("y", 60_000))}}
	m := newMonitor()
	_, slow := m.Watch()
	defer slow.Close()
	const made = 900
	for range made {
		m.add(ruleset, &rules.Request{Method: rules.Update, Name: doc.Name, Before: doc, After: doc}, &rules.Decision{Allowed: true})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	past, other := m.Watch()
	runtime.ReadMemStats(&after)
	other.Close()
	if len(past) != shown || after.TotalAlloc-before.TotalAlloc > 64<<10 {
		t.Errorf("a watcher begins with %d decisions and %d bytes of its own, want %d and 64 KiB at most", len(past), after.TotalAlloc-before.TotalAlloc, shown)
	}
	waiting, size, last := 0, 0, ""
	for e := slow.Next(); e != nil; e = slow.Next() {
		waiting++
		size += e.Size()
		last = e.Record().ID
	}
	if size > keptSize || size < keptSize/2 || last != "900" {
		t.Errorf("%d decisions of %d bytes wait for a slow watcher until %s, want the latest of %d with %d bytes at most", waiting, size, last, made, keptSize)
	}
}

// TestKeptQueriesAreSmall decides about queries that select many fields and have many values. The kept ones have a
// limited size.
func TestKeptQueriesAreSmall(t *testing.T) {
	ruleset, _ := rules.Compile("rules_version = '2'; service cloud.firestore { match /a/{b} { allow read; } }")
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	long := value.String(strings.Repeat("v", 1_000))
	filter := &query.And{}
	for range 90 {
		filter.Filters = append(filter.Filters, query.Field{Path: value.FieldPath{"f"}, Op: query.Equal, Value: long})
	}
	m := newMonitor()
	for range maxKept {
		q := &query.Query{DB: db, From: []query.From{{Collection: "a"}}, HasSelect: true, Select: make([]value.FieldPath, 5_000), Where: filter}
		m.add(ruleset, &rules.Request{Method: rules.List, Query: q}, &rules.Decision{Allowed: true})
	}
	kept, _ := m.Kept()
	if len(kept) < 300 || len(kept) > 400 {
		t.Errorf("%d decisions about queries with 90 KB are kept, want those of 32 MiB", len(kept))
	}
	for _, e := range kept {
		q := e.Request()
		if len(q.Query.Select) > 0 || len(q.Query.From) == 0 || q.Query.Where == nil {
			t.Fatalf("a kept query is %+v, want one without the selected fields", q.Query)
		}
	}
}
