package service

import (
	"context"
	"time"

	"clave/server/internal/auth/service/onetime"
)

// queuedCode is a code that is to be created and sent.
type queuedCode struct {
	call    Call
	request *OobRequest
	made    onetime.Code
}

// outboxSize is the maximum number of codes that wait to be sent.
const outboxSize = 256

// postpone queues a client's code for Run if addresses are protected from enumeration, so that the response time does
// not depend on whether the address has an account. It reports whether it queued the code. It never does under `clave
// start`, where developers look up codes at once.
func (s *Service) postpone(c *callSettings, r *OobRequest, made onetime.Code) bool {
	if s.o.Emulator || c.Admin || made.Type != onetime.PasswordReset && made.Type != onetime.ChangeEmail || !c.privacy() {
		return false
	}
	select {
	case s.outbox <- queuedCode{c.Call, r, made}:
		return true
	default:
		return false // The queue is full: the caller sends the code at once.
	}
}

// postTime is the time limit for creating and sending one code, which also applies while the server stops.
const postTime = 10 * time.Second

// deliver creates and sends a postponed code.
func (s *Service) deliver(ctx context.Context, p queuedCode) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postTime)
	defer cancel()
	_, link, err := s.makeCode(ctx, p.call, p.request, p.made)
	if err == nil {
		err = s.mail(ctx, p.call, p.made, link)
	}
	if err != nil {
		s.o.Log.Error("a one-time code was not sent", "kind", p.made.Type, "user", p.made.UID, "error", err)
	}
}

// drainOutbox delivers the waiting codes when the server stops, within a time limit.
func (s *Service) drainOutbox(ctx context.Context) {
	for until := s.now("").Add(postTime); s.now("").Before(until); {
		select {
		case p := <-s.outbox:
			s.deliver(ctx, p)
		default:
			return
		}
	}
}
