package sdk

import (
	"slices"
	"strings"

	"clave/server/internal/model/value"
)

// difference is a decided difference between the evaluator of the SDK and the server.
type difference struct {
	why   string
	holds func(c *evaluation) bool
	// rare is set if 100,000 random expressions need not have the difference.
	rare bool
}

// name returns the name of a case's function.
func (c *evaluation) name() string { return c.value.GetFunctionValue().GetName() }

// any reports whether an argument has an outcome for which holds returns true.
func (c *evaluation) any(holds func(o outcome) bool) bool {
	return slices.ContainsFunc(c.args, func(arg *evaluation) bool { return holds(arg.ours) })
}

// isUnset reports whether an outcome is nothing.
func isUnset(o outcome) bool { return o.kind == "unset" }

// isNull reports whether an outcome is null.
func isNull(o outcome) bool { return o.is(value.KindNull) }

// differences are the decisions, each with its reason. doc/pipelines.md lists them.
var differences = []difference{
	{why: "an unset argument makes a function null: the suite of the Go client expects it", holds: func(c *evaluation) bool {
		return c.any(isUnset) && isNull(c.ours) && c.theirs.kind == "error"
	}},
	{why: "null makes a function null before its other arguments are checked", holds: func(c *evaluation) bool {
		return c.any(isNull) && isNull(c.ours) && c.theirs.kind == "error"
	}},
	{why: "an unset element of an array is null", holds: func(c *evaluation) bool {
		return c.value.GetArrayValue() != nil && c.any(isUnset) && c.ours.is(value.KindArray)
	}},
	{why: "the evaluator does not implement array_concat", holds: func(c *evaluation) bool {
		return c.name() == "array_concat" && c.theirs.kind == "error"
	}},
	{why: "reverse also takes arrays and bytes: the suite of the Go client expects it", holds: func(c *evaluation) bool {
		return c.name() == "reverse" && (c.args[0].ours.is(value.KindArray) || c.args[0].ours.is(value.KindBytes)) && c.theirs.kind == "error"
	}},
	{why: "an error ends maximum and minimum, which ignore it in the evaluator", holds: func(c *evaluation) bool {
		return (c.name() == "maximum" || c.name() == "minimum") && c.any(func(o outcome) bool { return o.kind == "error" }) && c.ours.kind == "error"
	}},
	{why: "% and _ of like match line feeds, as in SQL", holds: func(c *evaluation) bool {
		s, ok := c.args[0].ours.value.(value.String)
		return c.name() == "like" && ok && strings.Contains(string(s), "\n")
	}},
	{why: "timestamp_to_unix_millis rounds down; the evaluator returns one less for a part of the first millisecond", holds: func(c *evaluation) bool {
		return c.name() == "timestamp_to_unix_millis" && c.ours.is(value.KindNumber) && c.theirs.is(value.KindNumber)
	}},
	{why: "times near the least one are computed", holds: func(c *evaluation) bool {
		return strings.HasPrefix(c.name(), "timestamp_") && c.ours.is(value.KindTimestamp) && c.theirs.kind == "error"
	}},
	{why: "reverse reverses characters; the evaluator keeps those that are shown as one together", holds: func(c *evaluation) bool {
		return c.name() == "reverse" && c.ours.is(value.KindString) && c.theirs.is(value.KindString)
	}},
	{why: "an array without elements is at most and at least another one", holds: func(c *evaluation) bool {
		return strings.HasSuffix(c.name(), "_than_or_equal") && len(c.args[0].value.GetArrayValue().GetValues()) == 0 && c.args[0].ours.is(value.KindArray)
	}},
	{why: "integers beyond 2^53 are compared with doubles exactly, as in queries; the evaluator rounds them to doubles", holds: comparesLargeInteger, rare: true},
}

// comparesLargeInteger reports whether a case compares a double with an integer that no double may be.
func comparesLargeInteger(c *evaluation) bool {
	const exact = 1 << 53
	name := strings.TrimPrefix(c.name(), "not_")
	isDouble := func(o outcome) bool { _, ok := o.value.(value.Double); return ok }
	isLarge := func(o outcome) bool { n, ok := o.value.(value.Int); return ok && (n > exact || n < -exact) }
	return (name == "equal" || strings.Contains(name, "_than")) && c.any(isDouble) && c.any(isLarge)
}

// decision returns the reason of a case's difference, empty if there is none.
func decision(c *evaluation) string {
	for _, d := range differences {
		if d.holds(c) {
			return d.why
		}
	}
	return ""
}
