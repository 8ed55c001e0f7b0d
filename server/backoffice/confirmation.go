package backoffice

import (
	"strconv"
	"strings"
	"time"
)

// confirmation returns the token of the link that confirms an address, valid until a moment.
func (s *Service) confirmation(address string, until time.Time) string {
	return s.signed("confirm", address+"\x00"+strconv.FormatInt(until.Unix(), 10))
}

// Confirming returns the address of a confirmation link's token.
func (s *Service) Confirming(token string) (string, error) {
	text, err := s.verified("confirm", token)
	if err != nil {
		return "", err
	}
	address, until, _ := strings.Cut(text, "\x00")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || !s.options.Clock.Now().Before(time.Unix(seconds, 0)) {
		return "", refuse(InvalidLink, nil)
	}
	return address, nil
}
