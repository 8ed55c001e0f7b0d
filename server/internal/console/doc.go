// Package console serves the console: pages in which operators view and manage documents, accounts, rules and the rest
// of the server. The console serves one origin. The pages are built from web/ into dist/app and embedded. The console
// has its own API below /api/. It forwards the paths of Firestore and of Identity Toolkit to the program's own handlers
// with the rights of the session: those of a server, read-only unless the session may write. So the Firebase SDK in the
// page needs no credentials. Pages of other origins may not call the console: every request must have one of the
// console's host names, come from its own origin, and belong to a session.
package console
