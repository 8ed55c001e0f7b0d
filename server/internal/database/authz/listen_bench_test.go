package authz_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
	"clave/server/internal/store/pebble"
)

// BenchmarkListeners measures a commit until all of 1,000 users who listen to the same query have its change: a
// document that stays in the query; one that leaves and returns, which they may still get or not; and a change under
// rules that look up a document, which the commit changes or not.
func BenchmarkListeners(b *testing.B) {
	const open = "match /s/{id} { allow read: if resource.data.n < 5 || resource.data.public == true; }"
	const looked = "match /s/{id} { allow read: if exists(/databases/$(database)/documents/roles/all); }"
	for _, c := range []struct {
		name, rules string
		writes      func(i int) []document.Write
	}{
		{"stays", open, func(i int) []document.Write {
			return []document.Write{set("s/a", value.Map{"n": value.Int(1), "i": value.Int(i)})}
		}},
		{"leaves, allowed", open, func(i int) []document.Write {
			return []document.Write{set("s/a", value.Map{"n": value.Int(i % 2 * 9), "public": value.Bool(true)})}
		}},
		{"leaves, denied", open, func(i int) []document.Write {
			return []document.Write{set("s/a", value.Map{"n": value.Int(i % 2 * 9)})}
		}},
		{"stays, with a lookup", looked, func(i int) []document.Write {
			return []document.Write{set("s/a", value.Map{"n": value.Int(1), "i": value.Int(i)})}
		}},
		{"stays, the lookup changes", looked, func(i int) []document.Write {
			return []document.Write{set("s/a", value.Map{"n": value.Int(1), "i": value.Int(i)}), set("roles/all", value.Map{"i": value.Int(i)})}
		}},
	} {
		b.Run(c.name, func(b *testing.B) { benchListeners(b, c.rules, c.writes) })
	}
}

// benchListeners measures commits for listeners.
func benchListeners(b *testing.B, body string, writes func(i int) []document.Write) {
	const listeners = 1000
	store, err := pebble.OpenMemory()
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	e, err := engine.Open(b.Context(), engine.Options{Store: store})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	hub, err := listen.New(listen.Options{Engine: e})
	if err != nil {
		b.Fatal(err)
	}
	rulesets := authz.NewRulesets(authz.RulesetsOptions{})
	if issues := rulesets.Replace("", "", wholeRules(body)); rules.HasErrors(issues) {
		b.Fatal(rules.Summary(issues))
	}
	az, err := authz.New(authz.Options{Engine: e, Hub: hub, Rules: rulesets, Clock: clocktest.NewManual(time.Now())})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan struct{}, listeners+2)
	run := func(f func()) { go func() { f(); ended <- struct{}{} }() }
	run(func() { _ = hub.Run(ctx) })
	run(func() { _ = az.Run(ctx) })
	commit := func(writes []document.Write) {
		if _, err := az.Commit(b.Context(), server, testDB, request.Commit{Writes: writes}); err != nil {
			b.Fatal(err)
		}
	}
	commit([]document.Write{set("roles/all", value.Map{}), set("s/a", value.Map{"n": value.Int(1)})})
	q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "s"}}, Limit: query.NoLimit,
		Where: query.Field{Path: value.FieldPath{"n"}, Op: query.LessThan, Value: value.Int(5)}}).Normalize()
	if err != nil {
		b.Fatal(err)
	}
	current := make(chan struct{}, listeners)
	for i := range listeners {
		s := az.Listen(user(fmt.Sprint("user", i)), testDB)
		s.Add(target.Target{ID: 2, Query: q})
		run(func() {
			_ = s.Run(ctx, func(ev *target.Event) error {
				switch ev.Kind {
				case target.Current:
					current <- struct{}{}
				case target.Removed:
					b.Error(ev.Cause)
				}
				return nil
			})
			s.Close()
		})
	}
	for range listeners {
		<-current
	}
	i := 0
	for b.Loop() {
		i++
		commit(writes(i))
		if err := hub.Settle(b.Context(), ""); err != nil {
			b.Fatal(err)
		}
	}
	cancel()
	for range listeners + 2 {
		<-ended
	}
}
