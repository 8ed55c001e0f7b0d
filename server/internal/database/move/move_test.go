package move

import (
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/inventory"
)

// TestComparedFails compares two stores that differ in one value.
func TestComparedFails(t *testing.T) {
	sides := [2]*inventory.Inventory{inventory.New(), inventory.New()}
	for i, value := range []string{"one", "two"} {
		if err := sides[i].Add([]byte("events/a"), []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := compare(sides[0], sides[1]); !fault.Is(err, fault.DataLoss) || len(m.From) != 1 || len(m.To) != 1 {
		t.Errorf("compared = %+v, %v; want DataLoss and both counts", m, err)
	}
	if _, err := compare(sides[0], sides[0]); err != nil {
		t.Errorf("compared with itself = %v", err)
	}
}
