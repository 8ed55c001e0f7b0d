package check

import "clave/server/internal/rules/syntax"

// Types are the types that an expression may have, in the order in which the official compiler names them. Nil are all.
type Types []string

// The types of literals, operators and other parts of the language.
var (
	isBool   = Types{"bool"}
	isBytes  = Types{"bytes"}
	isFloat  = Types{"float"}
	isInt    = Types{"int"}
	isList   = Types{"list"}
	isMap    = Types{"map"}
	isPath   = Types{"path"}
	isString = Types{"string"}

	isAdded      = Types{"int", "float", "string", "duration", "timestamp"}
	isBound      = Types{"null", "int"}
	isContainer  = Types{"list", "set", "map", "constraint"}
	isGlob       = Types{"string", "path"}
	isIndex      = Types{"int", "string"}
	isIndexed    = Types{"string", "list", "map", "path"}
	isMultiplied = Types{"int", "float"}
	isNegated    = Types{"int", "float", "duration"}
	isNumber     = Types{"float", "int"}
	isSegment    = Types{"path", "null", "int", "float", "string", "bool"}
	isSliced     = Types{"string", "list", "path"}
	isSubtracted = Types{"int", "float", "duration", "timestamp"}
)

// Signature holds the types of the parameters and results of a built-in function or method.
type Signature struct {
	// On are the types that have the method; nil for a function.
	On Types
	// Params are the types of each argument.
	Params []Types
	// Returns are the types of the result.
	Returns Types
}

// Builtins are the functions and methods that need no declaration, by name.
type Builtins struct {
	Functions map[string]Signature
	Methods   map[string]Signature
}

// operators are the types of the operands and results of all operators except == and !=.
var operators = map[syntax.Op]struct{ left, right, returns Types }{
	syntax.Add:          {isAdded, isAdded, isAdded},
	syntax.Sub:          {isSubtracted, isSubtracted, isSubtracted},
	syntax.Mul:          {isMultiplied, isMultiplied, isMultiplied},
	syntax.Div:          {isMultiplied, isMultiplied, isMultiplied},
	syntax.Mod:          {isMultiplied, isMultiplied, isMultiplied},
	syntax.And:          {isBool, isBool, isBool},
	syntax.Or:           {isBool, isBool, isBool},
	syntax.In:           {nil, isContainer, isBool},
	syntax.Less:         {nil, nil, isBool},
	syntax.LessEqual:    {nil, nil, isBool},
	syntax.Greater:      {nil, nil, isBool},
	syntax.GreaterEqual: {nil, nil, isBool},
	syntax.Equal:        {nil, nil, isBool},
	syntax.NotEqual:     {nil, nil, isBool},
}
