package backoffice

import (
	"crypto/hmac"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
)

// confirmation returns the token of the link that confirms an address, valid until a moment.
func (s *Service) confirmation(address string, until time.Time) string {
	text := address + "\x00" + strconv.FormatInt(until.Unix(), 10)
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(text)) + "." + encode(s.mac("confirm", text))
}

// Confirming returns the address of a confirmation link's token.
func (s *Service) Confirming(token string) (string, error) {
	payload, sum, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(payload)
	mac, macErr := base64.RawURLEncoding.DecodeString(sum)
	if s.options.UnsubscribeKey == "" || errors.Join(err, macErr) != nil || !hmac.Equal(mac, s.mac("confirm", string(text))) {
		return "", refuse(InvalidLink, nil)
	}
	address, until, _ := strings.Cut(string(text), "\x00")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || !s.options.Clock.Now().Before(time.Unix(seconds, 0)) {
		return "", refuse(InvalidLink, nil)
	}
	return address, nil
}
