// Package audit keeps the log of what was changed through the console: one JSON object a line, in a file that is only appended to, or
// in memory where no data are kept.
package audit
