package request

import (
	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
)

// Pipeline requests the results of a pipeline.
type Pipeline struct {
	// Stages are the stages, the source first.
	Stages []Stage
	// Options are the options of the execution.
	Options map[string]Expression
	// At is the state that is read.
	At At
	// AutoCommit commits the transaction of At, or ends it if the pipeline fails.
	AutoCommit bool
}

// Stage is one stage of a pipeline as the client wrote it.
type Stage struct {
	// Name is its name.
	Name string
	// Args are its arguments in order.
	Args []Expression
	// Options are its named arguments.
	Options map[string]Expression
}

// Expression is an argument of a stage or a function: one of Constant, FieldReference, Variable, *Call, ListOf, MapOf
// and Subpipeline. Which of them an argument may be depends on the stage or the function.
type Expression interface {
	expression()
}

// Constant is a value. A Reference in it may be that of a collection, or relative to the database if it begins with a
// slash.
type Constant struct{ Value value.Value }

// FieldReference is the path of a field as the client wrote it.
type FieldReference string

// Variable is the name of a variable.
type Variable string

// Call calls a function.
type Call struct {
	// Name is the function's.
	Name string
	// Args are its arguments in order.
	Args []Expression
	// Options are its named arguments.
	Options map[string]Expression
}

// ListOf is an array of which at least one element is not a constant.
type ListOf []Expression

// MapOf is a map of which at least one value is not a constant.
type MapOf map[string]Expression

// Subpipeline is a pipeline as an argument.
type Subpipeline []Stage

// expression implements Expression.
func (Constant) expression() {}

// expression implements Expression.
func (FieldReference) expression() {}

// expression implements Expression.
func (Variable) expression() {}

// expression implements Expression.
func (*Call) expression() {}

// expression implements Expression.
func (ListOf) expression() {}

// expression implements Expression.
func (MapOf) expression() {}

// expression implements Expression.
func (Subpipeline) expression() {}

// PipelineRow is one result of a pipeline.
type PipelineRow struct {
	// Document is the result as a document. It has no name and no times if no document was read for it.
	Document *document.Document
	// Named is the full name of a document of which only the name is known, or empty.
	Named string
}

// Name returns the full name of the document, empty for results that are not documents.
func (r *PipelineRow) Name() string {
	if r.Document.Name.Path != "" {
		return r.Document.Name.String()
	}
	return r.Named
}
