package settings

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"clave/server/internal/base/pattern"
)

// callingCodesText has the regions of each calling code, from the metadata of libphonenumber. Its lines are:
//
//	code 44 GB GG IM JE     the regions of a code, the main one first
//	starts GG 1481|7[789]   of a region that shares its code: how its national numbers begin
//	plan GB 7,9,10 PATTERN  or, without that, the lengths and the form of its national numbers
//	kind GB 9,10 PATTERN    and those of a kind of numbers, such as mobile ones, of which one must match, too
//
// TestCallingCodes writes it. The library itself parses all its metadata at each start of a program, which takes 3 MB.
//
//go:embed callingcodes.txt
var callingCodesText string

// numberForm is a form of national numbers.
type numberForm struct {
	lengths []int
	digits  *pattern.Pattern
}

// matches reports whether a national number has the form.
func (f *numberForm) matches(national string) bool {
	return slices.Contains(f.lengths, len(national)) && f.digits.MatchString(national)
}

// numberPlan is what distinguishes the numbers of a region from those of others with the same calling code.
type numberPlan struct {
	// starts is how national numbers begin; nil if plan and kinds decide.
	starts *pattern.Pattern
	plan   numberForm
	kinds  []numberForm
}

// has reports whether a national number is one of the region.
func (p *numberPlan) has(national string) bool {
	if p.starts != nil {
		return p.starts.MatchString(national)
	}
	return p.plan.matches(national) && slices.ContainsFunc(p.kinds, func(f numberForm) bool { return f.matches(national) })
}

// callingCodes are the regions by calling code, and the plans of those that share one.
type callingCodes struct {
	regions map[string][]string
	plans   map[string]*numberPlan
}

// codes returns the calling codes, which are parsed when they are needed first.
var codes = sync.OnceValue(func() callingCodes {
	c := callingCodes{make(map[string][]string), make(map[string]*numberPlan)}
	for line := range strings.Lines(callingCodesText) {
		words := strings.Fields(line)
		kind, of, rest := words[0], words[1], words[2:]
		if kind == "code" {
			c.regions[of] = rest
			continue
		}
		if c.plans[of] == nil {
			c.plans[of] = &numberPlan{}
		}
		switch plan := c.plans[of]; kind {
		case "starts":
			plan.starts = pattern.New("^(?:" + rest[0] + ")")
		case "plan":
			plan.plan = formOf(rest)
		case "kind":
			plan.kinds = append(plan.kinds, formOf(rest))
		}
	}
	return c
})

// formOf returns the form that the lengths and the pattern of a line describe.
func formOf(words []string) numberForm {
	f := numberForm{digits: pattern.New("^(?:" + words[1] + ")$")}
	for length := range strings.SplitSeq(words[0], ",") {
		n, _ := strconv.Atoi(length) // TestCallingCodes has written it.
		f.lengths = append(f.lengths, n)
	}
	return f
}

// regionsOf returns the region of a phone number or, if the number is not one of a known plan, all regions of its
// calling code. It is empty if there is no such code.
func regionsOf(number string) []string {
	digits := strings.TrimPrefix(number, "+")
	const longestCode = 3
	for n := 1; n <= min(longestCode, len(digits)); n++ {
		regions := codes().regions[digits[:n]]
		if len(regions) == 1 {
			return regions
		}
		for _, region := range regions {
			if codes().plans[region].has(digits[n:]) {
				return []string{region}
			}
		}
		if len(regions) > 0 {
			return regions
		}
	}
	return nil
}
