package accountimport

import (
	"cmp"
	"encoding/base64"
	"strings"

	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/userinfo"
)

// User is an account to import.
type User struct {
	LocalID           string              `json:"localId"`
	Email             string              `json:"email"`
	EmailVerified     *bool               `json:"emailVerified"`
	DisplayName       *string             `json:"displayName"`
	PhotoURL          *string             `json:"photoUrl"`
	PhoneNumber       string              `json:"phoneNumber"`
	PasswordHash      string              `json:"passwordHash"`
	Salt              string              `json:"salt"`
	RawPassword       string              `json:"rawPassword"`
	PasswordUpdatedAt int64               `json:"passwordUpdatedAt"`
	ProviderUserInfo  []userinfo.Provider `json:"providerUserInfo"`
	ValidSince        *int64              `json:"validSince"`
	Disabled          *bool               `json:"disabled"`
	LastLoginAt       int64               `json:"lastLoginAt"`
	CreatedAt         int64               `json:"createdAt"`
	CustomAttributes  *string             `json:"customAttributes"`
	CustomAuth        *bool               `json:"customAuth"`
	EmailLinkSignin   *bool               `json:"emailLinkSignin"`
	InitialEmail      string              `json:"initialEmail"`
	TenantID          string              `json:"tenantId"`
	ScreenName        string              `json:"screenName"`
	Language          string              `json:"language"`
	TimeZone          string              `json:"timeZone"`
	DateOfBirth       string              `json:"dateOfBirth"`
	MFAInfo           []userinfo.Factor   `json:"mfaInfo"`
}

// HashOrder is the order of password and salt in hashes. Without one, HMAC_* are hashes of the password and then the
// salt, as the Admin SDK for Node sends them, and plain digests are of the salt and then the password.
type HashOrder string

// The orders.
const (
	saltFirst     HashOrder = "SALT_AND_PASSWORD"
	passwordFirst HashOrder = "PASSWORD_AND_SALT"
)

// Values lists the API's names by their numbers.
func (HashOrder) Values() []string {
	return []string{"UNSPECIFIED_ORDER", string(saltFirst), string(passwordFirst)}
}

// isPasswordFirst reports whether the password comes before the salt in hashes of an algorithm.
func (o HashOrder) isPasswordFirst(algorithm string) bool {
	switch o {
	case passwordFirst:
		return true
	case saltFirst:
		return false
	}
	return strings.HasPrefix(algorithm, "HMAC_")
}

// Request imports accounts with the hashes of their passwords.
type Request struct {
	Users             []User            `json:"users"`
	HashAlgorithm     string            `json:"hashAlgorithm"`
	SignerKey         string            `json:"signerKey"`
	SaltSeparator     string            `json:"saltSeparator"`
	Rounds            int64             `json:"rounds"`
	MemoryCost        int64             `json:"memoryCost"`
	CPUMemCost        int64             `json:"cpuMemCost"`
	BlockSize         int64             `json:"blockSize"`
	Parallelization   int64             `json:"parallelization"`
	DkLen             int64             `json:"dkLen"`
	PasswordHashOrder HashOrder         `json:"passwordHashOrder"`
	SanityCheck       *bool             `json:"sanityCheck"`
	AllowOverwrite    *bool             `json:"allowOverwrite"`
	Argon2Parameters  *Argon2Parameters `json:"argon2Parameters"`
}

// Argon2Parameters are the parameters of argon2.
type Argon2Parameters struct {
	HashLengthBytes int64  `json:"hashLengthBytes"`
	HashType        string `json:"hashType"`
	Parallelism     int64  `json:"parallelism"`
	Iterations      int64  `json:"iterations"`
	MemoryCostKib   int64  `json:"memoryCostKib"`
	Version         string `json:"version"`
	AssociatedData  string `json:"associatedData"`
}

// Decode64 decodes base64 of every kind: with or without padding, for URLs or not.
func Decode64(s string) ([]byte, error) {
	s = strings.TrimRight(strings.NewReplacer("+", "-", "/", "_", "\n", "", "\r", "").Replace(s), "=")
	return base64.RawURLEncoding.DecodeString(s)
}

// Hash returns a hash with the request's parameters, without sum and salt.
func (r *Request) Hash() (*passhash.Hash, error) {
	h := &passhash.Hash{
		Alg: strings.ToUpper(r.HashAlgorithm), Rounds: int(r.Rounds), MemCost: int(r.MemoryCost), CPU: int(r.CPUMemCost), Block: int(r.BlockSize),
		Parallel: int(r.Parallelization), Length: int(r.DkLen),
	}
	h.PasswordFirst = r.PasswordHashOrder.isPasswordFirst(h.Alg)
	if h.Alg == "SCRYPT" && h.Rounds == 0 && h.MemCost == 0 {
		h.Rounds, h.MemCost = 8, 14
	}
	if a := r.Argon2Parameters; a != nil {
		h.Argon2 = &passhash.Argon2{Type: a.HashType, Iterations: int(a.Iterations), MemoryKiB: int(a.MemoryCostKib), Parallel: int(a.Parallelism), Length: int(a.HashLengthBytes)}
		var err error
		if h.Argon2.Associated, err = Decode64(a.AssociatedData); err != nil {
			return nil, apierror.New("INVALID_HASH_PARAMETER_SIZE")
		}
	}
	var err error
	if h.Key, err = Decode64(r.SignerKey); err != nil {
		return nil, apierror.New("INVALID_HASH_PARAMETER_SIZE : signerKey")
	}
	if h.Separator, err = Decode64(r.SaltSeparator); err != nil {
		return nil, apierror.New("INVALID_HASH_PARAMETER_SIZE : saltSeparator")
	}
	if !h.Check() {
		return nil, apierror.New("INVALID_HASH_ALGORITHM")
	}
	return h, nil
}

// FakePassword returns the password from the official emulator's exports, which hold it in plain text, and whether the
// hash has that form.
func FakePassword(hash string) (string, bool) {
	rest, ok := strings.CutPrefix(hash, "fakeHash:salt=")
	if !ok {
		return "", false
	}
	_, password, ok := strings.Cut(rest, ":password=")
	return password, ok
}

// CheckUnique refuses requests in which two accounts share a unique value: an address or a provider's user if unique is
// set, an id if keep is set.
func CheckUnique(users []User, unique, keep bool) error {
	seen := make(map[string]bool)
	check := func(code, shown string, key ...string) error {
		id := strings.Join(key, "\x00")
		if seen[id] {
			return apierror.New("%s : %s", code, shown)
		}
		seen[id] = true
		return nil
	}
	for _, u := range users {
		var err error
		if u.Email != "" && unique {
			err = check("DUPLICATE_EMAIL", u.Email, "email", strings.ToLower(u.Email))
		}
		for _, p := range u.ProviderUserInfo {
			if p.RawID != "" && unique {
				err = cmp.Or(err, check("DUPLICATE_RAW_ID", "Provider id("+p.ProviderID+"), Raw id("+p.RawID+")", "provider", p.ProviderID, p.RawID))
			}
		}
		if u.LocalID != "" && (keep || unique) {
			err = cmp.Or(err, check("DUPLICATE_LOCAL_ID", u.LocalID, "uid", u.LocalID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// IsOwn reports whether a hash has the project's own parameters.
func IsOwn(h *passhash.Hash, p passhash.Params) bool {
	return h.Alg == "SCRYPT" && len(h.Key) == 0 && string(h.Separator) == string(p.Separator) && h.Rounds == p.Rounds && h.MemCost == p.MemCost
}

// For returns a request without users that holds the parameters of a hash.
func For(h *passhash.Hash, p passhash.Params) *Request {
	key := h.Key
	if h.Alg == "SCRYPT" && len(key) == 0 {
		key = p.SignerKey
	}
	r := &Request{
		HashAlgorithm: h.Alg, SignerKey: base64.StdEncoding.EncodeToString(key), SaltSeparator: base64.StdEncoding.EncodeToString(h.Separator),
		Rounds: int64(h.Rounds), MemoryCost: int64(h.MemCost), CPUMemCost: int64(h.CPU), BlockSize: int64(h.Block),
		Parallelization: int64(h.Parallel), DkLen: int64(h.Length),
	}
	switch ordered := strings.HasPrefix(h.Alg, "HMAC_"); {
	case h.PasswordFirst:
		r.PasswordHashOrder = passwordFirst
	case ordered:
		r.PasswordHashOrder = saltFirst
	}
	if a := h.Argon2; a != nil {
		r.Argon2Parameters = &Argon2Parameters{
			HashType: a.Type, Iterations: int64(a.Iterations), MemoryCostKib: int64(a.MemoryKiB), Parallelism: int64(a.Parallel),
			HashLengthBytes: int64(a.Length), AssociatedData: base64.StdEncoding.EncodeToString(a.Associated),
		}
	}
	return r
}
