package field

import (
	"strings"

	"clave/server/internal/base/pattern"
)

// maxEmail is the maximum length of an address, in bytes.
const maxEmail = 256

// emailForm matches the form of an e-mail address, without blanks, control characters and characters that are not
// shown, also those beyond ASCII. The mail server checks the rest.
var emailForm = pattern.New(`^[^@<>()\[\],;:\\"\pZ\pC]+@(?:[A-Za-z0-9\-_.]|[^\x00-\x7f\pZ\pC])+$`)

// Email returns the stored form of an e-mail address, and whether the address is valid.
func Email(email string) (string, bool) {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > maxEmail || !emailForm.MatchString(email) {
		return "", false
	}
	domain := email[strings.LastIndexByte(email, '@')+1:]
	return email, !strings.HasPrefix(domain, ".") && !strings.HasSuffix(domain, ".") && !strings.Contains(domain, "..")
}

// keypad has the digit of each letter on a telephone's keys, from a to z.
const keypad = "22233344455566677778889999"

// minLetters is the number of letters from which a number is written in letters. With fewer they may mean an extension.
const minLetters = 3

// Phone returns a phone number in E.164 form, and whether it is valid. Letters stand for the digits of a telephone's
// keys, as in +1 809 555 CASA.
func Phone(phone string) (string, bool) {
	letters := 0
	digits := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9' || r == '+':
			return r
		case r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z':
			letters++
			return rune(keypad[(r|0x20)-'a'])
		case strings.ContainsRune(" -().", r):
			return -1
		}
		return 'x'
	}, strings.TrimSpace(phone))
	if letters > 0 && letters < minLetters {
		return "", false
	}
	rest, ok := strings.CutPrefix(digits, "+")
	const shortest, longest = 7, 15
	if !ok || len(rest) < shortest || len(rest) > longest || rest[0] == '0' || strings.ContainsAny(rest, "x+") {
		return "", false
	}
	return digits, true
}

// HidePhone returns a phone number with all but its last four digits hidden.
func HidePhone(phone string) string {
	const shown = 4
	if len(phone) <= shown+1 {
		return phone
	}
	return phone[:1] + strings.Repeat("*", len(phone)-shown-1) + phone[len(phone)-shown:]
}
