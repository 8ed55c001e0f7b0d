// Package fault holds the errors that are sent to clients. Error is the only error type whose text is sent; every other
// error is a bug, and is sent as Internal without its text.
package fault

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"
)

// Code is a canonical status code, with gRPC's numbers.
type Code int

// The canonical codes (google/rpc/code.proto).
const (
	OK                 Code = 0
	Canceled           Code = 1
	Unknown            Code = 2
	InvalidArgument    Code = 3
	DeadlineExceeded   Code = 4
	NotFound           Code = 5
	AlreadyExists      Code = 6
	PermissionDenied   Code = 7
	ResourceExhausted  Code = 8
	FailedPrecondition Code = 9
	Aborted            Code = 10
	OutOfRange         Code = 11
	Unimplemented      Code = 12
	Internal           Code = 13
	Unavailable        Code = 14
	DataLoss           Code = 15
	Unauthenticated    Code = 16
)

// names are the codes' names in google/rpc/code.proto, by number.
var names = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// String returns the code's canonical name, such as INVALID_ARGUMENT.
func (c Code) String() string {
	if c < 0 || int(c) >= len(names) {
		return fmt.Sprintf("CODE_%d", int(c))
	}
	return names[c]
}

// Error is an error whose code and text are sent to the client.
type Error struct {
	// Code is the canonical code.
	Code Code
	// Message is the text for the client.
	Message string
	// Reason is a machine-readable reason, such as INDEX_ENTRIES_COUNT_LIMIT_EXCEEDED; mostly empty.
	Reason string
	// Violations lists the violations of the request, where they are reported one by one.
	Violations []Violation
	// cause is the underlying error. It is logged and never sent.
	cause error
}

// Violation is one violation of a request.
type Violation struct {
	// Field is the path of the field, or empty.
	Field string
	// Description is the text for the client.
	Description string
}

// maxText is the maximum size of a text for a client, in bytes. Texts contain values of the request, which may be as
// large as the request itself.
const maxText = 16 << 10

// Limited returns a text for a client, or the beginning of one that is larger than 16 KiB. The result keeps nothing of
// a longer text in memory.
func Limited(text string) string {
	if len(text) <= maxText {
		return text
	}
	const end = "…"
	n := maxText - len(end)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + end
}

// E creates an Error; format and args make the client's text. A %w operand becomes the cause, and its text is part of
// the message, so only errors that a client may read may be wrapped.
func E(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: Limited(err.Error()), cause: errors.Unwrap(err)}
}

// Named creates an Error with a machine-readable reason.
func Named(reason string, code Code, format string, args ...any) *Error {
	e := E(code, format, args...)
	e.Reason = reason
	return e
}

// Violated creates an InvalidArgument Error of violations, one line each. It omits those for which the text would be
// too large.
func Violated(violations ...Violation) *Error {
	var shown []Violation
	var lines []string
	left := maxText
	for _, v := range violations {
		v = Violation{Limited(v.Field), Limited(v.Description)}
		if left -= len(v.Field) + len(v.Description); left < 0 && len(shown) > 0 {
			break
		}
		shown, lines = append(shown, v), append(lines, v.Description)
	}
	return &Error{Code: InvalidArgument, Message: strings.Join(lines, "\n"), Violations: shown}
}

// Wrap creates an Error whose cause is kept for the log and is not sent.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: Limited(fmt.Sprintf(format, args...)), cause: cause}
}

// Ended returns the error of an operation whose context ended with the given error: DEADLINE_EXCEEDED at its deadline,
// otherwise CANCELLED with the given text.
func Ended(cause error, canceled string) *Error {
	if errors.Is(cause, context.DeadlineExceeded) {
		return Wrap(cause, DeadlineExceeded, "The operation took longer than its deadline.")
	}
	return Wrap(cause, Canceled, "%s", canceled)
}

// Error returns the code and the message, for logs.
func (e *Error) Error() string { return e.Code.String() + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// LogValue implements slog.LogValuer: logs contain the cause too, which clients must not see, unless the message
// contains its text.
func (e *Error) LogValue() slog.Value {
	if e.cause == nil || strings.Contains(e.Message, e.cause.Error()) {
		return slog.StringValue(e.Error())
	}
	return slog.StringValue(e.Error() + ": " + Limited(e.cause.Error()))
}

// FromError finds the Error in err's chain. An error without one is Internal with no message to the client; a nil
// error is nil.
func FromError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Internal, Message: "Internal error.", cause: err}
}

// Reason returns the text of an error for the operator: that of an Error, and of others all they contain.
func Reason(err error) string {
	if CodeOf(err) != Internal {
		return FromError(err).Message
	}
	return err.Error()
}

// CodeOf returns the code of err: OK for nil, Internal for an unnamed error.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	return FromError(err).Code
}

// Is reports whether err carries the given code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }
