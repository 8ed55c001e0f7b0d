package identity

import (
	"regexp"
	"strconv"
	"strings"
)

// Limits of profile fields, in UTF-16 units.
const (
	maxDisplayName = 256
	maxPhotoURL    = 2048
	maxUID         = 128
	maxEmail       = 256
)

// emailForm matches the form of an e-mail address. The mail server checks the rest.
var emailForm = regexp.MustCompile(`^[^\s@<>()\[\],;:\\"\x00-\x1f]+@[A-Za-z0-9\-_.\x{80}-\x{10ffff}]+$`)

// cleanEmail returns the stored form of an e-mail address, and whether the address is valid.
func cleanEmail(email string) (string, bool) {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > maxEmail || !emailForm.MatchString(email) {
		return "", false
	}
	domain := email[strings.LastIndexByte(email, '@')+1:]
	return email, !strings.HasPrefix(domain, ".") && !strings.HasSuffix(domain, ".") && !strings.Contains(domain, "..")
}

// cleanPhone returns a phone number in E.164 form, and whether it is valid.
func cleanPhone(phone string) (string, bool) {
	digits := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9' || r == '+':
			return r
		case strings.ContainsRune(" -().", r):
			return -1
		}
		return 'x'
	}, strings.TrimSpace(phone))
	rest, ok := strings.CutPrefix(digits, "+")
	const shortest, longest = 7, 15
	if !ok || len(rest) < shortest || len(rest) > longest || rest[0] == '0' || strings.ContainsAny(rest, "x+") {
		return "", false
	}
	return digits, true
}

// hidden returns a phone number with all but its last four digits hidden.
func hidden(phone string) string {
	const shown = 4
	if len(phone) <= shown+1 {
		return phone
	}
	return phone[:1] + strings.Repeat("*", len(phone)-shown-1) + phone[len(phone)-shown:]
}

// itoa prints a number.
func itoa[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// checkProfile checks the lengths of a name and a picture's address.
func checkProfile(name, photo *string) error {
	if name != nil && units(*name) > maxDisplayName {
		return apiError("INVALID_PROFILE_ATTRIBUTE : Display name is too long.")
	}
	if photo != nil && units(*photo) > maxPhotoURL {
		return apiError("INVALID_PROFILE_ATTRIBUTE : Photo URL is too long.")
	}
	return nil
}
