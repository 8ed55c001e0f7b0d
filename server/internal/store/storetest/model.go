package storetest

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"clave/server/internal/store"
)

// testModel applies a random history to the store and to a plain map and compares them, whole and in ranges.
func testModel(t *testing.T, s store.Store) {
	rnd := rand.New(rand.NewPCG(1, 2))
	model := map[string]string{}
	key := func() string { return fmt.Sprintf("k%02d", rnd.IntN(60)) }
	for step := range 300 {
		var changes []string
		for range 1 + rnd.IntN(4) {
			changes = append(changes, randomChange(rnd, key, model, step))
		}
		apply(t, s, changes...)
		from, to := key(), key()
		rng := store.Range{From: []byte(from), To: []byte(to), Reverse: rnd.IntN(2) == 0}
		if from > to {
			rng.From, rng.To = rng.To, rng.From
		}
		wantWalk(t, s, rng, modelWalk(model, rng))
	}
}

// randomChange applies one random change to the model and returns it in apply's notation.
func randomChange(rnd *rand.Rand, key func() string, model map[string]string, step int) string {
	k := key()
	switch rnd.IntN(10) {
	case 0:
		delete(model, k)
		return "-" + k
	case 1:
		end := k + "5"
		for have := range model {
			if have >= k && have < end {
				delete(model, have)
			}
		}
		return k + ".." + end
	default:
		model[k] = fmt.Sprint(step)
		return k + "=" + model[k]
	}
}

// modelWalk returns the expected result of walk for the model.
func modelWalk(model map[string]string, rng store.Range) string {
	var keys []string
	for k := range model {
		if k >= string(rng.From) && k < string(rng.To) {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	var out []string
	for i := range keys {
		k := keys[i]
		if rng.Reverse {
			k = keys[len(keys)-1-i]
		}
		out = append(out, k+"="+model[k])
	}
	return strings.Join(out, " ")
}
