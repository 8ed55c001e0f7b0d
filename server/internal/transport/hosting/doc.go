// Package hosting serves a static site as firebase.json's hosting section configures it, in Firebase Hosting's order:
// redirects, files, rewrites, then 404.html (firebase.google.com/docs/hosting/full-config). Text is compressed with
// Brotli or gzip once and kept; a file a.js.br that holds the same text as a.js is sent instead of compressing a.js
// here.
//
// Reserved serves the paths that Firebase Hosting reserves, /__/firebase/…, without the section's headers.
//
// A rewrite to a Cloud Run service is forwarded to the origin of its serviceId in Options.Services: with the original
// path, Firebase Hosting's limits of body and time, and the client's address in X-Forwarded-For. The section's headers
// are added to the response unless the service sets them.
//
// The response to a rewrite to a function, to dynamic links or to a service without an origin is 501. Parse skips rules
// that are invalid or not supported, with a warning.
//
// Which path redirects to which, and which serves which file, follows Firebase's own emulator for every combination of
// cleanUrls and trailingSlash. Package glob has its patterns. Differences: a path with empty segments or with dots
// redirects to the path without them; files whose names begin with a dot are not served, except those in .well-known;
// the files that ignore names are not served either; a rewrite's destination may be the path of a page.
//
// Redirects with captures accept what public projects rely on, which Firebase's emulator does not: a capture of several
// segments (:name*) is inserted by :name too, captures are inserted anywhere in a destination or not at all, and
// @(a|b) may stand beside them.
package hosting
