package api_test

import (
	"context"
	"reflect"
	"sync"
	"testing"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/onetime"
)

// slowMail sends an e-mail when the test receives it from the channel.
type slowMail chan service.Email

// Send implements service.Mailer.
func (m slowMail) Send(ctx context.Context, l service.Email) error {
	select {
	case m <- l:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run runs the service until the test ends or stop is called. stop waits for the end of the service.
func (w *fixture) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- w.service.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Error(err)
		}
	})
	w.t.Cleanup(stop)
	return stop
}

// TestTheMailServerRevealsNoAccounts requests password resets while the mail server accepts no e-mail. The answers must
// still arrive, and be the same for an address without an account.
func TestTheMailServerRevealsNoAccounts(t *testing.T) {
	post := make(slowMail)
	w := newFixture(t, setup{production: true, mail: post})
	stop := w.run()
	w.signUp("a@example.com", "secret1")
	reset := func(email string) object {
		got := w.must(w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": email}))
		delete(got, "email")
		return got
	}
	known, unknown := reset("a@example.com"), reset("b@example.com")
	if !reflect.DeepEqual(known, unknown) {
		t.Errorf("a reset answers %v, and one for an unknown address %v", known, unknown)
	}
	sent := <-post
	if sent.To != "a@example.com" || sent.Kind != onetime.PasswordReset {
		t.Errorf("the e-mail = %+v", sent)
	}
	w.must(w.client("resetPassword", object{"oobCode": queryOf(t, sent.Link, "oobCode"), "newPassword": "secret2"}))
	w.must(w.client("signInWithPassword", object{"email": "a@example.com", "password": "secret2"}))
	reset("a@example.com")
	last := make(chan service.Email)
	go func() { last <- <-post }()
	stop()
	if sent := <-last; sent.To != "a@example.com" {
		t.Errorf("the e-mail that waited when the server stopped = %+v", sent)
	}
}
