// Package session opens the console's sessions. In production a link opens a session. It works once, and only the
// operator who starts the server or has access to its data folder can create it. In development all clients of the port
// share one session.
package session
