// Package idp has the assertions of identity providers about users, and checks the configurations of providers. It
// verifies no signatures: its only providers are Fakes, for development.
package idp
