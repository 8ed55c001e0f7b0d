package field

import (
	"strings"

	"clave/server/internal/auth/service/apierror"
)

// Limits of fields, in UTF-16 units. Production has no known limit of ids that administrators choose: it accepts 129
// characters. Ids in custom tokens have a lower limit (package token).
const (
	maxDisplayName = 256
	maxPhotoURL    = 2048
	maxUID         = 1024
)

// CheckProfile returns an error if a name or a picture's address is too long. Nil ones are not set.
func CheckProfile(name, photo *string) error {
	if name != nil && units(*name) > maxDisplayName {
		return apierror.New("INVALID_PROFILE_ATTRIBUTE : Display name is too long.")
	}
	if photo != nil && units(*photo) > maxPhotoURL {
		return apierror.New("INVALID_PROFILE_ATTRIBUTE : Photo URL is too long.")
	}
	return nil
}

// ValidUID reports whether an administrator may choose an id for an account.
func ValidUID(uid string) bool {
	return uid != "" && units(uid) <= maxUID && !strings.Contains(uid, separator)
}

// separator separates the parts of stored keys, so no part may contain it.
const separator = "\x00"

// ValidProvider reports whether an account may be linked to the user of a provider: the ids are parts of a stored key.
func ValidProvider(provider, raw string) bool { return !strings.Contains(provider+raw, separator) }
