package appcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"clave/server/internal/observe/meter"
)

// Product is a product whose requests are checked.
type Product int

// The products.
const (
	Firestore Product = iota
	Auth
)

// products is the number of products.
const products = len(meter.Products)

// names are the products' names in flags and metrics.
var names = meter.Products

// services are the names of the products' APIs, which flags may have too.
var services = [products]string{Firestore: "firestore.googleapis.com", Auth: "identitytoolkit.googleapis.com"}

// Mode is what happens to requests without a valid token.
type Mode int

// The modes.
const (
	// Off does not look for tokens.
	Off Mode = iota
	// Count counts valid, invalid and missing tokens, and refuses nothing.
	Count
	// Enforce counts too, and refuses requests without a valid token.
	Enforce
)

// modes are the modes by name.
var modes = map[string]Mode{"off": Off, "count": Count, "enforce": Enforce}

// Modes are the modes of the products.
type Modes [products]Mode

// ParseModes parses a list of PRODUCT=MODE, separated by commas. Products that it does not name are Off.
func ParseModes(text string) (Modes, error) {
	var all Modes
	given := make(map[Product]bool)
	for item := range strings.SplitSeq(text, ",") {
		name, mode, _ := strings.Cut(strings.TrimSpace(item), "=")
		product := Product(slices.Index(names[:], name))
		if product < 0 {
			product = Product(slices.Index(services[:], name))
		}
		m, known := modes[mode]
		switch {
		case product < 0:
			return Modes{}, fmt.Errorf("%q is no product: name one of %s", name, strings.Join(names[:], ", "))
		case !known:
			return Modes{}, fmt.Errorf("%s has no mode %q: give %s=MODE with one of %s", name, mode, name, strings.Join(slices.Sorted(maps.Keys(modes)), ", "))
		case given[product]:
			return Modes{}, fmt.Errorf("%s is given twice", name)
		}
		all[product], given[product] = m, true
	}
	return all, nil
}
