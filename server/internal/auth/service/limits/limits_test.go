package limits_test

import (
	"fmt"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/limits"
	"clave/server/internal/base/clock/clocktest"
)

// at returns a client at an address.
func at(address string) limits.Client { return limits.Client{Project: "demo", Address: address} }

// until calls take until it returns an error, most times at the most, and returns how often it did not.
func until(most int, take func() error) int {
	for i := range most {
		if take() != nil {
			return i
		}
	}
	return most
}

func TestActionsCountByAddress(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	var refused []string
	l := limits.New(limits.Options{Clock: manual, Refused: func(limit string) { refused = append(refused, limit) }})
	const enough = 1000
	if n := until(enough, func() error { return l.Take(at("192.0.2.1"), limits.SignIn) }); n != 60 {
		t.Errorf("%d sign-ins from an address, want 60", n)
	}
	if len(refused) != 1 || refused[0] != "sign-in" {
		t.Errorf("refused by %q, want sign-in once", refused)
	}
	if err := l.Take(at("192.0.2.1"), limits.Code); err != nil {
		t.Errorf("another action: %v", err)
	}
	if err := l.Take(at("192.0.2.2"), limits.SignIn); err != nil {
		t.Errorf("another address: %v", err)
	}
	manual.Advance(2 * time.Second)
	if n := until(enough, func() error { return l.Take(at("192.0.2.1"), limits.SignIn) }); n != 1 {
		t.Errorf("%d sign-ins after two seconds, want 1", n)
	}
	for name, c := range map[string]limits.Client{"administrator": {Project: "demo", Address: "192.0.2.1", Admin: true}, "this program": {Project: "demo"}} {
		if n := until(enough, func() error { return l.Take(c, limits.SignIn) }); n != enough {
			t.Errorf("%s: %d sign-ins, want no limit", name, n)
		}
	}
	off := limits.New(limits.Options{Clock: manual, Off: true})
	if n := until(enough, func() error { return off.Take(at("192.0.2.1"), limits.SignIn) }); n != enough {
		t.Errorf("%d sign-ins without limits, want %d", n, enough)
	}
}

func TestGuesses(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	l := limits.New(limits.Options{Clock: manual})
	const home, email, enough = "192.0.2.1", "ann@example.com", 1000
	ann := &account.User{UID: "ann", Email: email}
	l.NotePlace(at(home), ann)
	guess := func(address string, u *account.User) func() error {
		return func() error {
			_, err := l.StartGuess(at(address), email, u)
			return err
		}
	}
	if n := until(enough, guess("198.51.100.1", ann)); n != 10 {
		t.Errorf("%d guesses from one address, want 10", n)
	}
	i := 0
	if n := until(enough, func() error { i++; return guess(fmt.Sprintf("198.51.100.%d", i+1), ann)() }); n != 40 {
		t.Errorf("%d further guesses, each from another address, want 40", n)
	}
	for range 3 * 10 { // a right password does not count
		g, err := l.StartGuess(at(home), email, ann)
		if err != nil {
			t.Fatalf("the owner, from a network of earlier sign-ins: %v", err)
		}
		g.Right()
	}
	if err := guess("203.0.113.1", ann)(); err == nil {
		t.Error("the owner, from a new network: accepted, want it refused until a reset")
	}
	l.ResetGuesses(at("203.0.113.1"), email)
	if err := guess("203.0.113.1", ann)(); err != nil {
		t.Errorf("the owner, after a reset: %v", err)
	}
}

func TestRecipients(t *testing.T) {
	l := limits.New(limits.Options{Clock: clocktest.NewManual(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))})
	const enough = 100
	i := 0
	from := func() limits.Client { i++; return at(fmt.Sprintf("192.0.2.%d", i)) }
	if n := until(enough, func() error { return l.TakeRecipient(from(), "Ann@example.com") }); n != 5 {
		t.Errorf("%d codes for a recipient, want 5", n)
	}
	if err := l.TakeRecipient(from(), "ann@EXAMPLE.com"); err == nil {
		t.Error("the same recipient in other case: accepted, want it refused")
	}
	if n := until(enough, func() error { return l.TakeRecipient(from(), fmt.Sprintf("b.o.b+%d@gmail.com", i)) }); n != 5 {
		t.Errorf("%d codes for tags of one mailbox, want 5", n)
	}
	if err := l.TakeRecipient(from(), "bob@googlemail.com"); err == nil {
		t.Error("the same mailbox without dots: accepted, want it refused")
	}
	if err := l.TakeRecipient(from(), "+18095550101"); err != nil {
		t.Errorf("a phone: %v", err)
	}
}

func TestCodes(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	var refused []string
	l := limits.New(limits.Options{Clock: manual, Refused: func(limit string) { refused = append(refused, limit) }})
	const home, enough = "192.0.2.1", 100
	ann := &account.User{UID: "ann"}
	l.NotePlace(at(home), ann)
	i := 0
	elsewhere := func() limits.Client { i++; return at(fmt.Sprintf("198.51.100.%d", i)) }
	for name, start := range map[string]func(c limits.Client) (*limits.Guess, error){
		"second factor": func(c limits.Client) (*limits.Guess, error) { return l.StartFactor(c, ann) },
		"phone":         func(c limits.Client) (*limits.Guess, error) { return l.StartPhone(c, "+18095550101", ann) },
	} {
		guess := func(from func() limits.Client) func() error {
			return func() error {
				_, err := start(from())
				return err
			}
		}
		if n := until(enough, guess(elsewhere)); n != 10 {
			t.Errorf("%s: %d codes from other networks, want 10", name, n)
		}
		for range enough / 2 { // a right code does not count
			g, err := start(at(home))
			if err != nil {
				t.Fatalf("%s: the owner, from a known network: %v", name, err)
			}
			g.Right()
		}
		if n := until(enough, guess(func() limits.Client { return at(home) })); n != 10 {
			t.Errorf("%s: %d codes from a known network, want 10", name, n)
		}
		manual.Advance(time.Hour)
		if n := until(enough, guess(elsewhere)); n != 1 {
			t.Errorf("%s: %d codes from other networks after an hour, want 1", name, n)
		}
	}
	if n := until(enough, func() error {
		i++
		_, err := l.StartPhone(at("203.0.113.1"), fmt.Sprintf("+180955501%02d", i%enough), nil)
		return err
	}); n != 30 {
		t.Errorf("%d codes of different phones from one address, want 30", n)
	}
	if len(refused) == 0 || refused[0] != "factor" {
		t.Errorf("refused by %q, want factor", refused)
	}
}

func TestQueue(t *testing.T) {
	for _, c := range []struct {
		client limits.Client
		want   string
	}{
		{at("192.0.2.1"), "192.0.2.1"}, {at("2001:db8:1:2::3"), "2001:db8:1::/48"}, {limits.Client{Address: "192.0.2.1", Admin: true}, "administrators"},
	} {
		if got := c.client.Queue(); got != c.want {
			t.Errorf("Queue of %+v = %q, want %q", c.client, got, c.want)
		}
	}
}
