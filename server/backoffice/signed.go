package backoffice

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// mac returns the HMAC of a text for a purpose under the key of links.
func (s *Service) mac(purpose, text string) []byte {
	mac := hmac.New(sha256.New, []byte(s.options.UnsubscribeKey))
	mac.Write([]byte(purpose + "\x00" + text))
	return mac.Sum(nil)
}

// signed returns the token of a link: a text and its HMAC for a purpose.
func (s *Service) signed(purpose, text string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(text)) + "." + encode(s.mac(purpose, text))
}

// verified returns the text of a link's token for a purpose.
func (s *Service) verified(purpose, token string) (string, error) {
	payload, sum, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(payload)
	mac, macErr := base64.RawURLEncoding.DecodeString(sum)
	if s.options.UnsubscribeKey == "" || errors.Join(err, macErr) != nil || !hmac.Equal(mac, s.mac(purpose, string(text))) {
		return "", refuse(InvalidLink, nil)
	}
	return string(text), nil
}
