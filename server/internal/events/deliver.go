package events

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/suite/triggers"
)

// maxAnswer is the maximum number of bytes of a response that are read, so that the connection can be reused.
const maxAnswer = 64 << 10

// MintToken returns an OpenID Connect token for an audience, and the time at which it expires.
type MintToken func(audience string) (raw string, expires time.Time, err error)

// sender posts messages to a trigger's service.
type sender struct {
	spec   *Spec
	client *http.Client
	clock  clock.Clock
	mint   MintToken
	mu     struct {
		sync.Mutex
		token   string
		renewal time.Time
	}
}

// newSender returns the sender of a trigger.
func newSender(s *Spec, c clock.Clock, mint MintToken) *sender {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: s.parallel, MaxConnsPerHost: s.parallel, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
	}
	return &sender{spec: s, clock: c, mint: mint, client: &http.Client{
		Transport: transport,
		// A redirect would send the event, and its signature, to another server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// refusal is the error of a response that does not accept an event.
type refusal struct {
	status string
	after  time.Duration // the pause that the response's Retry-After requests
}

// Error implements error.
func (r *refusal) Error() string { return "the service answered " + r.status }

// send posts a message. It returns nil once the service has accepted it with a status of 2xx.
func (s *sender) send(ctx context.Context, m *triggers.Message) error {
	ctx, cancel := context.WithTimeout(ctx, s.spec.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.spec.target.String(), bytes.NewReader(m.Body))
	if err != nil {
		return plain(err)
	}
	r.Header = m.Header.Clone()
	r.Header.Set("User-Agent", "Clave")
	if err := s.authorize(r, m); err != nil {
		return err
	}
	res, err := s.client.Do(r)
	if err != nil {
		return plain(err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.CopyN(io.Discard, res.Body, maxAnswer)
	if res.StatusCode >= http.StatusOK && res.StatusCode < http.StatusMultipleChoices {
		return nil
	}
	refused := &refusal{status: strconv.Itoa(res.StatusCode) + " " + http.StatusText(res.StatusCode)}
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
		refused.after = min(time.Duration(min(seconds, int(maxPause/time.Second)))*time.Second, maxPause)
	}
	return refused
}

// plain returns an error without the address of the request, which may hold a secret.
func plain(err error) error {
	var urlErr *url.Error
	if errors.As(err, &urlErr) {
		return urlErr.Err
	}
	return err
}

// authorize adds the headers by which the service verifies the origin of an event.
func (s *sender) authorize(r *http.Request, m *triggers.Message) error {
	if s.spec.audience != "" {
		token, err := s.token()
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if s.spec.secret != nil {
		now := strconv.FormatInt(s.clock.Now().Unix(), 10)
		r.Header.Set("Webhook-Id", m.ID())
		r.Header.Set("Webhook-Timestamp", now)
		r.Header.Set("Webhook-Signature", signature(s.spec.secret, m.ID(), now, m.Body))
	}
	return nil
}

// signature signs a message in the form of Standard Webhooks.
func signature(secret []byte, id, at string, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.", id, at) // a hash takes everything
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// token returns a token that is valid for at least half of its lifetime.
func (s *sender) token() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	if s.mu.token != "" && now.Before(s.mu.renewal) {
		return s.mu.token, nil
	}
	raw, expires, err := s.mint(s.spec.audience)
	if err != nil {
		return "", err
	}
	s.mu.token, s.mu.renewal = raw, now.Add(expires.Sub(now)/2)
	return raw, nil
}
