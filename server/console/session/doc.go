// Package session opens the console's sessions. In production a link opens one, which works once and is made by who starts the server or
// holds its data folder; in development there is one session for everybody who reaches the port.
package session
