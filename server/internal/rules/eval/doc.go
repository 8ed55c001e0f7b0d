// Package eval evaluates the expressions of a checked rules file. There is one evaluator for two uses.
//
// Concrete evaluation decides a request for one document: every value is known, and the result is a value or a Failure.
//
// Abstract evaluation decides a query: the stored documents are unknown except for what follows from the query's
// filters, and are represented by abstract values (Bools, Field, Partial, Unknown). An abstract value covers every
// value that the same expression can have for any document that matches the query, and every operation preserves that.
// So a condition whose result is exactly true is true for all of them. Operations without a case for abstract values
// must return Unknown. The invariant is that a list, set or map never contains an abstract value, so concrete
// operations never have one as an operand.
//
// The package must not depend on the engine: documents come through Reader.
package eval
