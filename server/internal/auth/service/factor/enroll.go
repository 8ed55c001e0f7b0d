package factor

import (
	"slices"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/randid"
)

// maxFactors is the maximum number of second factors of a user.
const maxFactors = 5

// NewID returns a random id of a factor: 28 alphanumeric characters.
func NewID() string {
	const length = 28
	return randid.New(length)
}

// Add enrolls a factor. It returns an error if the user has the phone already, or the maximum number of factors.
func Add(u *account.User, f account.Factor) error {
	if err := CheckRoom(u); err != nil {
		return err
	}
	if f.Phone != "" {
		if err := CheckPhone(u, f.Phone); err != nil {
			return err
		}
	}
	u.Factors = append(u.Factors, f)
	return nil
}

// CheckRoom returns an error if the user has the maximum number of factors.
func CheckRoom(u *account.User) error {
	if len(u.Factors) >= maxFactors {
		return apierror.New("SECOND_FACTOR_LIMIT_EXCEEDED : This account has reached the maximum allowed number of second factors.")
	}
	return nil
}

// CheckPhone returns an error if a number is one of the user's factors.
func CheckPhone(u *account.User, phone string) error {
	if hasPhone(u, phone) {
		return apierror.New("SECOND_FACTOR_EXISTS : Phone number already enrolled as second factor for this account.")
	}
	return nil
}

// hasPhone reports whether a number is one of the user's second factors.
func hasPhone(u *account.User, phone string) bool {
	return slices.ContainsFunc(u.Factors, func(f account.Factor) bool { return f.Phone == phone })
}

// Enroll enrolls the factors that an administrator lists. An authenticator app must be one of had, the factors that the
// user has already, because its secret is never shown; it keeps the secret. Factors without an id get a new one if
// newIDs is set.
func Enroll(u *account.User, list []userinfo.Factor, had []account.Factor, newIDs bool, now time.Time) error {
	for _, m := range list {
		f := account.Factor{ID: m.MFAEnrollmentID, DisplayName: m.DisplayName, Enrolled: enrolledAt(m.EnrolledAt, now)}
		if app := m.TOTPInfo != nil && m.PhoneInfo == ""; app {
			i := slices.IndexFunc(had, func(old account.Factor) bool { return old.ID == f.ID && old.Secret != nil })
			if i < 0 {
				return apierror.New("MFA_ENROLLMENT_NOT_FOUND")
			}
			f = had[i]
			f.DisplayName = m.DisplayName
		} else if phone, ok := field.Phone(m.PhoneInfo); !ok {
			return apierror.New("INVALID_MFA_PHONE_NUMBER : Invalid format.")
		} else if f.Phone = phone; hasPhone(u, phone) {
			continue // listed twice
		}
		switch {
		case f.ID == "" && !newIDs:
			return apierror.New("INVALID_MFA_ENROLLMENT_ID : mfaEnrollmentId must be defined.")
		case f.ID == "":
			f.ID = NewID()
		}
		if u.Factor(f.ID) != nil {
			return apierror.New("DUPLICATE_MFA_ENROLLMENT_ID")
		}
		if err := CheckRoom(u); err != nil {
			return err
		}
		u.Factors = append(u.Factors, f)
	}
	return nil
}

// enrolledAt parses a time leniently, because the Go SDK's format follows no standard.
func enrolledAt(given string, now time.Time) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05Z07:00Z"} {
		if t, err := time.Parse(layout, given); err == nil && t.Year() < 3000 {
			return t.UTC()
		}
	}
	return now.Truncate(time.Millisecond)
}
