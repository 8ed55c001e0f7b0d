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
// The response to a rewrite to a function, to dynamic links or to a service without an origin is 501. Parse refuses
// i18n and several sites.
package hosting
