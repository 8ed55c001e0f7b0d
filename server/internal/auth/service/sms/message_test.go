package sms_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"clave/server/internal/auth/service/sms"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
)

func TestTextIsInTheReadersLanguage(t *testing.T) {
	const spanish, english = "123456 es su código de verificación.", "123456 is your verification code."
	for locale, want := range map[string]string{"es": spanish, "es-DO": spanish, "ES_do": spanish, "en": english, "": english, "est": english} {
		if got := sms.Text(locale, "123456"); got != want {
			t.Errorf("Text(%q) = %q, want %q", locale, got, want)
		}
	}
}

// hook is a webhook that responds with a status, or fails.
type hook struct {
	status int
	err    error
	url    string
	body   []byte
}

// Post returns the status and keeps the request.
func (h *hook) Post(_ context.Context, url string, body []byte) (int, []byte, error) {
	h.url, h.body = url, body
	return h.status, nil, h.err
}

func TestWebhook(t *testing.T) {
	for _, c := range []struct {
		name string
		hook hook
		want string
	}{
		{"accepted", hook{status: 204}, ""},
		{"invalid number", hook{status: 400}, "INVALID_PHONE_NUMBER : The text message cannot be sent to this number."},
		{"too many", hook{status: 429}, "QUOTA_EXCEEDED : Too many text messages."},
		{"broken", hook{status: 500}, "Internal error."},
		{"not reachable", hook{err: errors.New("connection refused")}, "Internal error."},
	} {
		w := sms.Webhook{Tokens: token.New(token.Options{Unsigned: true}), Caller: &c.hook, URL: "https://sms.example.org"}
		err := w.Text(t.Context(), sms.Message{Project: "demo", Phone: "+18095550101", Code: "123456", Text: "123456 is your verification code."})
		got := ""
		if err != nil {
			got = fault.FromError(err).Message
		}
		if got != c.want {
			t.Errorf("%s: %q (%v), want %q", c.name, got, err, c.want)
		}
		var sent struct{ Data struct{ JWT string } }
		if err := json.Unmarshal(c.hook.body, &sent); err != nil || sent.Data.JWT == "" || c.hook.url != "https://sms.example.org" {
			t.Errorf("%s: posted %s to %s, %v; want a token", c.name, c.hook.body, c.hook.url, err)
		}
	}
}
