package clavetest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Usage is what production would bill for the requests to a project. doc/lab.md lists the rules.
type Usage struct {
	// Total holds the sums of Rows.
	Total UsageCounts `json:"total"`
	// Rows are the counts by call, collection pattern, caller, query and rule, those with the most reads first.
	Rows []UsageRow `json:"rows"`
	// Rules are the sums of the rows that rules decided, those with the most reads first.
	Rules []UsageRuleRow `json:"rules"`
}

// UsageRule is an allow statement of the security rules; zero for callers to whom no rules apply.
type UsageRule struct {
	// Line is the line at which its condition begins; 0 if no statement applied.
	Line int `json:"line"`
	// Match is the path of its match, as in /users/{uid}.
	Match string `json:"match"`
}

// UsageRuleRow is what the requests that a rule decided cost.
type UsageRuleRow struct {
	UsageRule
	UsageCounts
}

// UsageCounts are billed operations.
type UsageCounts struct {
	// Reads is the sum of Documents, Missing, Skipped, Entries, Minimum and Lookups.
	Reads     int64 `json:"reads"`
	Calls     int64 `json:"calls"`
	Documents int64 `json:"documents"`
	Missing   int64 `json:"missing"`
	Skipped   int64 `json:"skipped"`
	Entries   int64 `json:"entries"`
	Minimum   int64 `json:"minimum"`
	Lookups   int64 `json:"lookups"`
	Writes    int64 `json:"writes"`
	Deletes   int64 `json:"deletes"`
	// TTLDeletes are deletes by TTL policies.
	TTLDeletes int64 `json:"ttlDeletes"`
	// Denials are decisions of rules that denied. They cost nothing.
	Denials int64 `json:"denials"`
	// SentBytes is the size of the documents that were returned.
	SentBytes int64 `json:"sentBytes"`
}

// UsageKey identifies a row.
type UsageKey struct {
	// Call is get, query, aggregate, list, collectionIds, partition, listen, pipeline, write or ttl.
	Call string `json:"call"`
	// Pattern is the collection with * for ids of documents.
	Pattern string `json:"pattern"`
	// Caller is user, anonymous, admin or server, and User the id of a user.
	Caller string `json:"caller"`
	User   string `json:"user"`
	// Query is the query without the values of its conditions.
	Query string `json:"query"`
	// Rule is the allow statement that decided.
	Rule UsageRule `json:"rule"`
}

// UsageRow is one row of a Usage.
type UsageRow struct {
	UsageKey
	UsageCounts
}

// Usage returns what production would bill for the requests to the project since the start or the last ResetUsage.
func (s *Server) Usage(ctx context.Context) (u Usage, err error) {
	err = s.call(ctx, http.MethodGet, "usage", struct{}{}, &u)
	return u, err
}

// Storage is what documents occupy as production bills their storage.
type Storage struct {
	// Total holds the sums of Patterns.
	Total StoredBytes `json:"total"`
	// Patterns are the collection patterns, those with the most bytes first.
	Patterns []struct {
		Pattern string `json:"pattern"`
		StoredBytes
	} `json:"patterns"`
	// Partial is set if there are more documents than were counted.
	Partial bool `json:"partial"`
}

// StoredBytes are sizes of documents and of their index entries.
type StoredBytes struct {
	Documents     int64 `json:"documents"`
	DocumentBytes int64 `json:"documentBytes"`
	IndexBytes    int64 `json:"indexBytes"`
}

// Storage returns what the documents of the project occupy. It reads up to 500,000 documents.
func (s *Server) Storage(ctx context.Context) (Storage, error) {
	var u struct{ Stored Storage }
	err := s.call(ctx, http.MethodGet, "usage?stored=true", struct{}{}, &u)
	return u.Stored, err
}

// ResetUsage begins to count anew.
func (s *Server) ResetUsage(ctx context.Context) error {
	return s.call(ctx, http.MethodDelete, "usage", struct{}{}, nil)
}

// ExpectReads runs a function, and fails the test if the project's requests meanwhile cost more than most reads. It
// names the queries that read most. Snapshots of the function's commits count, as those of other goroutines do.
func (s *Server) ExpectReads(t testing.TB, most int64, run func()) {
	t.Helper()
	read := func() Usage {
		t.Helper()
		u, err := s.Usage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	before := read()
	run()
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := read()
	if reads := after.Total.Reads - before.Total.Reads; reads > most {
		t.Errorf("%d reads, %d allowed%s", reads, most, culprits(before, after))
	}
}

// culprits lists what has read most between two reports.
func culprits(before, after Usage) string {
	const named = 5
	earlier := make(map[UsageKey]int64)
	for _, row := range before.Rows {
		earlier[row.UsageKey] = row.Reads
	}
	rows := slices.Clone(after.Rows)
	for i := range rows {
		rows[i].Reads -= earlier[rows[i].UsageKey]
	}
	slices.SortStableFunc(rows, func(a, b UsageRow) int { return cmp.Compare(b.Reads, a.Reads) })
	var b strings.Builder
	for _, row := range rows[:min(named, len(rows))] {
		if row.Reads > 0 {
			fmt.Fprintf(&b, "\n  %d by %s %s (%s)", row.Reads, row.Call, cmp.Or(row.Query, row.Pattern), strings.TrimSpace(row.Caller+" "+row.User))
		}
	}
	return b.String()
}
