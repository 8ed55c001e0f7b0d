package value_test

import (
	"bytes"
	"testing"

	"clave/server/internal/model/value"
)

func TestDecodeUndoesAppendBinary(t *testing.T) {
	for _, v := range append(ascending(), value.Array(ascending())) {
		b := value.AppendBinary([]byte{7}, v)
		got, rest, err := value.Decode(append(b[1:], 1, 2))
		if err != nil || !value.Identical(got, v) || !bytes.Equal(rest, []byte{1, 2}) {
			t.Errorf("Decode(AppendBinary(%#v)) = %#v, rest %v, %v", v, got, rest, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range ascending() {
		f.Add(value.AppendBinary(nil, v))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, _, err := value.Decode(b)
		if err != nil {
			return
		}
		again, rest, err := value.Decode(value.AppendBinary(nil, v))
		if err != nil || len(rest) != 0 || !value.Identical(again, v) {
			t.Errorf("Decode(AppendBinary(%#v)) = %#v, rest %v, %v", v, again, rest, err)
		}
		if value.Compare(v, v) != 0 {
			t.Errorf("Compare(%#v, itself) is not 0", v)
		}
	})
}

func FuzzCompareIsAnOrder(f *testing.F) {
	all := ascending()
	for i := range all {
		f.Add(value.AppendBinary(nil, all[i]), value.AppendBinary(nil, all[len(all)-1-i]), value.AppendBinary(nil, all[(i*7)%len(all)]))
	}
	f.Fuzz(func(t *testing.T, x, y, z []byte) {
		a, _, errA := value.Decode(x)
		b, _, errB := value.Decode(y)
		c, _, errC := value.Decode(z)
		if errA != nil || errB != nil || errC != nil {
			return
		}
		if value.Compare(a, b) != -value.Compare(b, a) {
			t.Errorf("Compare(%#v, %#v) is not the opposite of the other way round", a, b)
		}
		if value.Compare(a, b) <= 0 && value.Compare(b, c) <= 0 && value.Compare(a, c) > 0 {
			t.Errorf("%#v <= %#v <= %#v, yet the first is greater than the last", a, b, c)
		}
	})
}
