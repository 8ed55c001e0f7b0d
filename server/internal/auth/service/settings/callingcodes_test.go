package settings

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nyaruka/phonenumbers"
)

// rewrite makes TestCallingCodes write the file of the calling codes.
var rewrite = flag.Bool("rewrite", false, "write callingcodes.txt from the metadata of the library")

// TestCallingCodes compares the file of the calling codes with the library, by the numbers that it has as examples and
// by random ones.
func TestCallingCodes(t *testing.T) {
	text := codesOfLibrary(t)
	if *rewrite {
		if err := os.WriteFile("callingcodes.txt", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != callingCodesText {
		t.Error("callingcodes.txt is not that of the library: run this test with -rewrite")
	}
	random := rand.New(rand.NewPCG(1, 2))
	numbers := make([]string, 0, 10_000)
	for region := range phonenumbers.GetSupportedRegions() {
		for kind := phonenumbers.FIXED_LINE; kind <= phonenumbers.VOICEMAIL; kind++ {
			if n := phonenumbers.GetExampleNumberForType(region, kind); n != nil {
				numbers = append(numbers, phonenumbers.Format(n, phonenumbers.E164))
			}
		}
	}
	const samples, longest = 4_000, 12
	all := slices.Sorted(maps.Keys(codes().regions))
	for range samples {
		number := "+" + all[random.IntN(len(all))]
		if random.IntN(2) > 0 { // One of the codes with many regions.
			number = "+1" + []string{"", "809", "345", "204", "787"}[random.IntN(5)]
		}
		for range 5 + random.IntN(longest-5) {
			number += strconv.Itoa(random.IntN(10))
		}
		numbers = append(numbers, number)
	}
	compared := 0
	for _, number := range numbers {
		parsed, err := phonenumbers.Parse(number, "")
		if err != nil || number != fmt.Sprintf("+%d%s", parsed.GetCountryCode(), phonenumbers.GetNationalSignificantNumber(parsed)) {
			continue // The library has removed a prefix for calls within the country.
		}
		want := phonenumbers.GetRegionCodesForCountryCode(int(parsed.GetCountryCode()))
		if region := phonenumbers.GetRegionCodeForNumber(parsed); region != "" {
			want = []string{region}
		}
		if got := regionsOf(number); !slices.Equal(got, want) {
			t.Errorf("the regions of %s are %v, those of the library %v", number, got, want)
		}
		compared++
	}
	if compared < samples/2 {
		t.Errorf("only %d of %d numbers were compared", compared, len(numbers))
	}
}

// codesOfLibrary returns the content of the file of the calling codes.
func codesOfLibrary(t *testing.T) string {
	t.Helper()
	metadata, err := phonenumbers.MetadataCollection()
	if err != nil {
		t.Fatal(err)
	}
	of := make(map[string]*phonenumbers.PhoneMetadata)
	for _, m := range metadata.GetMetadata() {
		of[m.GetId()] = m
	}
	var b strings.Builder
	for _, code := range slices.Sorted(maps.Keys(phonenumbers.GetSupportedCallingCodes())) {
		regions := phonenumbers.GetRegionCodesForCountryCode(code)
		fmt.Fprintf(&b, "code %d %s\n", code, strings.Join(regions, " "))
		if len(regions) == 1 {
			continue
		}
		for _, region := range regions {
			m := of[region]
			if starts := m.GetLeadingDigits(); starts != "" {
				fmt.Fprintf(&b, "starts %s %s\n", region, starts)
				continue
			}
			general := lengthsOf(m.GetGeneralDesc(), nil)
			fmt.Fprintf(&b, "plan %s %s %s\n", region, joined(general), m.GetGeneralDesc().GetNationalNumberPattern())
			for _, kind := range []*phonenumbers.PhoneNumberDesc{
				m.GetPremiumRate(), m.GetTollFree(), m.GetSharedCost(), m.GetVoip(), m.GetPersonalNumber(), m.GetPager(), m.GetUan(), m.GetVoicemail(), m.GetFixedLine(), m.GetMobile(),
			} {
				if form := kind.GetNationalNumberPattern(); form != "" && form != "NA" {
					fmt.Fprintf(&b, "kind %s %s %s\n", region, joined(lengthsOf(kind, general)), form)
				}
			}
		}
	}
	return b.String()
}

// lengthsOf returns the lengths of the numbers that a description allows; without any, the general ones.
func lengthsOf(d *phonenumbers.PhoneNumberDesc, general []int32) []int32 {
	if lengths := d.GetPossibleLength(); len(lengths) > 0 {
		return lengths
	}
	return general
}

// joined returns lengths as a word.
func joined(lengths []int32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(lengths), " ", ","), "[]")
}
