package check

import (
	"regexp"

	"clave/server/rules/syntax"
)

// Program is a checked rules file for one service. It is never changed once made.
type Program struct {
	// File is the tree.
	File *syntax.File
	// Service is the service that the program is for, nil when the file has none of its name.
	Service *syntax.Service
	// Names gives, by expression id, what an Ident means.
	Names []Name
	// Calls gives, by expression id, which declared function a Call means; nil for one that is built in or
	// unknown.
	Calls []*Function
	// Functions are the declared functions of the service and those above it.
	Functions map[*syntax.Function]*Function
	// Patterns are the literal regular expressions, compiled to match whole strings.
	Patterns map[string]*regexp.Regexp
}

// Kind is what a name means.
type Kind uint8

// The kinds of names.
const (
	// Unknown names load and are errors when they are reached.
	Unknown Kind = iota
	// Request is the variable request.
	Request
	// Resource is the variable resource.
	Resource
	// Local is a parameter or let of the function around; Slot is its place in the frame.
	Local
	// Capture is a segment bound by a match statement around; Slot counts from the outermost.
	Capture
)

// Name is what a name means.
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
