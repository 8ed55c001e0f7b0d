package identity

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"clave/server/randid"
	"clave/server/token"
)

// TextMessage is a text message that carries a code.
type TextMessage struct {
	// Project and Tenant are the scope of the recipient's account.
	Project, Tenant string
	// Phone is the recipient's number, in E.164 form.
	Phone string
	// Code is the code, and Text the whole message.
	Code, Text string
	// Locale is the reader's language, such as "es" or "en-US", or empty.
	Locale string
}

// Texter sends text messages.
type Texter interface {
	// Text sends one message, or returns the reason why it could not. The client receives errors of package fault.
	Text(ctx context.Context, m TextMessage) error
}

// codeText returns the text of a message with a code: in Spanish for Spanish locales, in English for all others.
func codeText(locale, code string) string {
	if language, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(locale, "_", "-")), "-"); language == "es" {
		return code + " es su código de verificación."
	}
	return code + " is your verification code."
}

// hookTimeout is the time limit for posting one message.
const hookTimeout = 20 * time.Second

// HookTexter posts text messages to a webhook in the format of blocking functions: {"data":{"jwt":…}}, signed like ID
// tokens, with the webhook's URL in "aud".
type HookTexter struct {
	// Tokens signs, and Caller posts to URL.
	Tokens *token.Verifier
	Caller Caller
	URL    string
}

// Text implements Texter.
func (h *HookTexter) Text(ctx context.Context, m TextMessage) error {
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
	body, err := eventBody(jwt)
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
		return apiError("INVALID_PHONE_NUMBER : The text message cannot be sent to this number.")
	case status == http.StatusTooManyRequests:
		return apiError("QUOTA_EXCEEDED : Too many text messages.")
	case status < http.StatusOK || status >= http.StatusMultipleChoices:
		return fmt.Errorf("post a text message: the webhook returned %d", status)
	}
	return nil
}
