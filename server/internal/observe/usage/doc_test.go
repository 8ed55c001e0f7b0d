package usage

import (
	"os"
	"regexp"
	"testing"
)

// TestDocumentedBudget parses the example of the documentation.
func TestDocumentedBudget(t *testing.T) {
	page, err := os.ReadFile("../../../doc/lab.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```json budget\n(.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("the page has no example of a budget")
	}
	if b, err := ParseBudget(example[1]); err != nil || *b.Reads != 500 || b.Patterns["users/*/orders"] != 100 {
		t.Errorf("ParseBudget(%s) = %+v, %v", example[1], b, err)
	}
}

// TestDocumentedPrices parses the example of the documentation.
func TestDocumentedPrices(t *testing.T) {
	page, err := os.ReadFile("../../../doc/lab.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```json prices\n(.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("the page has no example of prices")
	}
	if p, err := ParsePrices(example[1]); err != nil || p.Cost(Counts{Documents: 100_000}) != 0.06 {
		t.Errorf("ParsePrices(%s) = %+v, %v", example[1], p, err)
	}
}
