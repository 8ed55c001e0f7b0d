// Package backoffice is the foundation's own service on the Firebase contract: it makes administrators. It knows
// the secret sign-up code, which no browser ever holds, and speaks to accounts and documents through the Firebase
// Admin SDK alone, so that it runs against this server and against Google's alike.
//
// Signing up takes two steps. CheckCode compares the code in constant time and returns a ticket: random, good for ten
// minutes and for one account. Wrong codes are limited by address and over all addresses together. Register takes the
// ticket and makes the account, its name and its record adminusers/{uid}; when a later step fails, what an earlier one
// made is removed.
//
// What a client may read is a Refusal: the name that Firebase gives the case, and a text in Spanish. Every other error is
// internal.
package backoffice
