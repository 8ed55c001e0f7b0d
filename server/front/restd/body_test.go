package restd

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/fault"
	"clave/server/wire"
)

// TestLargeBodiesWaitForEachOther uses up the budget for large bodies. Small bodies must pass; another large one must wait until bytes are returned
// or its request ends.
func TestLargeBodiesWaitForEachOther(t *testing.T) {
	d := &handler{large: newLarge()}
	const large, small, memory = maxBody, largeBody - 1, maxLarge / 4
	var shares []*share
	for range maxLarge / memory {
		s, err := d.admit(t.Context(), large, memory)
		if err != nil {
			t.Fatal(err)
		}
		shares = append(shares, s)
	}
	if _, err := d.admit(t.Context(), small, memory); err != nil {
		t.Errorf("a small body beside large ones: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := d.admit(ended, large, memory); !fault.Is(err, fault.Canceled) {
		t.Errorf("a large body of a request that has ended: %v, want CANCELLED", err)
	}
	admitted := make(chan error, 1)
	go func() {
		s, err := d.admit(t.Context(), large, memory)
		if err == nil {
			s.release()
		}
		admitted <- err
	}()
	select {
	case <-admitted:
		t.Error("a large body did not wait")
	default:
	}
	for _, s := range shares {
		s.release()
	}
	if err := <-admitted; err != nil {
		t.Errorf("a large body that has waited: %v", err)
	}
}

// TestBodiesOfManyValuesHaveTheWholeBudget compares the budget that one long string needs with that of many values, plain and compressed.
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
		{"many values", many, "", maxLarge},
		{"many values, packed", packed.String(), "gzip", maxLarge},
	} {
		d := &handler{large: newLarge()}
		r := httptest.NewRequest("POST", "/", strings.NewReader(tt.body))
		r.Header.Set("Content-Encoding", tt.encoding)
		_, release, err := d.body(r)
		if err != nil {
			t.Fatal(err)
		}
		if d.large.TryAcquire(maxLarge - tt.want + 1) {
			t.Errorf("%s: takes less than %d", tt.name, tt.want)
			continue
		}
		if !d.large.TryAcquire(maxLarge - tt.want) {
			t.Errorf("%s: takes more than %d", tt.name, tt.want)
			continue
		}
		d.large.Release(maxLarge - tt.want)
		if release(); !d.large.TryAcquire(maxLarge) {
			t.Errorf("%s: the share is not returned", tt.name)
		}
	}
}
