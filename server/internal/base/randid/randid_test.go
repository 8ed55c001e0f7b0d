package randid_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"clave/server/internal/base/randid"
)

func TestFrom(t *testing.T) {
	for _, alphabet := range []string{"0123456789", "ab", randid.Alphanumeric, "x"} {
		const n = 20_000
		got := randid.From(n, alphabet)
		if len(got) != n || strings.Trim(got, alphabet) != "" {
			t.Fatalf("From(%d, %q) has %d characters, want %d of the alphabet", n, alphabet, len(got), n)
		}
		for _, c := range alphabet {
			// Six standard deviations from the mean.
			mean := float64(n) / float64(len(alphabet))
			if count := float64(strings.Count(got, string(c))); (count-mean)*(count-mean) > 36*mean {
				t.Errorf("From(%d, %q) has %v of %q, want about %v", n, alphabet, count, c, mean)
			}
		}
	}
	if got := randid.From(0, "ab"); got != "" {
		t.Errorf("From(0) = %q", got)
	}
}

func TestSecret(t *testing.T) {
	a, b := randid.Secret(40), randid.Secret(40)
	raw, err := base64.RawURLEncoding.DecodeString(a)
	if err != nil || len(raw) != 40 || a == b {
		t.Errorf("Secret(40) = %q, then %q; %v", a, b, err)
	}
}
