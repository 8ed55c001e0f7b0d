// Package pipeline parses and runs pipelines on values: rows pass from a source through stages, each of which
// filters, changes, orders or combines them. It reads documents from a Source only, which authorizes what it
// returns.
//
// Compile turns a request into stages and expressions, and refuses what is not valid. The leading filters, orders
// and limits become a query of the source if a query has the same results (push.go); the other stages work on rows
// as they come. Sorting, grouping, sampling and sub-pipelines hold rows, for which the source gives them memory.
//
// An expression has a value, is unset, or fails (result). The table of functions is in functions.go.
package pipeline
