// Package audit keeps a log of the changes that were made through the console: one JSON object per line, in an
// append-only file, or in memory if the server keeps no data.
package audit
