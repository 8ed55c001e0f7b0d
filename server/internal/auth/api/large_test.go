package api

import (
	"bytes"
	"context"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"clave/server/internal/auth/service"
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/parse"
)

// TestLargeBodiesWaitForEachOther uses up the limit of large bodies. Small bodies must pass; a large one must wait
// until its request ends, also that of an administrator. One of more values than any request needs is refused.
func TestLargeBodiesWaitForEachOther(t *testing.T) {
	limit := parse.New(0)
	h := &Handler{o: Options{Parsing: limit}}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequest("POST", "/", nil).WithContext(ended)
	client, admin := &request{http: r}, &request{http: r, call: service.Call{Admin: true}}
	large := []byte(strings.Repeat("{},", parse.Large/3+1))
	whole, err := limit.Admit(t.Context(), netip.Addr{}, limit.Most())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.admit(client, large[:parse.Large-1]); err != nil {
		t.Errorf("a small body beside large ones: %v", err)
	}
	for name, of := range map[string]*request{"a client": client, "an administrator": admin} {
		if _, err := h.admit(of, large); !fault.Is(err, fault.Canceled) {
			t.Errorf("a large body of %s without room: %v, want CANCELLED at the end of its request", name, err)
		}
		if _, err := h.admit(of, bytes.Repeat([]byte("{},"), maxValues)); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("a body of %s with too many values: %v, want INVALID_ARGUMENT", name, err)
		}
	}
	whole.Release()
	share, err := h.admit(&request{http: r.WithContext(t.Context())}, large)
	if least := parse.MemoryOf(nil, len(large)/3); err != nil || limit.Used() < least {
		t.Errorf("a large body of many values: %v and %d bytes, want at least %d", err, limit.Used(), least)
	}
	share.Release()
}

// TestErrorsAreSmall decodes a large value of the wrong type.
func TestErrorsAreSmall(t *testing.T) {
	const most = 16 << 10
	var into struct {
		IDToken string `json:"idToken"`
	}
	err := assign(reflect.ValueOf(&into).Elem(), map[string]any{"idToken": []any{strings.Repeat("x", 1<<20)}}, "")
	if err == nil || len(describe(err).Message) > most {
		t.Errorf("an error has %d bytes, want at most %d", len(describe(err).Message), most)
	}
}
