package backoffice_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"clave/server/backoffice"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
)

// secret is the code of the services under test.
const secret = "clave de sol en la quinta línea"

var (
	home   = netip.MustParseAddr("192.0.2.1")
	office = netip.MustParseAddr("192.0.2.2")
)

// newService returns a service and its clock.
func newService(t *testing.T) (*backoffice.Service, *clocktest.Manual) {
	t.Helper()
	manual := clocktest.NewManual(time.Date(2027, 9, 15, 18, 0, 0, 0, time.UTC))
	s, err := backoffice.New(t.Context(), backoffice.Options{ProjectID: "demo-back-office", SignupCode: secret, UnsubscribeKey: backoffice.DemoUnsubscribeKey, Clock: manual})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, manual
}

// nameOf returns the name of a refusal, or the text of any other error.
func nameOf(err error) string {
	var r *backoffice.Refusal
	if errors.As(err, &r) {
		return string(r.Name)
	}
	return fmt.Sprint(err)
}

func TestNewRefusesUnsafeOptions(t *testing.T) {
	tests := []struct {
		name string
		in   backoffice.Options
		want string
	}{
		{"no project", backoffice.Options{}, "project id"},
		{"production without a code", backoffice.Options{ProjectID: "p", Production: true}, "ADMIN_SIGNUP_CODE"},
		{"production with the demonstration's code", backoffice.Options{ProjectID: "p", Production: true, SignupCode: backoffice.DemoCode}, "public"},
		{"production with a code of 15 characters", backoffice.Options{ProjectID: "p", Production: true, SignupCode: "áéíóúáéíóúáéíóú"}, "16 characters"},
		{"production with a code of 16 characters", backoffice.Options{ProjectID: "p", Production: true, SignupCode: "áéíóú ñandú güe!"}, "<nil>"},
		{"production with a code of one character", backoffice.Options{ProjectID: "p", Production: true, SignupCode: "aaaaaaaaaaaaaaaa"}, "easy to guess"},
		{"production with a code of one word", backoffice.Options{ProjectID: "p", Production: true, SignupCode: "áéíóúáéíóúáéíóú!"}, "easy to guess"},
		{"production with a key of one character", backoffice.Options{ProjectID: "p", Production: true, SignupCode: secret, UnsubscribeKey: strings.Repeat("k", 32)}, "easy to guess"},
		{"production with the demonstration's key", backoffice.Options{ProjectID: "p", Production: true, SignupCode: secret, UnsubscribeKey: backoffice.DemoUnsubscribeKey}, "UNSUBSCRIBE_KEY"},
		{"production with a key of 31 bytes", backoffice.Options{ProjectID: "p", Production: true, SignupCode: secret, UnsubscribeKey: strings.Repeat("k", 31)}, "32 bytes"},
		{"production", backoffice.Options{ProjectID: "p", Production: true, SignupCode: secret}, "<nil>"},
		{"demonstration", backoffice.Options{ProjectID: "p", SignupCode: backoffice.DemoCode}, "<nil>"},
	}
	for _, tt := range tests {
		_, err := backoffice.New(t.Context(), tt.in)
		if got := fmt.Sprint(err); !strings.Contains(got, tt.want) {
			t.Errorf("%s: New: %s, want %q in it", tt.name, got, tt.want)
		}
	}
}

func TestCheckCode(t *testing.T) {
	s, _ := newService(t)
	for i, tt := range []struct{ code, want string }{
		{secret, "<nil>"},
		{"", "invalid-code"},
		{strings.ToUpper(secret), "invalid-code"},
		{secret + " ", "invalid-code"},
		{secret[:len(secret)-1], "invalid-code"},
	} {
		from := netip.AddrFrom4([4]byte{198, 51, 100, byte(i)})
		ticket, err := s.CheckCode(from, tt.code)
		if nameOf(err) != tt.want {
			t.Errorf("CheckCode(%q): %v, want %s", tt.code, err, tt.want)
		}
		if (ticket.Value != "") != (err == nil) {
			t.Errorf("CheckCode(%q): ticket %q with error %v", tt.code, ticket.Value, err)
		}
	}
}

func TestSignUpIsOffWithoutACode(t *testing.T) {
	s, err := backoffice.New(t.Context(), backoffice.Options{ProjectID: "demo-back-office"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CheckCode(home, ""); nameOf(err) != "invalid-code" {
		t.Errorf("an empty code against an empty secret: %v, want invalid-code", err)
	}
}

func TestTriesAreLimitedByAddress(t *testing.T) {
	s, manual := newService(t)
	check := func(step string, from netip.Addr, code, want string) time.Duration {
		t.Helper()
		_, err := s.CheckCode(from, code)
		if nameOf(err) != want {
			t.Fatalf("%s: %v, want %s", step, err, want)
		}
		var r *backoffice.Refusal
		if errors.As(err, &r) {
			return r.RetryAfter
		}
		return 0
	}
	for range 20 {
		check("right codes are not counted", home, secret, "<nil>")
	}
	for range 5 {
		check("a wrong code", home, "no", "invalid-code")
		manual.Advance(time.Minute)
	}
	wait := check("the sixth wrong code", home, "no", "too-many-requests")
	if want := 10 * time.Minute; wait != want {
		t.Errorf("wait = %v, want %v: 15 minutes after the first wrong code", wait, want)
	}
	check("the right code after five wrong ones", home, secret, "too-many-requests")
	check("another address", office, "no", "invalid-code")
	manual.Advance(wait - time.Second)
	check("a second too early", home, secret, "too-many-requests")
	manual.Advance(time.Second)
	check("in time", home, "no", "invalid-code")
	check("the window is full again", home, secret, "too-many-requests")
	manual.Advance(15 * time.Minute)
	check("all is forgotten", home, secret, "<nil>")
}

func TestTriesAreLimitedByNetwork(t *testing.T) {
	tests := []struct {
		name        string
		first, last string
		want        string
	}{
		{"one IPv6 network", "2001:db8:1:2::%d", "2001:db8:1:2:ffff::1", "too-many-requests"},
		{"two IPv6 networks", "2001:db8:1:2::%d", "2001:db8:1:3::1", "invalid-code"},
		{"one IPv4 address in two spellings", "::ffff:192.0.2.7", "192.0.2.7", "too-many-requests"},
	}
	for _, tt := range tests {
		s, _ := newService(t)
		for i := range 5 {
			text := tt.first
			if strings.Contains(text, "%d") {
				text = fmt.Sprintf(text, i+1)
			}
			if _, err := s.CheckCode(netip.MustParseAddr(text), "no"); nameOf(err) != "invalid-code" {
				t.Fatalf("%s: try %d: %v", tt.name, i, err)
			}
		}
		if _, err := s.CheckCode(netip.MustParseAddr(tt.last), "no"); nameOf(err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestOneProviderDoesNotLockOthersOut sends wrong codes from many networks of one prefix. They must not use up the
// tries of all addresses.
func TestOneProviderDoesNotLockOthersOut(t *testing.T) {
	for _, tt := range []struct {
		name, from string
		want       int
	}{
		{"a /48", "2001:db8:1:%x::1", 10},
		{"a /32", "2001:db8:%x::1", 20},
	} {
		s, manual := newService(t)
		admitted := 0
		for i := range 1000 {
			_, err := s.CheckCode(netip.MustParseAddr(fmt.Sprintf(tt.from, i)), "no")
			if nameOf(err) == "invalid-code" {
				admitted++
			}
		}
		if admitted != tt.want {
			t.Errorf("%s sends %d wrong codes, want %d", tt.name, admitted, tt.want)
		}
		if _, err := s.CheckCode(netip.MustParseAddr("2001:db9::1"), secret); err != nil {
			t.Errorf("the right code from elsewhere: %v", err)
		}
		manual.Advance(15 * time.Minute)
		if _, err := s.CheckCode(netip.MustParseAddr(fmt.Sprintf(tt.from, 1)), "no"); nameOf(err) != "invalid-code" {
			t.Errorf("%s after the window: %v", tt.name, err)
		}
	}
}

func TestTriesAreLimitedOverAllAddresses(t *testing.T) {
	s, manual := newService(t)
	next := 0
	try := func(code string) string {
		next++
		from := netip.AddrFrom4([4]byte{198, 51, 100, byte(next)})
		_, err := s.CheckCode(from, code)
		return nameOf(err)
	}
	for n := range 100 {
		if got := try("no"); got != "invalid-code" {
			t.Fatalf("wrong code %d, each from a network of its own: %s, want invalid-code", n+1, got)
		}
	}
	if got := try("no"); got != "too-many-requests" {
		t.Errorf("wrong code 101: %s, want too-many-requests", got)
	}
	if got := try(secret); got != "too-many-requests" {
		t.Errorf("the right code after 100 wrong ones: %s, want too-many-requests", got)
	}
	_, err := s.CheckCode(home, secret)
	var r *backoffice.Refusal
	if !errors.As(err, &r) || r.RetryAfter.Round(time.Millisecond) != 36*time.Second {
		t.Fatalf("the refusal is %v, want to retry after 36 s", err)
	}
	manual.Advance(r.RetryAfter)
	for i, tt := range []struct{ code, want string }{{secret, "<nil>"}, {"no", "invalid-code"}, {"no", "too-many-requests"}} {
		if got := try(tt.code); got != tt.want {
			t.Errorf("36 s later, try %d: %s, want %s", i+1, got, tt.want)
		}
	}
}

func TestTicketsExpireAndAreNotGuessed(t *testing.T) {
	s, manual := newService(t)
	register := func(ticket string) string {
		_, err := s.Register(context.Background(), backoffice.Registration{Ticket: ticket})
		return nameOf(err)
	}
	ticket, err := s.CheckCode(home, secret)
	if err != nil {
		t.Fatal(err)
	}
	if ticket.ExpiresIn != 10*time.Minute {
		t.Errorf("ExpiresIn = %v, want 10m", ticket.ExpiresIn)
	}
	if got := register("AAAA"); got != "invalid-ticket" {
		t.Errorf("a guessed ticket: %s, want invalid-ticket", got)
	}
	if got := register(ticket.Value); got != "invalid-argument" {
		t.Errorf("an empty form with a ticket: %s, want invalid-argument", got)
	}
	manual.Advance(10*time.Minute - time.Nanosecond)
	if got := register(ticket.Value); got != "invalid-argument" {
		t.Errorf("the ticket of a refused form, in its last moment: %s, want invalid-argument", got)
	}
	manual.Advance(time.Nanosecond)
	if got := register(ticket.Value); got != "invalid-ticket" {
		t.Errorf("a ticket of ten minutes: %s, want invalid-ticket", got)
	}
}

func TestRefusalsAreFaults(t *testing.T) {
	s, _ := newService(t)
	_, err := s.CheckCode(home, "no")
	if f := fault.FromError(err); f.Code != fault.PermissionDenied || f.Message != "Código secreto incorrecto." {
		t.Errorf("fault of a wrong code = %v %q", f.Code, f.Message)
	}
	if strings.Contains(err.Error(), secret) {
		t.Error("the error of a wrong code has the secret")
	}
}
