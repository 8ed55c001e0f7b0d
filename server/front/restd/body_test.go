package restd

import (
	"context"
	"testing"

	"clave/server/fault"
)

// TestLargeBodiesWaitForEachOther fills the budget for large bodies: small ones still pass, another large one waits until
// bytes are returned, or until its request ends.
func TestLargeBodiesWaitForEachOther(t *testing.T) {
	d := &handler{large: newLarge()}
	const large, small = maxBody, largeBody - 1
	var releases []func()
	for range maxLarge / maxBody {
		release, err := d.admit(t.Context(), large)
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	if _, err := d.admit(t.Context(), small); err != nil {
		t.Errorf("a small body beside large ones: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := d.admit(ended, large); !fault.Is(err, fault.Canceled) {
		t.Errorf("a large body of a request that has ended: %v, want CANCELLED", err)
	}
	admitted := make(chan error, 1)
	go func() {
		release, err := d.admit(t.Context(), large)
		if err == nil {
			release()
		}
		admitted <- err
	}()
	select {
	case <-admitted:
		t.Error("a large body did not wait")
	default:
	}
	for _, release := range releases {
		release()
	}
	if err := <-admitted; err != nil {
		t.Errorf("a large body that has waited: %v", err)
	}
}
