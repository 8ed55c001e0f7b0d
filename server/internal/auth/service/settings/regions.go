package settings

import (
	"slices"
	"strings"
)

// Regions are the regions to whose numbers text messages are sent, by their ISO codes such as DO. Without a policy they
// are sent to all.
type Regions struct {
	AllowByDefault *struct {
		DisallowedRegions []string `json:"disallowedRegions"`
	} `json:"allowByDefault"`
	AllowlistOnly *struct {
		AllowedRegions []string `json:"allowedRegions"`
	} `json:"allowlistOnly"`
}

// Allow reports whether text messages are sent to a number. A number whose region is not known is one of all regions
// that share its calling code.
func (r *Regions) Allow(number string) bool {
	switch {
	case r.AllowlistOnly != nil:
		of := regionsOf(number)
		return len(of) > 0 && !slices.ContainsFunc(of, func(region string) bool { return !has(r.AllowlistOnly.AllowedRegions, region) })
	case r.AllowByDefault != nil:
		return !slices.ContainsFunc(regionsOf(number), func(region string) bool { return has(r.AllowByDefault.DisallowedRegions, region) })
	}
	return true
}

// has reports whether a list has a region.
func has(list []string, region string) bool {
	return slices.ContainsFunc(list, func(one string) bool { return strings.EqualFold(one, region) })
}
