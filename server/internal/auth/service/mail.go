package service

import (
	"context"

	"clave/server/internal/auth/service/onetime"
)

// Email is an e-mail that carries a code.
type Email struct {
	To   string
	Kind onetime.Kind
	// Link is the link that applies the code.
	Link string
	// NewEmail is the new address of a ChangeEmail code.
	NewEmail string
	// Locale is the reader's language, such as "es" or "en-US".
	Locale string
}

// Mailer sends e-mails.
type Mailer interface {
	// Send sends one e-mail, or returns the reason why the mail server refused it.
	Send(ctx context.Context, l Email) error
}

// mail sends a code, to the new address if it has one.
func (s *Service) mail(ctx context.Context, c Call, made onetime.Code, link string) error {
	s.announce(codeMessage(made, link))
	if s.o.Mail == nil && !s.o.Emulator {
		s.o.Log.Warn("a one-time code was not sent: there is no mail server", "kind", made.Type)
		return nil
	}
	if s.o.Mail == nil {
		s.o.Log.Info("a one-time code is available at the control route", "kind", made.Type)
		return nil
	}
	return s.o.Mail.Send(ctx, Email{To: made.Recipient(), Kind: made.Type, Link: link, NewEmail: made.NewEmail, Locale: c.Locale})
}
