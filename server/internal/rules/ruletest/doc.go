// Package ruletest implements `clave rules check` and `clave rules test`: it reports the issues of rules files, and
// decides cases (an operation on some documents, with the expected verdict) without a server.
package ruletest
