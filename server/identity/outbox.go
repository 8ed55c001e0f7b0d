package identity

import (
	"context"
	"time"
)

// queuedCode is a code that is to be made and sent.
type queuedCode struct {
	call    Call
	request *OobRequest
	made    oob
}

// outboxSize is how many codes may wait to be sent.
const outboxSize = 256

// postpone leaves a client's code to Run, where addresses are protected from enumeration: the answer then takes as long for an address
// without an account. It reports whether it did; under `clave start`, where codes are looked up at once, it does not.
func (s *Service) postpone(c Call, cfg *Config, r *OobRequest, made oob) bool {
	if s.o.Emulator || c.Admin || made.Type != PasswordReset && made.Type != ChangeEmail || !s.privacy(cfg) {
		return false
	}
	select {
	case s.outbox <- queuedCode{c, r, made}:
		return true
	default:
		return false // It is sent at once rather than never.
	}
}

// postTime is how long making and sending one code may take, also when the server stops meanwhile.
const postTime = 10 * time.Second

// deliver makes and sends a code that was postponed.
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

// drainOutbox delivers what waits when the server stops, unless that takes too long.
func (s *Service) drainOutbox(ctx context.Context) {
	for until := s.now().Add(postTime); s.now().Before(until); {
		select {
		case p := <-s.outbox:
			s.deliver(ctx, p)
		default:
			return
		}
	}
}
