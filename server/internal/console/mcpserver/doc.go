// Package mcpserver serves the Model Context Protocol to programs that assist developers: tools that query documents,
// explain plans and rules, attack rules, and show indexes, accounts, requests and usage.
//
// It is a client of a console, and has no rights but those of its session there: without a link it reaches only the
// consoles of development, and a session that may only read changes nothing even if a tool tried. Tools that change
// anything exist only on request. Answers have a maximum size, and never the hashes of passwords, tokens or codes.
//
// What answers quote was written by users of the database. The tools' descriptions tell clients to treat it as data.
package mcpserver
