package eval_test

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"clave/server/internal/model/value"
	"clave/server/internal/rules"
	"clave/server/internal/rules/eval"
)

// TestGreater checks that the size of long strings counts, also if they are last or alone. Otherwise the coverage
// report would keep them.
func TestGreater(t *testing.T) {
	long := value.String(strings.Repeat("x", 64*201))
	many := make(value.Array, 201)
	for i := range many {
		many[i] = value.Null{}
	}
	for _, tt := range []struct {
		name string
		v    eval.Value
		want bool
	}{
		{"a number", value.Int(1), false},
		{"a short text", value.String("abc"), false},
		{"a long text", long, true},
		{"long bytes", value.Bytes(long), true},
		{"a long text in a list", value.Array{value.Int(1), long}, true},
		{"a long text in a map in a map", value.Map{"a": value.Map{"b": long}}, true},
		{"200 values", many[:199], false},
		{"201 values", many[:200], true},
		{"a long path", eval.NewPath(strings.Split(strings.Repeat("a/", 200), "/")...), true},
		{"a short path", eval.NewPath("a", "b"), false},
	} {
		if got := eval.Greater(tt.v, 200); got != tt.want {
			t.Errorf("Greater(%s, 200) = %t, want %t", tt.name, got, tt.want)
		}
	}
}

// mostInUse returns the greatest number of bytes by which the heap grows during a call. The collector runs often
// meanwhile, so that little garbage counts.
func mostInUse(do func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	before, most := sample[0].Value.Uint64(), uint64(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		metrics.Read(sample)
		if now := sample[0].Value.Uint64(); now > before {
			most = max(most, now-before)
		}
		select {
		case <-done:
			return most
		case <-tick.C:
		}
	}
}

// TestMatchesAreNotHeld applies patterns of the rules to long texts that they match at each character. All matches
// together would take a hundred times the text's memory.
func TestMatchesAreNotHeld(t *testing.T) {
	const most = 8 << 20 // bytes in use at a time; at most 4 MiB were measured
	long := value.Map{"a": value.String(strings.Repeat("a", 1<<17)), "words": value.String(strings.Repeat("a ", 1<<15))}
	for _, c := range []struct{ cond, refusal string }{
		{"d.a.replace('a', 'b').size() == 131072", ""},
		{"d.a.replace('', '').size() == 131072", ""},
		{"d.a.replace('[^b]', '').size() == 0", ""},
		{"d.a.split('a') == ['']", ""},
		{"d.words.replace('\\\\b', '').size() == 65536", ""},
		{"d.words.replace('^a|\\\\ba', 'ab').size() == 98304", ""},
	} {
		var d rules.Decision
		used := mostInUse(func() {
			d = write(t, strings.ReplaceAll(c.cond, "d.", "request.resource.data."), nil, stored("t/x", long), nil, &counting{})
		})
		if used > most {
			t.Errorf("%s has %d MiB in use, want at most %d", c.cond, used>>20, most>>20)
		}
		if d.Allowed != (c.refusal == "") || !strings.Contains(d.Denial(), c.refusal) {
			t.Errorf("%s: allowed %t, %s; want the refusal %q", c.cond, d.Allowed, d.Denial(), c.refusal)
		}
	}
}
