package identity

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"sort"
	"strings"

	"clave/server/account"
	"clave/server/account/passhash"
	"clave/server/identity/apierror"
	"clave/server/identity/contact"
	"clave/server/identity/passpolicy"
	"clave/server/identity/session"
	"clave/server/identity/userinfo"
)

// ImportUser is an account to import.
type ImportUser struct {
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

// ImportRequest imports accounts with the hashes of their passwords.
type ImportRequest struct {
	Users             []ImportUser      `json:"users"`
	HashAlgorithm     string            `json:"hashAlgorithm"`
	SignerKey         string            `json:"signerKey"`
	SaltSeparator     string            `json:"saltSeparator"`
	Rounds            int64             `json:"rounds"`
	MemoryCost        int64             `json:"memoryCost"`
	CPUMemCost        int64             `json:"cpuMemCost"`
	BlockSize         int64             `json:"blockSize"`
	Parallelization   int64             `json:"parallelization"`
	DkLen             int64             `json:"dkLen"`
	PasswordHashOrder string            `json:"passwordHashOrder"`
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

// ImportResponse lists the accounts that were not imported.
type ImportResponse struct {
	Kind  string       `json:"kind"`
	Error []BatchError `json:"error,omitempty"`
}

// decode64 decodes base64 of every kind: with or without padding, for URLs or not.
func decode64(s string) ([]byte, error) {
	s = strings.TrimRight(strings.NewReplacer("+", "-", "/", "_", "\n", "", "\r", "").Replace(s), "=")
	return base64.RawURLEncoding.DecodeString(s)
}

// hashOf returns a hash with the request's parameters, without sum and salt.
func (r *ImportRequest) hashOf() (*passhash.Hash, error) {
	h := &passhash.Hash{
		Alg: strings.ToUpper(r.HashAlgorithm), Rounds: int(r.Rounds), MemCost: int(r.MemoryCost), CPU: int(r.CPUMemCost), Block: int(r.BlockSize),
		Parallel: int(r.Parallelization), Length: int(r.DkLen), PasswordFirst: strings.Contains(r.PasswordHashOrder, "PASSWORD_AND_SALT"),
	}
	if h.Alg == "SCRYPT" && h.Rounds == 0 && h.MemCost == 0 {
		h.Rounds, h.MemCost = 8, 14
	}
	if a := r.Argon2Parameters; a != nil {
		h.Argon2 = &passhash.Argon2{Type: a.HashType, Iterations: int(a.Iterations), MemoryKiB: int(a.MemoryCostKib), Parallel: int(a.Parallelism), Length: int(a.HashLengthBytes)}
		var err error
		if h.Argon2.Associated, err = decode64(a.AssociatedData); err != nil {
			return nil, apierror.New("INVALID_HASH_PARAMETER_SIZE")
		}
	}
	var err error
	if h.Key, err = decode64(r.SignerKey); err != nil {
		return nil, apierror.New("INVALID_HASH_PARAMETER_SIZE : signerKey")
	}
	if h.Separator, err = decode64(r.SaltSeparator); err != nil {
		return nil, apierror.New("INVALID_HASH_PARAMETER_SIZE : saltSeparator")
	}
	if !h.Check() {
		return nil, apierror.New("INVALID_HASH_ALGORITHM")
	}
	return h, nil
}

// BatchCreate imports accounts. It replaces an account whose id exists, as production does; the official emulator does
// so only with allowOverwrite.
func (s *Service) BatchCreate(ctx context.Context, c Call, r *ImportRequest) (*ImportResponse, error) {
	if err := s.usableTenant(ctx, c); err != nil {
		return nil, err
	}
	if len(r.Users) == 0 {
		return nil, apierror.New("MISSING_USER_ACCOUNT")
	}
	if err := sane(r.Users, boolOr(r.SanityCheck, false), s.keeps(c, r)); err != nil {
		return nil, err
	}
	var hash *passhash.Hash
	if r.HashAlgorithm != "" {
		var err error
		if hash, err = r.hashOf(); err != nil {
			return nil, err
		}
	}
	if hash != nil && slices.ContainsFunc(r.Users, func(u ImportUser) bool { return u.PasswordHash != "" }) {
		if err := s.hasher.Adopt(ctx, c.Project, hash); err != nil {
			return nil, err
		}
	}
	in, err := s.importEach(ctx, c, r, hash)
	if err != nil {
		return nil, err
	}
	return in.res, s.importAll(ctx, c, in)
}

// CheckImport returns what BatchCreate would return for any number of accounts, and stores nothing. A tenant that does
// not exist yet counts as one without accounts.
func (s *Service) CheckImport(ctx context.Context, c Call, r *ImportRequest) (*ImportResponse, error) {
	var hash *passhash.Hash
	if r.HashAlgorithm != "" {
		var err error
		if hash, err = r.hashOf(); err != nil {
			return nil, err
		}
	}
	in, err := s.importEach(ctx, c, r, hash)
	if err != nil {
		return nil, err
	}
	return in.res, s.checkAll(ctx, c, in)
}

// maxConflicts is the maximum number of conflicting accounts that CheckImport reports.
const maxConflicts = 20

// checkAll adds to the errors of an import the accounts that conflict with existing accounts or with accounts before
// them in the import, up to maxConflicts.
func (s *Service) checkAll(ctx context.Context, c Call, in *importing) error {
	order := slices.Clone(in.order)
	try := func(n int) error {
		return s.accounts.Try(ctx, c.scope(), order[:n], func(ch *account.Change) error {
			for _, uid := range order[:n] {
				ch.Put(in.users[uid])
			}
			return nil
		})
	}
	for range maxConflicts {
		err := try(len(order))
		if err == nil {
			break
		}
		if !apierror.Is(err) {
			return err
		}
		first := sort.Search(len(order), func(n int) bool { return try(n+1) != nil })
		in.res.Error = append(in.res.Error, BatchError{Index: in.index[order[first]], Message: taken(err)})
		order = slices.Delete(order, first, first+1)
	}
	slices.SortFunc(in.res.Error, func(a, b BatchError) int { return a.Index - b.Index })
	return nil
}

// importing holds the accounts of an import that passed the checks, by id, with their order and their indexes in the
// request.
type importing struct {
	users map[string]*account.User
	order []string
	index map[string]int
	res   *ImportResponse
}

// importEach checks the accounts of an import one by one.
func (s *Service) importEach(ctx context.Context, c Call, r *ImportRequest, hash *passhash.Hash) (*importing, error) {
	res := &ImportResponse{Kind: "identitytoolkit#UploadAccountResponse"}
	users, order := make(map[string]*account.User), []string(nil)
	index := make(map[string]int)
	for i, given := range r.Users {
		u, problem, err := s.importOne(ctx, c, given, hash)
		if err != nil {
			return nil, err
		}
		if problem == "" && s.keeps(c, r) {
			if problem, err = s.existing(c, given.LocalID); err != nil {
				return nil, err
			}
		}
		if problem != "" {
			res.Error = append(res.Error, BatchError{Index: i, Message: problem})
			continue
		}
		if users[u.UID] == nil {
			order = append(order, u.UID)
		}
		users[u.UID], index[u.UID] = u, i
	}
	return &importing{users, order, index, res}, nil
}

// keeps reports whether an import must not replace existing accounts.
func (s *Service) keeps(c Call, r *ImportRequest) bool {
	return s.o.AsEmulator && !boolOr(r.AllowOverwrite, c.Transfer)
}

// existing returns the problem with an account that exists already and must not be overwritten.
func (s *Service) existing(c Call, uid string) (problem string, err error) {
	u, err := s.accounts.Get(c.scope(), uid)
	if err != nil || u == nil {
		return "", err
	}
	return "localId belongs to an existing account - can not overwrite.", nil
}

// importChunk is the number of accounts that are imported in one batch of the store.
const importChunk = 200

// importAll stores imported accounts in chunks. It stores a chunk with a conflict account by account.
func (s *Service) importAll(ctx context.Context, c Call, in *importing) error {
	put := func(uids []string) error {
		return s.accounts.Change(ctx, c.scope(), uids, func(ch *account.Change) error {
			ch.Imports()
			for _, uid := range uids {
				ch.Put(in.users[uid])
			}
			return nil
		})
	}
	for chunk := range slices.Chunk(in.order, importChunk) {
		err := put(chunk)
		if err == nil {
			continue
		}
		if !apierror.Is(err) {
			return err
		}
		// A change is stored whole or not at all, so one conflict refuses the chunk. Storing each account alone shows which ones
		// conflict.
		for _, uid := range chunk {
			if err := put([]string{uid}); err != nil {
				if !apierror.Is(err) {
					return err
				}
				in.res.Error = append(in.res.Error, BatchError{Index: in.index[uid], Message: taken(err)})
			}
		}
	}
	slices.SortFunc(in.res.Error, func(a, b BatchError) int { return a.Index - b.Index })
	return nil
}

// importOne converts one account. problem is the reason if it can't be imported.
func (s *Service) importOne(ctx context.Context, c Call, g ImportUser, hash *passhash.Hash) (u *account.User, problem string, err error) {
	now := s.now()
	since := now.Unix()
	u = &account.User{
		UID: g.LocalID, EmailVerified: boolOr(g.EmailVerified, false), DisplayName: g.DisplayName, PhotoURL: g.PhotoURL, Disabled: boolOr(g.Disabled, false),
		Created: now.UnixMilli(), LastLogin: g.LastLoginAt, ValidSince: &since, Custom: boolOr(g.CustomAuth, false), EmailLink: boolOr(g.EmailLinkSignin, false),
		InitialEmail: g.InitialEmail, ScreenName: g.ScreenName, Language: g.Language, TimeZone: g.TimeZone, DateOfBirth: g.DateOfBirth,
	}
	if g.CreatedAt != 0 {
		u.Created = g.CreatedAt
	}
	if g.ValidSince != nil {
		u.ValidSince = g.ValidSince
	}
	var ok bool
	switch {
	case g.LocalID == "" || passpolicy.Units(g.LocalID) > maxUID:
		return nil, "localId is missing", nil
	case g.TenantID != "" && g.TenantID != c.Tenant:
		return nil, "Tenant id in userInfo does not match the tenant id in request.", nil
	}
	if g.Email != "" {
		if u.Email, ok = contact.Email(g.Email); !ok {
			return nil, "email is invalid", nil
		}
	}
	if g.PhoneNumber != "" {
		if u.Phone, ok = contact.Phone(g.PhoneNumber); !ok {
			return nil, "phone number format is invalid", nil
		}
	}
	if g.CustomAttributes != nil {
		if err := session.CheckAttributes(*g.CustomAttributes); err != nil {
			return nil, badClaims(err), nil
		}
		u.Attributes = g.CustomAttributes
	}
	if checkProfile(g.DisplayName, g.PhotoURL) != nil {
		return nil, "display name or photo url is too long", nil
	}
	for _, p := range g.ProviderUserInfo {
		switch p.ProviderID {
		// The account's hash and phone number represent these.
		case "password", "phone":
		case "":
			return nil, "Invalid provider id", nil
		default:
			if p.RawID == "" {
				return nil, "federatedId or (providerId & rawId) is required", nil
			}
			u.Providers = append(u.Providers, account.Provider{
				ProviderID: p.ProviderID, RawID: p.RawID, Email: p.Email, DisplayName: stringOf(p.DisplayName), PhotoURL: stringOf(p.PhotoURL), ScreenName: p.ScreenName,
			})
		}
	}
	if problem = s.importFactors(c, u, g.MFAInfo); problem != "" {
		return nil, problem, nil
	}
	// A plain-text password is hashed here. Hashing is slow, so it comes after all checks.
	problem, err = s.importPassword(ctx, c, u, g, hash)
	return u, problem, err
}

// badClaims returns the problem with the custom claims of an imported account.
func badClaims(err error) string {
	switch code, _, _ := strings.Cut(apierror.Text(err), " "); code {
	case "CLAIMS_TOO_LARGE":
		return "Custom claims provided are too large."
	case "FORBIDDEN_CLAIM":
		return "Custom claims provided include a reserved claim."
	}
	return "Invalid custom claims provided."
}

// importFactors imports second factors and returns the problem with them, if any. The official emulator imports them
// only for users with a verified address.
func (s *Service) importFactors(c Call, u *account.User, list []userinfo.Factor) (problem string) {
	ids, strict := make(map[string]bool), s.o.AsEmulator && !c.Transfer
	for _, m := range list {
		_, ok := contact.Phone(m.PhoneInfo)
		switch {
		case u.Email == "" && strict:
			return "Second factor account requires email to be presented."
		case !u.EmailVerified && strict:
			return "Second factor account requires email to be verified."
		case m.MFAEnrollmentID != "" && ids[m.MFAEnrollmentID]:
			return "Enrollment id already exists."
		case m.PhoneInfo == "":
			return "Second factor not supported."
		case !ok:
			return "Phone number format is invalid"
		}
		ids[m.MFAEnrollmentID] = true
	}
	if err := s.enrollGiven(u, list, nil, true); err != nil {
		return "Second factor account info is invalid"
	}
	return ""
}

// importPassword imports the hash of a password, or a plain-text password.
func (s *Service) importPassword(ctx context.Context, c Call, u *account.User, g ImportUser, hash *passhash.Hash) (problem string, err error) {
	switch fake, isFake := fakePassword(g.PasswordHash); {
	case g.RawPassword != "":
		u.Password, err = s.hash(ctx, c, g.RawPassword)
	case isFake && s.o.Emulator:
		u.Password, err = s.hash(ctx, c, fake)
	case g.PasswordHash == "":
		return "", nil
	case hash == nil:
		if !s.o.Emulator {
			return "Missing hash algorithm", nil
		}
		h := passhash.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: s.o.HashMemCost, Separator: []byte{7}}
		hash = &h
		fallthrough
	default:
		h := *hash
		if h.Sum, err = decode64(g.PasswordHash); err != nil {
			return "Invalid password hash", nil
		}
		if h.Salt, err = decode64(g.Salt); err != nil {
			return "Invalid salt", nil
		}
		if !h.Check() {
			return "Invalid password hash", nil
		}
		if params, err := s.hasher.Present(ctx, c.Project); err != nil {
			return "", err
		} else if h.Alg == "SCRYPT" && bytes.Equal(h.Key, params.SignerKey) {
			h.Key = nil // the project's own
		}
		u.Password = &h
	}
	if u.PasswordUpdated = g.PasswordUpdatedAt; u.PasswordUpdated == 0 {
		u.PasswordUpdated = s.now().UnixMilli()
	}
	return "", err
}

// fakePassword returns the password from the official emulator's exports, which hold it in plain text.
func fakePassword(hash string) (string, bool) {
	rest, ok := strings.CutPrefix(hash, "fakeHash:salt=")
	if !ok {
		return "", false
	}
	_, password, ok := strings.Cut(rest, ":password=")
	return password, ok
}

// sane refuses requests in which two accounts share a unique value: an address or a provider's user if unique is set,
// an id if keep is set.
func sane(users []ImportUser, unique, keep bool) error {
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
