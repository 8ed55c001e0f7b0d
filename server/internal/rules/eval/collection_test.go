package eval_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// repeated returns a list of n equal items.
func repeated(v value.Value, n int) value.Array {
	list := make(value.Array, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// variants returns all lists of n numbers that are 1 or 1.0. They are equal in sets, and different in lists.
func variants(n int) value.Array {
	lists := make(value.Array, 1<<n)
	for i := range lists {
		list := make(value.Array, n)
		for k := range list {
			list[k] = value.Int(1)
			if i>>k&1 == 1 {
				list[k] = value.Double(1)
			}
		}
		lists[i] = list
	}
	return lists
}

// TestLongListsOfConfusableNumbers compares lists of a request whose items are equal in sets and different in lists. If
// each item were compared with all, a request would take minutes.
func TestLongListsOfConfusableNumbers(t *testing.T) {
	const many = 110_000
	some := variants(14)
	fields := value.Map{
		"ints": repeated(value.Int(1), many), "doubles": repeated(value.Double(1), many), "nans": repeated(value.Double(math.NaN()), many),
		"even": some[:len(some)/2], "rest": some[len(some)/2:],
	}
	for _, cond := range []string{
		"!d.ints.hasAny(d.doubles)", "d.ints.removeAll(d.doubles).size() == 110000", "d.ints.concat(d.doubles).hasAll(d.doubles)",
		"!d.nans.hasAny(d.nans)", "!d.even.hasAny(d.rest)", "d.even.concat(d.rest).hasOnly(d.rest.concat(d.even))",
	} {
		done := make(chan rules.Decision, 1)
		go func() {
			done <- write(t, strings.ReplaceAll(cond, "d.", "request.resource.data."), nil, stored("t/x", fields), nil, &counting{})
		}()
		select {
		case d := <-done:
			if !d.Allowed {
				t.Errorf("%s: %s", cond, d.Denial())
			}
		case <-time.After(15 * time.Second):
			t.Fatalf("%s: no result after 15 s", cond)
		}
	}
}

// TestLongListsCompareAsShortOnes compares values with the items of a list of one value, and with those of a list that
// is long enough for an index.
func TestLongListsCompareAsShortOnes(t *testing.T) {
	all := value.Array{
		value.Null{}, value.Bool(true), value.Int(0), value.Int(1), value.Double(0), value.Double(math.Copysign(0, -1)), value.Double(1), value.Double(math.NaN()),
		value.Int(1 << 53), value.Double(1 << 53), value.Int(1<<53 + 1), value.Double(math.Inf(1)), value.String(""), value.String("a"), value.Bytes("a"),
		value.GeoPoint{Lat: 0, Lng: 1}, value.GeoPoint{Lat: math.Copysign(0, -1), Lng: 1}, value.Timestamp{Seconds: 1}, value.Timestamp{Seconds: 1, Nanos: 1},
		value.Reference("projects/p/databases/(default)/documents/t/x"), value.Reference("projects/p/databases/(default)/documents/t/y"),
		value.Array{value.Int(1)}, value.Array{value.Double(1)}, value.Array{}, value.Map{}, value.Map{"a": value.Int(1)}, value.Map{"a": value.Double(1)},
		value.Array{value.Double(math.NaN())}, value.Map{"a": value.Null{}}, value.Array{value.Int(1), value.Int(1)}, value.Array{value.Array{value.Int(1)}},
	}
	for i, item := range all {
		for k, other := range all {
			fields := value.Map{"short": value.Array{item}, "long": repeated(item, 65), "of": value.Array{other}}
			cond := "request.resource.data.short.hasAny(request.resource.data.of) == request.resource.data.long.hasAny(request.resource.data.of)"
			if d := write(t, cond, nil, stored("t/x", fields), nil, &counting{}); !d.Allowed {
				t.Errorf("items %d and %d, %v and %v: a long list differs from a short one: %s", i, k, item, other, d.Denial())
			}
		}
	}
}
