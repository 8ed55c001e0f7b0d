package api

import (
	"errors"
	"log/slog"
	"net/http"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/httpjson"
)

// jsonError is the error for a body that is not a JSON object.
type jsonError struct{ message string }

// Error implements error.
func (e jsonError) Error() string { return e.message }

// fieldError is the error for a field of the wrong type.
type fieldError struct{ field, message string }

// Error implements error.
func (e fieldError) Error() string { return e.message }

// detail is one of an error's reasons.
type detail struct {
	Message      string `json:"message"`
	Domain       string `json:"domain"`
	Reason       string `json:"reason"`
	Location     string `json:"location,omitempty"`
	LocationType string `json:"locationType,omitempty"`
}

// errorBody is an error as the APIs print it.
type errorBody struct {
	Code    int              `json:"code"`
	Message string           `json:"message"`
	Errors  []detail         `json:"errors,omitempty"`
	Status  string           `json:"status,omitempty"`
	Details []map[string]any `json:"details,omitempty"`
}

// reasons maps statuses to the reasons in errors that are not "invalid".
var reasons = map[fault.Code]string{
	fault.NotFound: "notFound", fault.PermissionDenied: "forbidden", fault.Unimplemented: "unimplemented", fault.Unauthenticated: "authError",
	fault.Internal: "backendError", fault.Unavailable: "backendError", fault.DataLoss: "backendError", fault.ResourceExhausted: "rateLimitExceeded",
}

// statuses maps codes to the HTTP statuses that are not 400.
var statuses = map[fault.Code]int{
	fault.NotFound: http.StatusNotFound, fault.PermissionDenied: http.StatusForbidden, fault.Unimplemented: http.StatusNotImplemented,
	fault.Unauthenticated: http.StatusUnauthorized, fault.Internal: http.StatusInternalServerError, fault.Unavailable: http.StatusServiceUnavailable,
	fault.Canceled: 499, fault.DataLoss: http.StatusInternalServerError, fault.ResourceExhausted: http.StatusTooManyRequests,
}

// describe converts an error to the body of a response. Errors with a name of the API have no status, like Google's.
func describe(err error) errorBody {
	var syntax jsonError
	if errors.As(err, &syntax) {
		return errorBody{Code: http.StatusBadRequest, Message: syntax.message, Errors: []detail{{syntax.message, "global", "parseError", "", ""}}, Status: "INVALID_ARGUMENT"}
	}
	var field fieldError
	if errors.As(err, &field) {
		return errorBody{
			Code: http.StatusBadRequest, Message: field.message, Errors: []detail{{field.message, "global", "invalid", "", ""}}, Status: "INVALID_ARGUMENT",
			Details: []map[string]any{{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": []map[string]any{{"field": field.field, "description": field.message}}}},
		}
	}
	f := fault.FromError(err)
	body := errorBody{Code: http.StatusBadRequest, Message: f.Message, Status: f.Code.String()}
	if status, ok := statuses[f.Code]; ok {
		body.Code = status
	}
	reason, ok := reasons[f.Code]
	if !ok {
		reason = "invalid"
	}
	body.Errors = []detail{{Message: f.Message, Domain: "global", Reason: reason}}
	switch f.Code {
	case fault.FailedPrecondition:
		body.Status = ""
	case fault.Unauthenticated:
		body.Errors[0] = detail{"Invalid Credentials", "global", "authError", "Authorization", "header"}
	case fault.Unimplemented:
		body.Status = "NOT_IMPLEMENTED"
	}
	return body
}

// writeError writes an error response. Errors of the Secure Token API always have a status and never reasons.
func writeError(w http.ResponseWriter, err error, secureToken bool, log *slog.Logger) {
	body := describe(err)
	if body.Code == http.StatusInternalServerError {
		log.Error("identity", "error", err)
	}
	if secureToken {
		body.Errors = nil
		if body.Status == "" {
			body.Status = "INVALID_ARGUMENT"
		}
	}
	httpjson.Write(w, body.Code, map[string]any{"error": body})
}
