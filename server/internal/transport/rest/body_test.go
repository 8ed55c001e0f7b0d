package rest

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/parse"
	"clave/server/internal/model/wire"
)

// TestLargeBodiesHaveAShare uses up the limit of large bodies. Small bodies must pass; a large one must wait until its
// request ends.
func TestLargeBodiesHaveAShare(t *testing.T) {
	limit := parse.New(0)
	d := &handler{o: Options{Parsing: limit}}
	r := httptest.NewRequest("POST", "/", nil)
	share, err := d.admit(r, parse.Large, limit.Most())
	if err != nil || limit.Used() != limit.Most() {
		t.Fatalf("a large body: %v, and %d bytes are used", err, limit.Used())
	}
	if _, err := d.admit(r, parse.Large-1, limit.Most()); err != nil {
		t.Errorf("a small body beside large ones: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := d.admit(r.WithContext(ended), parse.Large, 1); !fault.Is(err, fault.Canceled) {
		t.Errorf("a large body of a request that has ended: %v, want CANCELLED", err)
	}
	if share.Release(); limit.Used() != 0 {
		t.Errorf("%d bytes are used afterwards", limit.Used())
	}
}

// TestBodiesOfManyValuesHaveTheWholeBudget compares the budget that one long string needs with that of many values,
// plain and compressed.
func TestBodiesOfManyValuesHaveTheWholeBudget(t *testing.T) {
	many := `{"fields":[` + strings.Repeat("{},", 1<<20) + `]}`
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(many)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	plain := `{"fields":"` + strings.Repeat("x", len(many)) + `"}`
	for _, tt := range []struct {
		name, body, encoding string
		want                 int64
	}{
		{"one value", plain, "", wire.JSONMemory([]byte(plain))},
		{"many values", many, "", wire.JSONMemory(many)},
		{"many values, packed", packed.String(), "gzip", wire.JSONMemory(many)},
	} {
		limit := parse.New(0)
		d := &handler{o: Options{Parsing: limit}}
		r := httptest.NewRequest("POST", "/", strings.NewReader(tt.body))
		r.Header.Set("Content-Encoding", tt.encoding)
		_, share, err := d.body(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := limit.Used(); got != min(tt.want, limit.Most()) {
			t.Errorf("%s: takes %d bytes, want %d", tt.name, got, min(tt.want, limit.Most()))
		}
		if share.Release(); limit.Used() != 0 {
			t.Errorf("%s: the share is not returned", tt.name)
		}
	}
}
