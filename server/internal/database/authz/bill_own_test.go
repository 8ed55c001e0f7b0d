package authz

import (
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
	"clave/server/internal/observe/usage"
)

// TestDocumentsOfTargetsAreCountedWithoutTexts counts documents of a target. Nothing must be allocated for one: the
// text of its query was made for each before.
func TestDocumentsOfTargetsAreCountedWithoutTexts(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	az := &Authorizer{usage: usage.New(usage.Options{Clock: manual}), clock: manual}
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	q, err := (&query.Query{
		From: []query.From{{Collection: "events"}}, Limit: query.NoLimit,
		Where: query.Field{Path: value.FieldPath{"city"}, Op: query.Equal, Value: value.String("Lima")},
	}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	bills := newStreamBills(az, token.Caller{Privileged: true}, db)
	b := bills.open(&target.Target{ID: 1, Query: q})
	e := &target.Event{Kind: target.Changed, Target: 1, Doc: &target.Shown{Document: &document.Document{
		Name: resource.Document{DB: db, Path: "events/a"}, Fields: value.Map{"city": value.String("Lima")}}}}
	if n := testing.AllocsPerRun(100, func() { b.event(t.Context(), az, e) }); n > 0 {
		t.Errorf("a document of a target takes %v allocations, want none", n)
	}
	rows := az.usage.Report("p").Rows
	if len(rows) != 1 || rows[0].Query != "events where city EQUAL ?" || rows[0].Documents != 101 {
		t.Errorf("the rows are %+v", rows)
	}
}
