package sms

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/webhook"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/randid"
)

// Message is a text message that carries a code.
type Message struct {
	// Project and Tenant are the scope of the recipient's account.
	Project, Tenant string
	// Phone is the recipient's number, in E.164 form.
	Phone string
	// Code is the code, and Text the whole message.
	Code, Text string
	// Locale is the reader's language, such as "es" or "en-US", or empty.
	Locale string
}

// Sender sends text messages.
type Sender interface {
	// Text sends one message, or returns the reason why it could not. The client receives errors of package fault.
	Text(ctx context.Context, m Message) error
}

// Text returns the text of a message with a code: in Spanish for Spanish locales, in English for all others.
func Text(locale, code string) string {
	if language, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(locale, "_", "-")), "-"); language == "es" {
		return code + " es su código de verificación."
	}
	return code + " is your verification code."
}

// hookTimeout is the time limit for posting one message.
const hookTimeout = 20 * time.Second

// poster posts to webhooks.
type poster interface {
	// Post sends a JSON body to a URL and returns the status and body of the response.
	Post(ctx context.Context, url string, body []byte) (status int, answer []byte, err error)
}

// Webhook posts text messages to a webhook in the format of blocking functions: {"data":{"jwt":…}}, signed like ID
// tokens, with the webhook's URL in "aud".
type Webhook struct {
	// Tokens signs, and Caller posts to URL.
	Tokens *token.Verifier
	Caller poster
	URL    string
}

// Text implements Sender. The status of the response determines the error: none for 2xx, INVALID_PHONE_NUMBER for 400,
// QUOTA_EXCEEDED for 429, and an unnamed error otherwise.
func (h *Webhook) Text(ctx context.Context, m Message) error {
	claims := map[string]any{"event_id": randid.Secret(12), "event_type": "sendSms", "aud": h.URL, "phone_number": m.Phone, "text": m.Text, "code": m.Code}
	if m.Locale != "" {
		claims["locale"] = m.Locale
	}
	if m.Tenant != "" {
		claims["tenant_id"] = m.Tenant
	}
	jwt, err := h.Tokens.MintEvent(m.Project, m.Phone, claims)
	if err != nil {
		return err
	}
	body, err := webhook.EventBody(jwt)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	status, _, err := h.Caller.Post(ctx, h.URL, body)
	switch {
	case err != nil:
		return fmt.Errorf("post a text message: %w", err)
	case status == http.StatusBadRequest:
		return apierror.New("INVALID_PHONE_NUMBER : The text message cannot be sent to this number.")
	case status == http.StatusTooManyRequests:
		return apierror.New("QUOTA_EXCEEDED : Too many text messages.")
	case status < http.StatusOK || status >= http.StatusMultipleChoices:
		return fmt.Errorf("post a text message: the webhook returned %d", status)
	}
	return nil
}
