package identity

import (
	"strconv"

	"clave/server/identity/apierror"
	"clave/server/identity/passpolicy"
)

// Limits of profile fields, in UTF-16 units.
const (
	maxDisplayName = 256
	maxPhotoURL    = 2048
	maxUID         = 128
)

// itoa prints a number.
func itoa[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// checkProfile checks the lengths of a name and a picture's address.
func checkProfile(name, photo *string) error {
	if name != nil && passpolicy.Units(*name) > maxDisplayName {
		return apierror.New("INVALID_PROFILE_ATTRIBUTE : Display name is too long.")
	}
	if photo != nil && passpolicy.Units(*photo) > maxPhotoURL {
		return apierror.New("INVALID_PROFILE_ATTRIBUTE : Photo URL is too long.")
	}
	return nil
}

// stringOf returns the string that a pointer points to, or empty for nil.
func stringOf(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}
