// Package console is the console: pages in the program, from which documents, accounts, rules and the rest of the server are viewed and managed.
//
// It serves one origin. The page is a program of web/, built into dist/app and embedded. Beside its own API below /api/
// the console passes the paths of Firestore and of Identity Toolkit on to the program's own handlers with the rights of
// the session: those of a server, for reading alone unless the session may write. So the Firebase SDK in the page needs
// no credentials. No other page may call it: every request must have one of the console's host names, come from its own
// origin, and belong to a session.
package console
