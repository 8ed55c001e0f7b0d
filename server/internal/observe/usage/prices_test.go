package usage

import (
	"math"
	"strings"
	"testing"
)

// TestPrices computes the costs of a report, which Google's page would compute so: each 100,000 operations cost their
// price, and each GiB.
func TestPrices(t *testing.T) {
	p, err := ParsePrices([]byte(pricesExample))
	if err != nil {
		t.Fatal(err)
	}
	c := Counts{Documents: 100_000, Missing: 50_000, Lookups: 50_000, Writes: 10_000, Deletes: 100_000, Expired: 200_000, Sent: 1 << 29}
	if got, want := p.Cost(c), 0.12+0.018+0.02+0.04+0.06; math.Abs(got-want) > 1e-9 {
		t.Errorf("the cost is %v, want %v", got, want)
	}
	m := newMeter()
	m.Add("p", Key{Call: "get", Pattern: "a"}, Counts{Documents: 1})
	m.Add("p", Key{Call: "query", Pattern: "b"}, Counts{Documents: 3})
	m.Add("p", Key{Call: "write", Pattern: "b"}, Counts{Writes: 1})
	var out strings.Builder
	if err := p.Print(&out, m.Report(""), 1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Prices of 2026-11-01, nam5     USD         USD for 1,000,000 runs", "reads                       4  0.00000240  2.40",
		"writes                      1  0.00000180  1.80", "total                          0.00000420  4.20", "  of it b                      0.00000360  3.60",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
	stored := m.Report("")
	stored.Stored = &StorageReport{Total: Stored{Documents: 1, DocumentBytes: 1 << 29, IndexBytes: 1 << 29}}
	var month strings.Builder
	if err := p.Print(&month, stored, 1); err != nil || !strings.Contains(month.String(), "bytes stored, a month       1073741824  0.18000000  \n") {
		t.Errorf("the table lacks what is stored, %v:\n%s", err, month.String())
	}
	if strings.Contains(out.String(), "of it a") || strings.Contains(out.String(), "bytes sent") || strings.Contains(out.String(), "bytes stored") {
		t.Errorf("the table has more than it should:\n%s", out.String())
	}
}

// TestInvalidPrices parses files that lack something or have too much.
func TestInvalidPrices(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":     "",
		"another day": strings.Replace(pricesExample, "2026-11-01", "1.11.2026", 1),
		"no currency": strings.Replace(pricesExample, `"USD"`, `""`, 1),
		"no deletes":  strings.Replace(pricesExample, `"deletes": 0.02, `, "", 1),
		"too high":    strings.Replace(pricesExample, "0.18", "1.5e308", 1),
		"negative":    strings.Replace(pricesExample, "0.18", "-0.18", 1),
		"unknown":     strings.Replace(pricesExample, "sentPerGiB", "sent", 1),
		"more":        pricesExample + "{}",
	} {
		if _, err := ParsePrices([]byte(text)); err == nil {
			t.Errorf("%s: ParsePrices = nil", name)
		}
	}
}
