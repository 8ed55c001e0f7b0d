// Package apierror makes the errors that the Identity Toolkit API names, such as EMAIL_EXISTS.
package apierror

import (
	"slices"

	"clave/server/internal/base/fault"
)

// New returns an error with one of the API's names, and an explanation after " : " if there is one.
func New(format string, args ...any) error {
	return fault.E(fault.FailedPrecondition, format, args...)
}

// Is reports whether an error is one that the API names, not an internal failure.
func Is(err error) bool { return fault.Is(err, fault.FailedPrecondition) }

// Text returns the API's text of an error.
func Text(err error) string { return fault.FromError(err).Message }

// Choice refuses a value of a setting that is not among the API's. An empty value is always accepted.
func Choice(field, word string, words ...string) error {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return fault.E(fault.InvalidArgument, "Invalid value at '%s', \"%s\"", field, word)
}
