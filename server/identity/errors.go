package identity

import (
	"strings"

	"clave/server/identity/apierror"
)

// taken describes which field of an imported account belongs to another account.
func taken(err error) string {
	switch code, _, _ := strings.Cut(apierror.Text(err), " "); code {
	case "EMAIL_EXISTS":
		return "email exists in other account in database"
	case "PHONE_NUMBER_EXISTS":
		return "phone number exists in other account in database"
	}
	return "raw id exists in other account in database"
}
