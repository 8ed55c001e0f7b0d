package torture

import (
	"context"
	"math/rand/v2"
	"sync"

	"cloud.google.com/go/firestore/apiv1/firestorepb"
)

// rising is a document with a number that only increases: each write sets it to the maximum of the old and the new
// number. So every read is checked, not only the few that fit a history: its number is at least every number that was
// acknowledged or read before it began.
type rising struct {
	mu sync.Mutex
	// given is the last number that a write got. least is the greatest number that was acknowledged or read.
	given, least int64
}

// risingPath is the path of the document.
const risingPath = "rising/0"

// next returns a number for a write.
func (r *rising) next() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.given++
	return r.given
}

// floor returns the least number that a read that begins now may return.
func (r *rising) floor() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.least
}

// reached records a number that was acknowledged or read.
func (r *rising) reached(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.least = max(r.least, n)
}

// rise writes the rising document.
func (w *work) rise(ctx context.Context, _ *rand.Rand) outcome {
	n := w.rising.next()
	_, err := w.commit(ctx, nil, &firestorepb.Write{
		Operation: &firestorepb.Write_Update{Update: &firestorepb.Document{Name: root + "/" + risingPath}}, UpdateMask: &firestorepb.DocumentMask{},
		UpdateTransforms: []*firestorepb.DocumentTransform_FieldTransform{{FieldPath: "v",
			TransformType: &firestorepb.DocumentTransform_FieldTransform_Maximum{Maximum: &firestorepb.Value{ValueType: &firestorepb.Value_IntegerValue{IntegerValue: n}}}}},
	})
	o := outcomeOf(err)
	if o == acknowledged {
		w.rising.reached(n)
	}
	return o
}

// risen reads the rising document.
func (w *work) risen(ctx context.Context, _ *rand.Rand) outcome {
	_ = w.rises(ctx) // the error log has the errors
	return refused
}

// rises is risen with the error of a read that has failed.
func (w *work) rises(ctx context.Context) error {
	least := w.rising.floor()
	found, err := w.get(ctx, nil, nil, risingPath)
	if err != nil {
		return err
	}
	got := found[risingPath]["v"]
	if got < least {
		w.fail("%s is read as %d after %d was acknowledged or read", risingPath, got, least)
	}
	w.rising.reached(got)
	return nil
}
