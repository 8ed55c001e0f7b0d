package blocking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/webhook"
	"clave/server/internal/base/fault"
)

// failure is why a function has not allowed an operation.
type failure struct {
	// emulator is the official emulator's text.
	emulator string
	// response is what production shows clients of it.
	response response
	// cause is for the log.
	cause error
}

// response is the error in the response of a function, in the form of Cloud Functions. Apps parse it.
type response struct {
	Details json.RawMessage `json:"details,omitempty"`
	Message string          `json:"message"`
	Status  string          `json:"status"`
}

// tooLate is the failure of a function that did not respond in time.
func tooLate(uri string, err error) *failure {
	return &failure{
		fmt.Sprintf("Deadline exceeded making request to %s.", uri),
		response{Message: "Cloud function deadline exceeded.", Status: fault.DeadlineExceeded.String()}, err,
	}
}

// notReached is the failure of a function that can't be called.
func notReached(uri string, err error) *failure {
	return &failure{
		fmt.Sprintf("Failed to make request to %s.", uri),
		response{Message: "The function cannot be reached.", Status: fault.Unavailable.String()}, err,
	}
}

// refusedBy is the failure of a function that responded with an error status. Clients receive the error that the
// function made for them, as an HttpsError of the Functions SDK. Any other body may be a proxy's page or a stack trace,
// which production does not show.
func refusedBy(uri string, status int, answer []byte) *failure {
	f := &failure{
		emulator: fmt.Sprintf("HTTP request to %s returned HTTP error %d: %s", uri, status, answer),
		response: response{Message: fmt.Sprintf("The function returned HTTP status %d.", status), Status: fault.Internal.String()},
		cause:    fmt.Errorf("HTTP status %d", status),
	}
	var body struct {
		Error *response `json:"error"`
	}
	if json.Unmarshal(answer, &body) == nil && body.Error != nil && body.Error.Status != "" {
		f.response = *body.Error
	}
	return f
}

// invalid is the failure of a function whose response has the wrong form.
func invalid(text string, err error) *failure {
	if err == nil {
		err = errors.New(text)
	}
	return &failure{text, response{Message: text, Status: fault.Internal.String()}, err}
}

// refuse logs the failure of the function at a URI and returns the error for the client.
func (f *Functions) refuse(ctx context.Context, e Event, uri string, failed *failure) error {
	if f.Emulator {
		return apierror.New("BLOCKING_FUNCTION_ERROR_RESPONSE : ((%s))", failed.emulator)
	}
	f.Log.WarnContext(ctx, "a blocking function refused or failed", "event", e.Name, "project", e.Project, "url", webhook.Shown(uri), "error", failed.cause)
	shown, err := json.Marshal(map[string]response{"error": failed.response})
	if err != nil {
		return err
	}
	return apierror.New("BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: %s", shown)
}
