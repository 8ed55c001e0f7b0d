// Package backoffice is the foundation's own service on the Firebase contract: it registers administrators, erases
// visitors' data, and sends the newsletter. It holds the secret sign-up code, which is never sent to a browser. It uses
// accounts and documents through the Firebase Admin SDK only, so it runs against this server and against Google's.
//
// Signing up takes two steps. CheckCode compares the code in constant time and returns a random ticket, valid for ten
// minutes and for one account. Wrong codes are limited by address and over all addresses together. Register takes the
// ticket and creates the account, its name and its record adminusers/{uid}; if a later step fails, it removes the
// results of the earlier ones.
//
// The service fulfils what the forms promise about personal data, because rules cannot: KeepTerms erases messages and
// applications that are older than a year, Erase erases all of a person's documents at the request of an administrator,
// and Unsubscribe erases an address from the newsletter by its signed link. Each writes a trace in the collection
// erasures: the time, the reason, the administrator and the number of documents, without personal data.
//
// The newsletter has double opt-in. KeepRequestingConfirmations sends a request for confirmation to the address of each
// new subscription, and StartIssue starts an issue to the confirmed addresses. KeepSending sends it, at a limited rate.
// No address is sent an issue twice, and e-mails that a crash interrupts are counted as uncertain. Purge erases
// addresses that were not confirmed in 30 days.
//
// KeepPublishing publishes the drafts of events whose time has come. SavePicture stores the picture of an event, and
// KeepPictures erases the pictures that no event shows any more.
//
// A Refusal is an error that a client may read: Firebase's name for the case, and a text in Spanish. All other errors
// are internal.
package backoffice
