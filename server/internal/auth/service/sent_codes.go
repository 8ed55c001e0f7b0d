package service

import (
	"context"
	"slices"
	"time"

	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/auth/service/sms"
)

// SentCode is a code that was sent by e-mail, as the emulator's control route shows it.
type SentCode struct {
	Email       string       `json:"email"`
	NewEmail    string       `json:"newEmail,omitempty"`
	RequestType onetime.Kind `json:"requestType"`
	OobCode     string       `json:"oobCode"`
	OobLink     string       `json:"oobLink"`
	made        time.Time
}

// SentCodes lists the codes that are still valid, oldest first. Only `clave start` stores codes in readable form.
func (s *Service) SentCodes(ctx context.Context, c Call) ([]SentCode, error) {
	list := []SentCode{}
	err := s.accounts.Items(ctx, c.scope(), onetime.Item, func(_ string, decode func(any) error) error {
		var made onetime.Code
		if err := decode(&made); err != nil || made.Code == "" {
			return err
		}
		list = append(list, SentCode{made.Email, made.NewEmail, made.Type, made.Code, made.Link, made.Made})
		return nil
	})
	slices.SortStableFunc(list, func(a, b SentCode) int { return a.made.Compare(b.made) })
	return list, err
}

// SentSMS is a code that was sent by text message, as the emulator's control route shows it.
type SentSMS struct {
	PhoneNumber string `json:"phoneNumber"`
	SessionInfo string `json:"sessionInfo"`
	Code        string `json:"code"`
	made        time.Time
}

// SentSMSCodes lists the codes sent by text message that are still valid, oldest first.
func (s *Service) SentSMSCodes(ctx context.Context, c Call) ([]SentSMS, error) {
	list := []SentSMS{}
	err := s.accounts.Items(ctx, c.scope(), sms.Item, func(_ string, decode func(any) error) error {
		var made sms.Code
		if err := decode(&made); err != nil || made.Session == "" {
			return err
		}
		list = append(list, SentSMS{made.Phone, made.Session, made.Code, made.Made})
		return nil
	})
	slices.SortStableFunc(list, func(a, b SentSMS) int { return a.made.Compare(b.made) })
	return list, err
}
