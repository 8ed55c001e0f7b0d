// Package backoffice is the foundation's own service on the Firebase contract: it makes administrators and erases
// visitors' data. It holds the secret sign-up code, which no browser ever has, and uses accounts and documents
// through the Firebase Admin SDK alone, so that it runs against this server and against Google's alike.
//
// Signing up takes two steps. CheckCode compares the code in constant time and returns a ticket: random, good for ten
// minutes and for one account. Wrong codes are limited by address and over all addresses together. Register takes the
// ticket and makes the account, its name and its record adminusers/{uid}; when a later step fails, what an earlier one
// made is removed.
//
// What the forms promise about personal data is kept here, because rules cannot: KeepTerms erases messages and applications
// that are older than a year, Erase erases all of a person's documents on the demand of an administrator, and Unsubscribe
// erases an address from the newsletter by the link that was made for it. Each leaves a trace in the collection
// erasures: when, why and by which administrator how many documents were erased, without personal data.
//
// The newsletter has double opt-in. KeepRequestingConfirmations sends a request for confirmation to the address of each new
// subscription, and StartIssue starts an issue to the confirmed addresses. KeepSending sends it, at a limited rate; nobody gets an
// issue twice, and what a crash interrupts is counted. Purge erases what was not confirmed in 30 days.
//
// KeepPublishing publishes the drafts of events whose moment has come. SavePicture stores the picture of an event and KeepPictures
// erases the ones that no event shows any more.
//
// What a client may read is a Refusal: the name that Firebase gives the case, and a text in Spanish. Every other error is
// internal.
package backoffice
