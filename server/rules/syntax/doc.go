// Package syntax turns the text of a rules file into a tree whose nodes have their place in the text. It knows
// the form of the language only (grammar.txt): what names mean is the business of rules/check, what expressions
// are worth that of rules/eval. The parser reports every error it can find, not just the first.
package syntax
