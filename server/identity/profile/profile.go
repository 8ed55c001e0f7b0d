// Package profile checks the lengths of an account's id, name and picture address.
package profile

import (
	"clave/server/identity/apierror"
	"clave/server/identity/passpolicy"
)

// Limits of fields, in UTF-16 units.
const (
	maxDisplayName = 256
	maxPhotoURL    = 2048
	maxUID         = 128
)

// Check returns an error if a name or a picture's address is too long. Nil ones are not set.
func Check(name, photo *string) error {
	if name != nil && passpolicy.Units(*name) > maxDisplayName {
		return apierror.New("INVALID_PROFILE_ATTRIBUTE : Display name is too long.")
	}
	if photo != nil && passpolicy.Units(*photo) > maxPhotoURL {
		return apierror.New("INVALID_PROFILE_ATTRIBUTE : Photo URL is too long.")
	}
	return nil
}

// ValidUID reports whether an account may have an id that was not generated.
func ValidUID(uid string) bool { return uid != "" && passpolicy.Units(uid) <= maxUID }
