package account

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Search calls yield, until it returns false, with the accounts of a scope whose id, e-mail address, phone number or
// name contains a text, regardless of case and accents. The accounts are in the order of ids and begin after the given
// id. There is no substring index: Search scans the stored accounts as bytes and decodes only those that contain the
// text anywhere.
func (s *Store) Search(ctx context.Context, sc Scope, text, after string, yield func(*User) bool) error {
	f, err := newFinder(text)
	if err != nil {
		return err
	}
	return s.scan(ctx, sc, after, f.mayHave, func(u *User) bool { return !f.has(u) || yield(u) })
}

// finder looks for a text in accounts.
type finder struct {
	// text is folded, and stored is its form in stored accounts.
	text   string
	stored []byte
	// phone is the text without the separators that people write in phone numbers; empty if the text is not such a number.
	phone string
	// folded is a buffer for an account.
	folded []byte
}

// newFinder returns a finder for a text.
func newFinder(text string) (*finder, error) {
	stored, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	f := &finder{text: fold(text), stored: appendFolded(nil, stored[1:len(stored)-1])}
	if strings.Trim(text, "+0123456789 -.()") == "" {
		f.phone = strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "").Replace(text)
	}
	return f, nil
}

// mayHave reports whether a stored account contains the text anywhere, also in fields that are not searched.
func (f *finder) mayHave(stored []byte) bool {
	f.folded = appendFolded(f.folded[:0], stored)
	return bytes.Contains(f.folded, f.stored) || f.phone != "" && bytes.Contains(f.folded, []byte(f.phone))
}

// has reports whether an account's id, address, phone number or name contains the text.
func (f *finder) has(u *User) bool {
	if f.phone != "" && strings.Contains(u.Phone, f.phone) {
		return true
	}
	for _, field := range []string{u.UID, u.Email, u.Phone, u.Name()} {
		if strings.Contains(fold(field), f.text) {
			return true
		}
	}
	return false
}

// fold returns a text in lower case and without accents.
func fold(text string) string { return string(appendFolded(nil, []byte(text))) }

// appendFolded appends a text in lower case and without accents: of each letter the first character of its canonical
// decomposition in Unicode, and no combining marks.
func appendFolded(to, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[i:])
			if parts := norm.NFD.Properties(text[i : i+size]).Decomposition(); len(parts) > 0 {
				r, _ = utf8.DecodeRune(parts)
			}
			if !unicode.Is(unicode.Mn, r) {
				to = utf8.AppendRune(to, unicode.ToLower(r))
			}
			i += size
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		to = append(to, c)
		i++
	}
	return to
}
