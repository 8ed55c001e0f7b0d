// Package ruletest is what `clave rules check` and `clave rules test` do: it reports what is wrong with a rules file, and
// decides cases (an operation on some documents, and whether it must be allowed) without a server.
package ruletest
