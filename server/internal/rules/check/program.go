package check

import "clave/server/internal/rules/syntax"

// Program is a checked rules file for one service. It is never changed once made.
type Program struct {
	// File is the tree.
	File *syntax.File
	// Service is the service of the program, nil if the file does not have it.
	Service *syntax.Service
	// Names maps the id of an Ident to its resolved name.
	Names []Name
	// Calls maps the id of a Call to the declared function; nil for built-in and unknown functions.
	Calls []*Function
	// Functions are the declared functions of the service and those above it.
	Functions map[*syntax.Function]*Function
	// Patterns are the literal regular expressions.
	Patterns map[PatternUse]*Compiled
}

// PatternUse is a regular expression and what it is for.
type PatternUse struct {
	Expr string
	// Whole is set if it has to match whole texts.
	Whole bool
}

// Kind is the kind of a name's declaration.
type Kind uint8

// The kinds of names.
const (
	// Unknown names are failures when they are evaluated.
	Unknown Kind = iota
	// Request is the variable request.
	Request
	// Resource is the variable resource.
	Resource
	// Local is a parameter or let of the enclosing function; Slot is its index in the frame.
	Local
	// Capture is a segment bound by an enclosing match statement; Slot counts from the outermost.
	Capture
)

// Name is a resolved name.
type Name struct {
	Kind Kind
	Slot int
}

// Function is a declared function.
type Function struct {
	*syntax.Function
	// Frame is the number of its parameters and lets.
	Frame int
}
