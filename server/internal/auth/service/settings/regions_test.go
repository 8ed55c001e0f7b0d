package settings_test

import (
	"encoding/json"
	"testing"

	"clave/server/internal/auth/service/settings"
)

// TestRegions decides to which numbers text messages are sent. Several regions share the calling code +1.
func TestRegions(t *testing.T) {
	const dominican, american, kazakh, russian, noPlan, noCode = "+18095550111", "+16502530000", "+77011234567", "+79161234567", "+447700900123", "+9991234567"
	for _, c := range []struct {
		name, policy string
		allowed      map[string]bool
	}{
		{"no policy", `{}`, map[string]bool{dominican: true, noCode: true}},
		{"nothing is allowed", `{"allowlistOnly":{}}`, map[string]bool{dominican: false, american: false, noCode: false}},
		{"one region", `{"allowlistOnly":{"allowedRegions":["DO"]}}`, map[string]bool{dominican: true, american: false, noCode: false, noPlan: false}},
		{"a region of a shared code", `{"allowlistOnly":{"allowedRegions":["RU","GB"]}}`, map[string]bool{russian: true, kazakh: false, noPlan: false}},
		{"all are allowed", `{"allowByDefault":{}}`, map[string]bool{dominican: true, american: true, noPlan: true}},
		{"all but one", `{"allowByDefault":{"disallowedRegions":["do","JE"]}}`, map[string]bool{dominican: false, american: true, noPlan: false}},
	} {
		var r settings.Regions
		if err := json.Unmarshal([]byte(c.policy), &r); err != nil {
			t.Fatal(err)
		}
		for number, want := range c.allowed {
			if got := r.Allow(number); got != want {
				t.Errorf("%s: a message to %s: %v, want %v", c.name, number, got, want)
			}
		}
	}
}
