package identity

import (
	"strings"

	"clave/server/fault"
)

// refusal reports whether an error is part of the API, not an internal failure.
func refusal(err error) bool { return fault.Is(err, fault.FailedPrecondition) }

// refusalText returns the API's text of an error.
func refusalText(err error) string { return fault.FromError(err).Message }

// taken describes which field of an imported account belongs to another account.
func taken(err error) string {
	switch code, _, _ := strings.Cut(refusalText(err), " "); code {
	case "EMAIL_EXISTS":
		return "email exists in other account in database"
	case "PHONE_NUMBER_EXISTS":
		return "phone number exists in other account in database"
	}
	return "raw id exists in other account in database"
}
