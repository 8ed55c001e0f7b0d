package execute_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"clave/server/internal/database/engine/past"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/query/querytest"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
)

// errDisk is the error of a store whose iterators fail.
var errDisk = errors.New("disk")

// failing is a Reader of which all iterators together make a number of moves. The next one fails, as at a damaged
// block, and the others go on.
type failing struct {
	store.Reader
	left *int
}

// Scan implements store.Reader.
func (f failing) Scan(r store.Range) store.Iterator {
	return &failingIterator{Iterator: f.Reader.Scan(r), left: f.left}
}

// failingIterator fails at one move, and at its later ones.
type failingIterator struct {
	store.Iterator
	left   *int
	failed bool
}

// Next implements store.Iterator.
func (it *failingIterator) Next() bool { return it.moves() && it.Iterator.Next() }

// Seek implements store.Iterator.
func (it *failingIterator) Seek(key []byte) bool { return it.moves() && it.Iterator.Seek(key) }

// moves counts a move and reports whether it succeeds.
func (it *failingIterator) moves() bool {
	*it.left--
	it.failed = it.failed || *it.left == -1
	return !it.failed
}

// Err implements store.Iterator.
func (it *failingIterator) Err() error {
	if it.failed {
		return errDisk
	}
	return it.Iterator.Err()
}

// ending is a context that ends after it was asked a number of times.
type ending struct {
	context.Context
	left *int
}

// Err implements context.Context.
func (e ending) Err() error {
	if *e.left--; *e.left < 0 {
		return context.Canceled
	}
	return e.Context.Err()
}

// TestAnErrorIsNotAnEnd runs random queries on a store that fails at each of its moves in turn, and with a context that
// ends there. A run returns the error, or all results if it needs none of what it could not read. The results before an
// error are the first ones.
func TestAnErrorIsNotAnEnd(t *testing.T) {
	failures := 0
	for seed := range uint64(6) {
		r := random{rand.New(rand.NewPCG(seed, 2))}
		w := newDataset(t)
		for i := range 12 {
			fields := r.fields()
			if i%2 == 0 { // so that pages end among truncated values
				fields["a"] = value.String(long + fmt.Sprint(r.IntN(9)))
			}
			w.put(t, doc([]string{"c/", "c/", "d/1/c/"}[r.IntN(3)]+fmt.Sprint(i), fields))
		}
		if seed%2 == 1 {
			w.differs("c/2", nil)
			w.differs("c/5", r.fields())
		}
		for range 30 {
			q, err := r.query().Normalize()
			if err != nil {
				continue
			}
			want := querytest.Paths(querytest.Page(q, querytest.Results(q, maps.Values(w.docs))))
			for moves := range 40 {
				n := failingRun(t, w, q, moves, want)
				if failures += n; n == 0 {
					break
				}
			}
		}
	}
	if failures < 1000 {
		t.Errorf("%d runs have failed: the test checks nothing", failures)
	}
}

// failingRun runs a query that fails after a number of moves and returns the number of errors.
func failingRun(t *testing.T, w *dataset, q *query.Query, moves int, want []string) (failures int) {
	t.Helper()
	for _, what := range []string{"a store that fails", "a context that ends"} {
		left := moves
		x, plan := w.runBy(t, q, func(ctx context.Context, s *past.State) context.Context {
			if what == "a context that ends" {
				return ending{ctx, &left}
			}
			s.Reader = failing{s.Reader, &left}
			return ctx
		})
		got := []string{}
		err := x.Documents(func(d *document.Document) error { got = append(got, d.Name.Path); return nil })
		if err != nil {
			failures++
		}
		if err == nil && !slices.Equal(got, want) || len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
			t.Fatalf("%s after %d moves\n%+v\nplan %+v\ngot  %v, %v\nwant %v", what, moves, *q, plan.Describe(), got, err, want)
		}
	}
	return failures
}

// TestNamesOfAPage checks that the names of a page are those of its documents, also if an index does not hold the whole
// values by which they are ordered.
func TestNamesOfAPage(t *testing.T) {
	w := newDataset(t)
	w.put(t, doc("c/1", value.Map{"a": value.String(long + "3")}), doc("c/2", value.Map{"a": value.String(long + "2")}), doc("c/3", value.Map{"a": value.String(long + "1")}))
	q := normal(t, &query.Query{OrderBy: []query.Order{{Path: value.FieldPath{"a"}}}, Offset: 1, Limit: 1})
	x, _ := w.run(t.Context(), t, q)
	var got []string
	err := x.Names(func(path string) error {
		got = append(got, path)
		return nil
	})
	if want := []string{"c/2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("the names are %v, %v; want %v", got, err, want)
	}
}
