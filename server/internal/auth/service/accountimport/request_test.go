package accountimport_test

import (
	"reflect"
	"testing"

	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/fault"
)

// TestHashIsThatOfFor converts the parameters of hashes to the form of a request and back.
func TestHashIsThatOfFor(t *testing.T) {
	own := passhash.Params{SignerKey: []byte("signer"), Separator: []byte("sep"), Rounds: 8, MemCost: 14}
	for _, h := range []*passhash.Hash{
		{Alg: "SCRYPT", Key: []byte("other"), Separator: []byte("sep"), Rounds: 8, MemCost: 14},
		{Alg: "HMAC_SHA256", Key: []byte("key"), PasswordFirst: true},
		{Alg: "HMAC_SHA256", Key: []byte("key")},
		{Alg: "SHA256", Rounds: 2, PasswordFirst: true},
		{Alg: "SHA256", Rounds: 2},
		{Alg: "STANDARD_SCRYPT", CPU: 1024, Block: 8, Parallel: 1, Length: 32},
		{Alg: "ARGON2", Argon2: &passhash.Argon2{Type: "ARGON2_ID", Iterations: 2, MemoryKiB: 1024, Parallel: 1, Length: 16}},
	} {
		got, err := accountimport.For(h, own).Hash()
		if err != nil {
			t.Errorf("%s: %v", h.Alg, err)
			continue
		}
		want := *h
		for _, text := range []*[]byte{&got.Key, &got.Separator, &want.Key, &want.Separator} {
			if len(*text) == 0 {
				*text = nil
			}
		}
		if got.Argon2 != nil && len(got.Argon2.Associated) == 0 {
			got.Argon2.Associated = nil
		}
		if !reflect.DeepEqual(got, &want) {
			t.Errorf("%s: %+v, want %+v", h.Alg, got, want)
		}
	}
}

func TestHashRefuses(t *testing.T) {
	for want, r := range map[string]*accountimport.Request{
		"INVALID_HASH_PARAMETER_SIZE : signerKey": {HashAlgorithm: "SCRYPT", SignerKey: "?"},
		"INVALID_HASH_ALGORITHM":                  {HashAlgorithm: "ROT13"},
	} {
		if _, err := r.Hash(); err == nil || fault.FromError(err).Message != want {
			t.Errorf("%+v: %v, want %s", r, err, want)
		}
	}
}

func TestCheckUnique(t *testing.T) {
	google := []userinfo.Provider{{ProviderID: "google.com", RawID: "1"}}
	for name, c := range map[string]struct {
		users        []accountimport.User
		unique, keep bool
		want         string
	}{
		"different":                    {[]accountimport.User{{LocalID: "a", Email: "a@b.c"}, {LocalID: "b", Email: "b@b.c"}}, true, true, ""},
		"an address in both cases":     {[]accountimport.User{{Email: "a@b.c"}, {Email: "A@b.c"}}, true, false, "DUPLICATE_EMAIL : A@b.c"},
		"an address that may be twice": {[]accountimport.User{{Email: "a@b.c"}, {Email: "a@b.c"}}, false, false, ""},
		"a provider's user":            {[]accountimport.User{{ProviderUserInfo: google}, {ProviderUserInfo: google}}, true, false, "DUPLICATE_RAW_ID : Provider id(google.com), Raw id(1)"},
		"an id":                        {[]accountimport.User{{LocalID: "a"}, {LocalID: "a"}}, false, true, "DUPLICATE_LOCAL_ID : a"},
		"an id that replaces":          {[]accountimport.User{{LocalID: "a"}, {LocalID: "a"}}, false, false, ""},
	} {
		got := ""
		if err := accountimport.CheckUnique(c.users, c.unique, c.keep); err != nil {
			got = fault.FromError(err).Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestFakePassword(t *testing.T) {
	if got, ok := accountimport.FakePassword("fakeHash:salt=abc:password=secret:x"); !ok || got != "secret:x" {
		t.Errorf("FakePassword = %q, %v", got, ok)
	}
	if _, ok := accountimport.FakePassword("c2VjcmV0"); ok {
		t.Error("a hash is taken for a fake one")
	}
}
