// Package hosting serves a static site as firebase.json's hosting section says, in Firebase Hosting's order:
// redirects, files, rewrites, then 404.html (firebase.google.com/docs/hosting/full-config). Text is compressed with
// Brotli or gzip once and kept.
//
// Rewrites to functions, Cloud Run and dynamic links, and i18n, are refused when the section is read.
package hosting
