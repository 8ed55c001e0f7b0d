package config

// UsageError is the error of a command line that can't be run as it is: a flag or an argument is unknown, missing or
// invalid, or contradicts another setting.
type UsageError struct{ err error }

// Error returns the text of the mistake.
func (e *UsageError) Error() string { return e.err.Error() }

// Unwrap returns the error that names the mistake.
func (e *UsageError) Unwrap() error { return e.err }

// misuse returns err, which is not nil, as a UsageError.
func misuse(err error) error { return &UsageError{err} }
