// Package authztest opens authorizers for tests.
package authztest

import (
	"context"
	"testing"

	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble/pebbletest"
)

// Open opens an authorizer of an empty database in memory, and closes the database at the end of the test. The store is
// that of the database, for packages that store more in it. The authorizer and its live queries are not run: revoked
// rights and open streams need Run.
func Open(t testing.TB, o authz.RulesetsOptions) (*authz.Authorizer, store.Store) {
	t.Helper()
	store := pebbletest.Open(t)
	return OpenWith(t, o, engine.Options{Store: store}), store
}

// OpenWith is Open with options of the database, which has to be empty.
func OpenWith(t testing.TB, o authz.RulesetsOptions, of engine.Options) *authz.Authorizer {
	t.Helper()
	return OpenRules(t, authz.NewRulesets(o), of)
}

// OpenRules is OpenWith with rulesets of the test.
func OpenRules(t testing.TB, rulesets *authz.Rulesets, of engine.Options) *authz.Authorizer {
	t.Helper()
	e, err := engine.Open(context.WithoutCancel(t.Context()), of)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	hub, err := listen.New(listen.Options{Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	az, err := authz.New(authz.Options{Engine: e, Hub: hub, Rules: rulesets})
	if err != nil {
		t.Fatal(err)
	}
	return az
}
