package settings

import (
	"maps"
	"slices"

	"clave/server/internal/auth/service/field"
	"clave/server/internal/base/fault"
)

// cleanTestNumbers writes the test phone numbers of a project's settings in the form in which numbers are compared. It
// refuses what is not a number.
func cleanTestNumbers(raw map[string]any) error {
	signIn, _ := raw["signIn"].(map[string]any)
	phone, _ := signIn["phoneNumber"].(map[string]any)
	numbers, _ := phone["testPhoneNumbers"].(map[string]any)
	clean, err := cleanNumbers(numbers)
	if err == nil && numbers != nil {
		phone["testPhoneNumbers"] = clean
	}
	return err
}

// cleanNumbers returns test phone numbers with their codes, in the form in which numbers are compared.
func cleanNumbers[Code any](numbers map[string]Code) (map[string]Code, error) {
	clean := make(map[string]Code, len(numbers))
	for _, given := range slices.Sorted(maps.Keys(numbers)) {
		number, ok := field.Phone(given)
		if !ok {
			return nil, fault.E(fault.InvalidArgument, "INVALID_PHONE_NUMBER : Invalid format.")
		}
		clean[number] = numbers[given]
	}
	return clean, nil
}

// regionField is the field of the settings of regions for text messages.
const regionField = "smsRegionConfig"

// The policies of regions for text messages, of which a project or a tenant has one.
var regionPolicies = [...]string{"allowByDefault", "allowlistOnly"}

// checkRegions refuses settings with both policies of regions. of is "config" or "tenant".
func checkRegions(raw map[string]any, of string) error {
	regions, _ := raw[regionField].(map[string]any)
	if regions[regionPolicies[0]] == nil || regions[regionPolicies[1]] == nil {
		return nil
	}
	return fault.E(fault.InvalidArgument,
		"Invalid value at '%s.sms_region_config' (oneof), oneof field 'sms_region_policy' is already set. Cannot set '%s'", of, regionPolicies[1])
}

// OneRegionPolicy removes, from stored settings that are about to be changed, the policy of regions that a request
// replaces by the other one.
func OneRegionPolicy(raw, request map[string]any) {
	stored, _ := raw[regionField].(map[string]any)
	given, _ := request[regionField].(map[string]any)
	for i, policy := range regionPolicies {
		if given[policy] != nil {
			delete(stored, regionPolicies[1-i])
		}
	}
}

// WithoutFalse returns an object without the fields that are false, as the API shows messages: false is the default of
// their fields.
func WithoutFalse(object map[string]any) map[string]any {
	shown := maps.Clone(object)
	maps.DeleteFunc(shown, func(_ string, v any) bool { return v == false })
	return shown
}
