package eval

import (
	"context"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/syntax"
)

// The units of work. A unit is about an eighth of a microsecond: the work on one value or on 64 bytes of a text.
const (
	// perCost is the number of units of a unit of cost.
	perCost = 32
	// perInstruction is the number of instructions of a regular expression, each applied to one byte, of a unit.
	perInstruction = 32
	// perTries is the number of tried ways of matching a path of a unit.
	perTries = 4
)

// keyed has the methods that compute keys of all values of their operands, or sort them, which takes about as long as
// perKey times reading them.
var keyed = map[string]bool{
	"toSet": true, "hasAll": true, "hasAny": true, "hasOnly": true, "removeAll": true, "union": true, "intersection": true, "difference": true,
	"diff": true, "keys": true, "values": true, "addedKeys": true, "removedKeys": true, "changedKeys": true, "unchangedKeys": true, "affectedKeys": true,
}

// The number of units of the key of a value, and of a value that is compared with another one.
const (
	perKey     = 8
	perCompare = 2
)

// interrupted ends an evaluation without a decision. No other expression can override it.
var interrupted = &Failure{Text: "Service call error.", abort: true}

// work counts units of work before it is done. It returns the failure that ends the evaluation, or nil.
func (e *Evaluator) work(ctx context.Context, units int) *Failure {
	if e.Spend == nil || e.err != nil {
		return nil
	}
	if e.units += units; e.units < perCost {
		return nil
	}
	cost := e.units / perCost
	e.units %= perCost
	if err := e.Spend(ctx, cost); err != nil {
		e.err = err
		e.steps, e.spent = maxSteps+1, interrupted
		return interrupted
	}
	return nil
}

// Matched counts the work of finding statements by a number of tried ways of matching.
func (e *Evaluator) Matched(ctx context.Context, tries int) { e.work(ctx, tries/perTries) }

// workOn counts the work of an operation that reads values.
func (e *Evaluator) workOn(ctx context.Context, operands ...Value) *Failure {
	return e.workTimes(ctx, 1, operands)
}

// workOfOperator counts the work of a binary operator, but in.
func (e *Evaluator) workOfOperator(ctx context.Context, op syntax.Op, a, b Value) *Failure {
	if op == syntax.Equal || op == syntax.NotEqual {
		return e.workTimes(ctx, perCompare, []Value{a, b})
	}
	return e.workOn(ctx, a, b)
}

// workOfIn counts the work of a in b. A set is searched by the key of a, and a list by comparing its items.
func (e *Evaluator) workOfIn(ctx context.Context, a, b Value) *Failure {
	switch b.(type) {
	case *Set:
		return e.workTimes(ctx, perKey, []Value{a})
	case value.Array:
		return e.workTimes(ctx, perCompare, []Value{b})
	}
	return e.workOn(ctx, b)
}

// workOfMethod counts the work of a method.
func (e *Evaluator) workOfMethod(ctx context.Context, name string, operands []Value) *Failure {
	if keyed[name] {
		return e.workTimes(ctx, perKey, operands)
	}
	return e.workTimes(ctx, 1, operands)
}

// workTimes counts the work of an operation that takes some times as long as reading its operands.
func (e *Evaluator) workTimes(ctx context.Context, times int, operands []Value) *Failure {
	if e.Spend == nil {
		return nil
	}
	left := maxItems
	for _, v := range operands {
		if !weigh(v, &left) {
			break
		}
	}
	return e.work(ctx, times*(maxItems-left))
}
