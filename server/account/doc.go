// Package account keeps the user accounts of Firebase Authentication and what belongs to them: password hashes,
// linked providers, one-time codes, refresh tokens, tenants and settings.
//
// A Store lies on a storage.Store, under keys that begin with "account/". Within one Scope (a project and a tenant)
// an e-mail address, a phone number and a provider's user id belong to one account at most. That is so by
// construction: each has a key of its own that names the account, and a change takes the locks of the accounts it
// touches first and of those keys second, both in order, before it is applied in one batch.
//
// The package decides nothing about who may do what; package identity does.
package account
