package webchannel

import (
	"context"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/parse"
	"clave/server/internal/transport/calls"
)

// TestASessionBelongsToOneStream names a session in requests for another stream.
func TestASessionBelongsToOneStream(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	h.h.calls["Other"] = echo
	sid := h.open(`0`)
	other := strings.Replace(testAddress, "Test", "Other", 1) + "&SID=" + sid
	for _, r := range []struct{ method, address, body string }{
		{"POST", other + "&RID=101&AID=-1", form(1, `1`)},
		{"GET", other + "&RID=rpc&AID=0&CI=1", ""},
	} {
		if status, body := h.do(r.method, r.address, r.body); status != 400 || !strings.Contains(body, "Unknown SID") {
			t.Errorf("%s of another stream's session = %d %q, want 400 with Unknown SID", r.method, status, body)
		}
	}
	if h.do("POST", other+"&RID=9&TYPE=terminate", ""); h.h.Sessions() != 1 {
		t.Errorf("%d sessions after a termination for another stream, want 1", h.h.Sessions())
	}
	h.get(sid, 0, "&CI=0").want(`[0]`)
}

// TestMessagesAreForTheDatabaseOfTheSession sends messages that name databases. The caller was verified only for the
// project of the session's.
func TestMessagesAreForTheDatabaseOfTheSession(t *testing.T) {
	for message, want := range map[string]fault.Code{
		`{"database":"projects/p/databases/(default)"}`: fault.OK,
		`{}`: fault.OK,
		`{"database":"projects/other/databases/(default)"}`: fault.InvalidArgument,
		`{"database":"projects/p/databases/other"}`:         fault.InvalidArgument,
	} {
		received := make(chan error, 1)
		h := newFixture(t, Options{}, func(ctx context.Context, _ token.Caller, s *session) error {
			st := &stream{ctx: parse.Within(ctx), s: s, call: calls.ByName["Write"]}
			defer st.end()
			_, err := st.Recv()
			received <- err
			return err
		})
		h.open(message)
		if err := <-received; fault.CodeOf(err) != want {
			t.Errorf("%s is received with %v, want code %v", message, err, want)
		}
	}
}
