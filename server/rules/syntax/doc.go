// Package syntax turns the text of a rules file into a tree whose nodes have their place in the text. It covers
// the form of the language only (grammar.txt): rules/check resolves names, and rules/eval evaluates
// expressions. The parser reports every error it can find, not just the first.
package syntax
