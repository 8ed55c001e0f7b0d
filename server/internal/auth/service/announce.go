package service

import (
	"clave/server/internal/auth/service/onetime"
)

// announce passes the text that shows a code to Options.Announce, if it is set. Developers who test by hand read it;
// its wording is the official emulator's.
func (s *Service) announce(text string) {
	if s.o.Announce != nil && text != "" {
		s.o.Announce(text)
	}
}

// codeMessage returns the text to announce for a code that was sent by e-mail.
func codeMessage(made onetime.Code, link string) string {
	switch made.Type {
	case onetime.EmailSignIn:
		return "To sign in as " + made.Email + ", follow this link: " + link
	case onetime.PasswordReset:
		return "To reset the password for " + made.Email + ", follow this link: " + link + "&newPassword=NEW_PASSWORD_HERE"
	case onetime.VerifyEmail:
		return "To verify the email address " + made.Email + ", follow this link: " + link
	case onetime.ChangeEmail:
		return "To verify and change the email address from " + made.Email + " to " + made.NewEmail + ", follow this link: " + link
	case onetime.RecoverEmail:
		return "To reset your email address to " + made.Email + ", follow this link: " + link
	case onetime.RevertFactor, onetime.Unspecified:
	}
	return ""
}
