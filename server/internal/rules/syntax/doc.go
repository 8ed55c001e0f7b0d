// Package syntax parses a rules file into a tree whose nodes have their positions in the text. It covers only the
// grammar (grammar.txt): rules/check resolves names, and rules/eval evaluates expressions. The parser reports all
// errors that it can find, not just the first.
package syntax
