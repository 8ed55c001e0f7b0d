package pipeline

import (
	"context"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// result is what an expression evaluates to: a value, a failure, or, if both are nil, nothing (unset).
type result struct {
	v    value.Value
	fail *failure
}

// failure is the reason why an expression has no value. An absent one is that of an input that is unset or not of
// the kind that a filter asks for: such an expression does not match, and the field that it computes is null. Any
// other one ends the pipeline.
type failure struct {
	err    error
	absent bool
}

// unset is the result of a field that is not there.
var unset = result{}

// absent is the result of a comparison with something that is not there.
var absent = result{fail: &failure{absent: true}}

// null is the result null.
var null = result{v: value.Null{}}

// of returns a value's result.
func of(v value.Value) result { return result{v: v} }

// boolean returns a boolean's result.
func boolean(b bool) result { return result{v: value.Bool(b)} }

// failed returns the result of an invalid operation.
func failed(format string, args ...any) result {
	return result{fail: &failure{err: fault.E(fault.InvalidArgument, format, args...)}}
}

// aborted returns the result of an error that ends the pipeline, which is_error and if_error do not hide.
func aborted(err error) result { return result{fail: &failure{err: err}} }

// fatal reports whether the pipeline must end, whatever the expression around this one makes of failures: it has
// used too much time or memory, or its caller has gone.
func (r result) fatal() bool {
	return r.err() != nil && fault.CodeOf(r.fail.err) != fault.InvalidArgument
}

// isNull reports whether the value is null.
func (r result) isNull() bool { return r.fail == nil && r.v != nil && value.IsNull(r.v) }

// isTrue reports whether the value is true.
func (r result) isTrue() bool { return r.fail == nil && r.v == value.Bool(true) }

// err returns the error that ends the pipeline, or nil.
func (r result) err() error {
	if r.fail == nil || r.fail.absent {
		return nil
	}
	return r.fail.err
}

// row is a row between two stages.
type row struct {
	fields value.Map
	// identity is that of the document, the zero value if the row is not a document that was read.
	identity
	// named is the full name of a document of which only the name is known, empty if there is none.
	named string
	// vars are the variables that let has defined for this row.
	vars *scope
}

// identity is the name and the times of a document, without its fields, which a row need not keep.
type identity struct {
	doc              resource.Document
	created, updated clock.Version
}

// read reports whether the document was read.
func (i *identity) read() bool { return i.doc.Path != "" }

// size returns the approximate memory of a row.
func (r *row) size() int {
	size := 200 + len(r.named) + len(r.doc.Path) + footprint(r.fields)
	if r.vars != nil {
		size += r.vars.size
	}
	return size
}

// smallValues is the size of the values that a stage may add to a row before the whole row is measured.
const smallValues = maxValue / maxStages

// fits returns an error if a row to which a stage has added values of a size is too large.
func (r *row) fits(added int) error {
	if added > smallValues && footprint(r.fields) > maxValue {
		return tooLarge().err()
	}
	return nil
}

// name returns the full name of the document, empty if the row is not a document.
func (r *row) name() string {
	if r.read() {
		return r.doc.String()
	}
	return r.named
}

// timeOf returns the result of a version, unset for 0.
func timeOf(v clock.Version) result {
	if v == 0 {
		return unset
	}
	return of(value.TimestampOf(v.Time()))
}

// get returns the field at a path.
func (r *row) get(path value.FieldPath) result {
	if len(path) == 1 {
		switch path[0] {
		case nameField:
			name := r.name()
			if name == "" {
				return unset
			}
			return of(value.Reference(name))
		case createdField:
			return timeOf(r.created)
		case updatedField:
			return timeOf(r.updated)
		}
	}
	v, ok := r.fields.Get(path)
	if !ok {
		return unset
	}
	return of(v)
}

// The names of fields that every document has.
const (
	nameField    = "__name__"
	createdField = "__create_time__"
	updatedField = "__update_time__"
)

// scope is a list of variables, the innermost first.
type scope struct {
	name  string
	v     result
	outer *scope
	// size is that of the values of variables that let has defined, including the outer ones.
	size int
}

// find returns the value of a variable, and the number of others before it.
func (s *scope) find(name string) (v result, passed int, ok bool) {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s.v, passed, true
		}
		passed++
	}
	return unset, passed, false
}

// frame is what an expression is evaluated in.
type frame struct {
	run  *run
	row  *row
	vars *scope
}

// with returns the frame with another variable.
func (f *frame) with(name string, v result) *frame {
	return &frame{run: f.run, row: f.row, vars: &scope{name: name, v: v, outer: f.vars}}
}

// evaluator computes an expression.
type evaluator func(f *frame) result

// Limits of one execution.
const (
	// maxSteps is the maximum number of functions that are called and rows that pass a stage.
	maxSteps = 50_000_000
	// keysOfSteps is the cost of 256 steps in keys of package fair.
	keysOfSteps = 32
	// maxValue is the maximum size of a computed value in bytes.
	maxValue = 16 << 20
	// maxHeld is the maximum size of the computed values that are in use at one time.
	maxHeld = 4 * maxValue
	// unreserved is the size of computed values in use for which no memory is taken from that of all executions. Beyond
	// it they take as much at a time, until the execution ends.
	unreserved = 256 << 10
	// maxDepth is the maximum nesting of expressions.
	maxDepth = 64
	// maxStages is the maximum number of stages, including those of pipelines inside.
	maxStages = 200
)

// run is one execution.
type run struct {
	ctx    context.Context //nolint:containedctx // an execution is one call
	db     resource.Database
	source Source
	now    time.Time
	steps  int
	// held is the size of the computed values that are in use: arguments of the functions that are being evaluated, parts
	// of values that are being computed, and fields and variables of the rows that pass the stages.
	held int
	// rows is the memory that stages hold for rows.
	rows int64
	// nested is that of the pipeline.
	nested bool
	// patterns are the regular expressions that were compiled.
	patterns patterns
	// zones are the time zones that were read, by their names.
	zones map[string]*time.Location
	// reserved is the memory that was taken from the source for held.
	reserved int64
	// read counts the documents that the source has returned.
	read int64
}

// bytesOfStep is the number of bytes of a text that are one step.
const bytesOfStep = 64

// The memory of values beside their text: an element of an array with the head of its value, a map, and a member of a
// map.
const (
	bytesOfElement = 32
	bytesOfMap     = 256
	bytesOfMember  = 64
)

// footprint returns the approximate memory of a value. It is more than the size in a document: an array of a million
// nulls has little text, but a place for each.
func footprint(v value.Value) int {
	switch v := v.(type) {
	case value.Array:
		size := bytesOfElement
		for _, item := range v {
			size += bytesOfElement + footprint(item)
		}
		return size
	case value.Map:
		size := bytesOfMap
		for name, item := range v {
			size += bytesOfMember + len(name) + footprint(item)
		}
		return size
	}
	return value.Size(v)
}

// keep counts a computed value as in use. Who calls it restores held when the value is not needed any more, or passes
// it on to one who counts it.
func (r *run) keep(v value.Value) error {
	switch v.(type) {
	case nil, value.Null, value.Bool, value.Int, value.Double, value.Timestamp:
		return nil
	}
	size := footprint(v)
	if r.held += size; size > maxValue || r.held > maxHeld {
		return tooLarge().err()
	}
	if more := int64(r.held) - r.reserved; more > 0 && r.held > unreserved {
		more = (more + unreserved - 1) / unreserved * unreserved
		if err := r.source.Hold(more); err != nil {
			return err
		}
		r.reserved += more
	}
	return r.step(size / bytesOfStep)
}

// release returns the memory that was taken for computed values, of which none is in use any more.
func (r *run) release(err *error) {
	if free := r.source.Hold(-r.reserved); *err == nil {
		*err = free
	}
}

// kept returns an evaluator that counts its values as in use.
func kept(eval evaluator) evaluator {
	return func(f *frame) result {
		r := eval(f)
		if r.v == nil {
			return r
		}
		if err := f.run.keep(r.v); err != nil {
			return aborted(err)
		}
		return r
	}
}

// hold takes memory for rows that a stage holds; a negative number returns some.
func (r *run) hold(n int64) error {
	if n == 0 {
		return nil
	}
	if err := r.source.Hold(n); err != nil {
		return err
	}
	r.rows += n
	return nil
}

// membersOfStep is the number of members of a map that are copied in one step.
const membersOfStep = 8

// fieldsOfStep is the number of fields, arguments or variables that are passed or searched in one step, beside the
// steps of computing them.
const fieldsOfStep = 8

// measured is the number of bytes of a row whose memory is measured in one step.
const measured = 512

// itemsOfStep is the number of elements of an array that are compared in one step.
const itemsOfStep = 8

// copies counts the steps of copying the maps around the last name of a path, which setting or removing a field inside
// them does. The outermost one is counted once for a row.
func (r *run) copies(m value.Map, path value.FieldPath) error {
	steps := 0
	for _, name := range path[:len(path)-1] {
		m, _ = m[name].(value.Map)
		steps += len(m) / membersOfStep
	}
	return r.step(steps)
}

// textSize returns the size of a string or of bytes.
func textSize(v value.Value) int {
	switch v := v.(type) {
	case value.String:
		return len(v)
	case value.Bytes:
		return len(v)
	}
	return 0
}

// step counts work, and returns an error if there was too much of it or the caller has gone.
func (r *run) step(n int) error {
	before := r.steps
	r.steps += n
	if r.steps > maxSteps {
		return fault.E(fault.ResourceExhausted, "The pipeline needs too many steps.")
	}
	if before>>8 == r.steps>>8 {
		return nil
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	return r.source.Work(r.ctx, (r.steps>>8-before>>8)*keysOfSteps)
}
