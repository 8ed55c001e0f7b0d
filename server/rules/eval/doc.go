// Package eval evaluates the expressions of a checked rules file. There is one evaluator for two uses.
//
// Concretely, for a request that concerns one document, every value is known; the result is a value or a
// Failure.
//
// Abstractly, for a query, the stored documents are unknown but for what the query's filters determine. Values that
// stand for many (Bools, Field, Partial, Unknown) then take part. Each of them covers at least every value that
// the same expression can have for any document that matches the query, and every operation keeps that so;
// hence a condition that comes out as exactly true is true of all of them. Operations without a case for
// such a value must answer Unknown. The invariant is that a list, set or map never holds one, so that the
// concrete operations never have one as an operand.
//
// The package must not depend on the engine: documents come through Reader.
package eval
