package account

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Search calls yield with the accounts of a scope that have a text in their id, e-mail address, phone number or name, whatever the
// case of its letters, in the order of ids from the one after the given id, until yield returns false. There is no index of parts of
// words: stored accounts are compared as they are, and only those that have the text anywhere are decoded.
func (s *Store) Search(ctx context.Context, sc Scope, text, after string, yield func(*User) bool) error {
	f, err := newFinder(text)
	if err != nil {
		return err
	}
	return s.scan(ctx, sc, after, f.mayHave, func(u *User) bool { return !f.has(u) || yield(u) })
}

// finder looks for a text in accounts.
type finder struct {
	// text is in lower case, and stored as it is in stored accounts.
	text   string
	stored []byte
	// phone is the text without what people write between the digits of a phone number; empty for no such number.
	phone string
	// folded is room for an account in lower case.
	folded []byte
}

// newFinder returns what looks for a text.
func newFinder(text string) (*finder, error) {
	stored, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	f := &finder{text: strings.ToLower(text), stored: appendLower(nil, stored[1:len(stored)-1])}
	if strings.Trim(text, "+0123456789 -.()") == "" {
		f.phone = strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "").Replace(text)
	}
	return f, nil
}

// mayHave reports whether a stored account has the text somewhere. What it has it in may be no field that is looked at.
func (f *finder) mayHave(stored []byte) bool {
	f.folded = appendLower(f.folded[:0], stored)
	return bytes.Contains(f.folded, f.stored) || f.phone != "" && bytes.Contains(f.folded, []byte(f.phone))
}

// has reports whether an account has the text in its id, address, phone number or name.
func (f *finder) has(u *User) bool {
	if f.phone != "" && strings.Contains(u.Phone, f.phone) {
		return true
	}
	name := ""
	if u.DisplayName != nil {
		name = *u.DisplayName
	}
	for _, field := range []string{u.UID, u.Email, u.Phone, name} {
		if strings.Contains(strings.ToLower(field), f.text) {
			return true
		}
	}
	return false
}

// appendLower appends a text in lower case.
func appendLower(to, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[i:])
			to = utf8.AppendRune(to, unicode.ToLower(r))
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
