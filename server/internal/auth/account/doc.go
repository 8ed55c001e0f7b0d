// Package account stores the user accounts of Firebase Authentication and their data: password hashes, linked
// providers, one-time codes, refresh tokens, tenants and settings.
//
// A Store uses a store.Store, with keys that begin with "account/". Within one Scope (a project and a tenant) an
// e-mail address, a phone number and a provider's user id belong to one account at most. Each of them has an index key
// of its own that names the account. A change locks its accounts first and those keys second, both in order, and is
// then applied in one batch.
//
// The package makes no authorization decisions; package service does.
package account
