package authapp

import (
	"testing"
	"time"
)

// TestCode compares the codes with RFC 6238, appendix B (SHA-1). The last six of its eight digits are the codes.
func TestCode(t *testing.T) {
	secret := []byte("12345678901234567890")
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130"} {
		if got := Code(secret, at/period); got != want {
			t.Errorf("Code at %d = %s, want %s", at, got, want)
		}
	}
}

func TestCheckCode(t *testing.T) {
	secret := newSecret()
	now := time.Unix(1_800_000_015, 0)
	present := now.Unix() / period
	for _, tt := range []struct {
		name       string
		step, last int64
		window     int
		want       bool
	}{
		{"the present code", present, 0, 1, true},
		{"the one before", present - 1, 0, 1, true},
		{"the one after", present + 1, 0, 1, true},
		{"two before", present - 2, 0, 1, false},
		{"two after", present + 2, 0, 1, false},
		{"used already", present, present, 1, false},
		{"older than one that was used", present - 1, present, 1, false},
		{"no window", present - 1, 0, 0, false},
		{"a wide window", present - 10, 0, 10, true},
	} {
		step, ok := checkCode(secret, Code(secret, tt.step), now, tt.window, tt.last)
		if ok != tt.want || ok && step != tt.step {
			t.Errorf("%s: checkCode = %d, %v; want %d, %v", tt.name, step, ok, tt.step, tt.want)
		}
	}
	if _, ok := checkCode(secret, "", now, 1, 0); ok {
		t.Error("an empty code is good")
	}
}
