package meter_test

import (
	"reflect"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/observe/meter"
)

// TestForwardedCalls notes calls at one server and counts them at the one that forwarded them.
func TestForwardedCalls(t *testing.T) {
	leader, follower := meter.New(clock.System(), nil), meter.New(clock.System(), nil)
	calls := leader.Calls("rest", []string{"Get"}, nil)
	for name, code := range map[string]fault.Code{"Get": fault.NotFound, "made up": fault.OK} {
		ctx, noted := meter.Noting(t.Context())
		if *noted != (meter.Counted{}) {
			t.Errorf("before a call %v is noted", noted)
		}
		calls.BeginIn(ctx, name).End(code)
		c, ok := meter.ParseCounted(noted.String())
		if !ok {
			t.Fatalf("%q can't be parsed", noted)
		}
		follower.Forwarded(c)
	}
	follower.Forwarded(meter.Counted{Transport: "rest", Code: fault.OK})
	got := make(map[string]map[fault.Code]uint64)
	for _, m := range follower.AllForwarded() {
		got[m.Transport+" "+m.Method] = m.Codes
	}
	if want := map[string]map[fault.Code]uint64{"rest Get": {fault.NotFound: 1}, "rest other": {fault.OK: 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if all := follower.Called(); len(all) != 0 {
		t.Errorf("forwarded calls count as served: %v", all)
	}
	for _, text := range []string{"", "rest", "rest Get", "rest Get OK"} {
		if c, ok := meter.ParseCounted(text); ok {
			t.Errorf("%q is parsed as %v", text, c)
		}
	}
	var none *meter.Meter
	none.Forwarded(meter.Counted{Transport: "rest"})
	none.Calls("rest", nil, nil).BeginIn(t.Context(), "Get").End(fault.OK)
}
