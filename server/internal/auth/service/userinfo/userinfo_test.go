package userinfo_test

import (
	"encoding/json"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/userinfo"
)

// shown returns the JSON form of an account.
func shown(t *testing.T, u *account.User, whole, hashes bool) map[string]any {
	t.Helper()
	text, err := json.Marshal(userinfo.Of(u, "", whole, hashes))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestHashesAreForExportsOnly(t *testing.T) {
	u := &account.User{UID: "u", Email: "ana@example.com", Password: &passhash.Hash{Sum: []byte("sum"), Salt: []byte("salt")}}
	if got := shown(t, u, true, false); got["passwordHash"] != userinfo.Redacted || got["salt"] != nil {
		t.Errorf("an administrator got the hash %v and the salt %v", got["passwordHash"], got["salt"])
	}
	if got := shown(t, u, true, true); got["passwordHash"] != "c3Vt" || got["salt"] != "c2FsdA==" {
		t.Errorf("an export has the hash %v and the salt %v", got["passwordHash"], got["salt"])
	}
}

func TestWholePhoneNumbersAreForAdministrators(t *testing.T) {
	u := &account.User{UID: "u", Factors: []account.Factor{{ID: "f", Phone: "+18095550111", Enrolled: time.UnixMilli(0)}}}
	for _, whole := range []bool{false, true} {
		factor := shown(t, u, whole, false)["mfaInfo"].([]any)[0].(map[string]any)
		if _, ok := factor["unobfuscatedPhoneInfo"]; ok != whole {
			t.Errorf("whole=%v: %v", whole, factor)
		}
	}
}

func TestProvidersAreListedInTheOrderOfTheAPI(t *testing.T) {
	u := &account.User{UID: "u", Email: "ana@example.com", EmailLink: true, Phone: "+18095550111", Providers: []account.Provider{{ProviderID: "google.com", RawID: "1"}}}
	var ids []string
	for _, p := range userinfo.Providers(u) {
		ids = append(ids, p.ProviderID)
	}
	if want := []string{"google.com", "phone", "password"}; len(ids) != 3 || ids[0] != want[0] || ids[1] != want[1] || ids[2] != want[2] {
		t.Errorf("providers %v, want %v", ids, want)
	}
}

func TestStamp(t *testing.T) {
	for micros, want := range map[int64]string{0: "1970-01-01T00:00:00.000Z", 1_500_000: "1970-01-01T00:00:01.500Z", 1_500_001: "1970-01-01T00:00:01.500001Z"} {
		if got := userinfo.Stamp(time.UnixMicro(micros)); got != want {
			t.Errorf("Stamp of %d µs = %s, want %s", micros, got, want)
		}
	}
}
