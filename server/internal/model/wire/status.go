package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"clave/server/internal/base/fault"
)

// httpStatuses are the HTTP statuses of codes (google/rpc/code.proto).
var httpStatuses = map[fault.Code]int{
	fault.OK:                 http.StatusOK,
	fault.Canceled:           499,
	fault.Unknown:            http.StatusInternalServerError,
	fault.InvalidArgument:    http.StatusBadRequest,
	fault.DeadlineExceeded:   http.StatusGatewayTimeout,
	fault.NotFound:           http.StatusNotFound,
	fault.AlreadyExists:      http.StatusConflict,
	fault.PermissionDenied:   http.StatusForbidden,
	fault.ResourceExhausted:  http.StatusTooManyRequests,
	fault.FailedPrecondition: http.StatusBadRequest,
	fault.Aborted:            http.StatusConflict,
	fault.OutOfRange:         http.StatusBadRequest,
	fault.Unimplemented:      http.StatusNotImplemented,
	fault.Internal:           http.StatusInternalServerError,
	fault.Unavailable:        http.StatusServiceUnavailable,
	fault.DataLoss:           http.StatusInternalServerError,
	fault.Unauthenticated:    http.StatusUnauthorized,
}

// HTTP returns the HTTP status of a code.
func HTTP(code fault.Code) int {
	if s, ok := httpStatuses[code]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// httpCodes are the codes of the HTTP statuses of errors. Of the codes that share a status it has the one that says
// least.
var httpCodes = map[int]fault.Code{
	http.StatusBadRequest:          fault.InvalidArgument,
	http.StatusUnauthorized:        fault.Unauthenticated,
	http.StatusForbidden:           fault.PermissionDenied,
	http.StatusNotFound:            fault.NotFound,
	http.StatusConflict:            fault.Aborted,
	http.StatusTooManyRequests:     fault.ResourceExhausted,
	499:                            fault.Canceled,
	http.StatusInternalServerError: fault.Internal,
	http.StatusNotImplemented:      fault.Unimplemented,
	http.StatusServiceUnavailable:  fault.Unavailable,
	http.StatusGatewayTimeout:      fault.DeadlineExceeded,
}

// CodeOfHTTP returns the code of an error response of which only the HTTP status is known: Unknown if it stands for
// none.
func CodeOfHTTP(status int) fault.Code {
	if code, ok := httpCodes[status]; ok {
		return code
	}
	return fault.Unknown
}

// forClient returns the part of an error that the client may see. The end of a context is not an internal error.
func forClient(err error) *fault.Error {
	var named *fault.Error
	switch {
	case errors.As(err, &named):
		return named
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.Ended(err, "The operation was cancelled.")
	}
	return fault.FromError(err)
}

// Unnamed reports whether no client may see an error. Such an error is a bug in Clave; the transport logs it.
func Unnamed(err error) bool {
	var named *fault.Error
	return err != nil && !errors.As(err, &named) && forClient(err).Code == fault.Internal
}

// Code returns the code that the client receives.
func Code(err error) fault.Code {
	if err == nil {
		return fault.OK
	}
	return forClient(err).Code
}

// Status returns the gRPC status of an error; of nil it is OK.
func Status(err error) *status.Status {
	if err == nil {
		return status.New(codes.OK, "")
	}
	return status.FromProto(StatusProto(err))
}

// StatusProto returns the status message of an error, as responses contain it.
func StatusProto(err error) *spb.Status {
	if err == nil {
		return &spb.Status{}
	}
	e := forClient(err)
	out := &spb.Status{Code: int32(e.Code), Message: strings.ToValidUTF8(e.Message, "\uFFFD")}
	for _, detail := range details(e) {
		// Packing cannot fail: the messages are built here from valid UTF-8.
		if packed, err := anypb.New(detail); err == nil {
			out.Details = append(out.Details, packed)
		}
	}
	return out
}

// reasonDomain is the domain of the reasons in ErrorInfo.
const reasonDomain = "firestore.googleapis.com"

// details returns the details of a status (google/rpc/error_details.proto).
func details(e *fault.Error) []proto.Message {
	var out []proto.Message
	if len(e.Violations) > 0 {
		bad := &errdetails.BadRequest{}
		for _, v := range e.Violations {
			bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{
				Field: v.Field, Description: strings.ToValidUTF8(v.Description, "\uFFFD"),
			})
		}
		out = append(out, bad)
	}
	if e.Reason != "" {
		out = append(out, &errdetails.ErrorInfo{Reason: e.Reason, Domain: reasonDomain})
	}
	return out
}

// errorBody is the JSON of an error.
type errorBody struct {
	Error struct {
		Code    int               `json:"code"`
		Message string            `json:"message"`
		Status  string            `json:"status"`
		Details []json.RawMessage `json:"details,omitempty"`
	} `json:"error"`
}

// ErrorJSON returns the JSON body of an error.
func ErrorJSON(err error) []byte {
	e := forClient(err)
	var body errorBody
	body.Error.Code = HTTP(e.Code)
	body.Error.Message = e.Message
	body.Error.Status = e.Code.String()
	for _, detail := range StatusProto(err).GetDetails() {
		if text, err := AppendJSON(nil, detail); err == nil {
			body.Error.Details = append(body.Error.Details, text)
		}
	}
	// Marshalling a struct of strings, numbers and JSON cannot fail.
	out, _ := json.MarshalIndent(body, "", "  ")
	return append(out, '\n')
}
