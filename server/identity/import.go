package identity

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"strings"

	"clave/server/account"
	"clave/server/account/passhash"
	"clave/server/identity/apierror"
	"clave/server/identity/contact"
	"clave/server/identity/importform"
	"clave/server/identity/passpolicy"
	"clave/server/identity/session"
	"clave/server/identity/userinfo"
)

// ImportResponse lists the accounts that were not imported.
type ImportResponse struct {
	Kind  string       `json:"kind"`
	Error []BatchError `json:"error,omitempty"`
}

// BatchCreate imports accounts. It replaces an account whose id exists, as production does; the official emulator does
// so only with allowOverwrite.
func (s *Service) BatchCreate(ctx context.Context, c Call, r *importform.Request) (*ImportResponse, error) {
	if err := s.usableTenant(ctx, c); err != nil {
		return nil, err
	}
	if len(r.Users) == 0 {
		return nil, apierror.New("MISSING_USER_ACCOUNT")
	}
	if err := importform.CheckUnique(r.Users, boolOr(r.SanityCheck, false), s.keeps(c, r)); err != nil {
		return nil, err
	}
	var hash *passhash.Hash
	if r.HashAlgorithm != "" {
		var err error
		if hash, err = r.Hash(); err != nil {
			return nil, err
		}
	}
	if hash != nil && slices.ContainsFunc(r.Users, func(u importform.User) bool { return u.PasswordHash != "" }) {
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
func (s *Service) CheckImport(ctx context.Context, c Call, r *importform.Request) (*ImportResponse, error) {
	var hash *passhash.Hash
	if r.HashAlgorithm != "" {
		var err error
		if hash, err = r.Hash(); err != nil {
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
func (s *Service) importEach(ctx context.Context, c Call, r *importform.Request, hash *passhash.Hash) (*importing, error) {
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
func (s *Service) keeps(c Call, r *importform.Request) bool {
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
func (s *Service) importOne(ctx context.Context, c Call, g importform.User, hash *passhash.Hash) (u *account.User, problem string, err error) {
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
func (s *Service) importPassword(ctx context.Context, c Call, u *account.User, g importform.User, hash *passhash.Hash) (problem string, err error) {
	switch fake, isFake := importform.FakePassword(g.PasswordHash); {
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
		if h.Sum, err = importform.Decode64(g.PasswordHash); err != nil {
			return "Invalid password hash", nil
		}
		if h.Salt, err = importform.Decode64(g.Salt); err != nil {
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
