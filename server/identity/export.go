package identity

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"

	"clave/server/account"
	"clave/server/account/passhash"
	"clave/server/identity/apierror"
	"clave/server/identity/settings"
	"clave/server/identity/userinfo"
)

// Export calls yield for each account of the call's scope, in the order of ids. The second argument is a request
// without users that holds the parameters of the account's hash: an import by such a request keeps the password valid.
// It is own for passwords that the project hashed itself and for accounts without a password.
func (s *Service) Export(ctx context.Context, c Call, own *ImportRequest, yield func(userinfo.Info, *ImportRequest) error) error {
	params, err := s.hasher.Params(ctx, c.Project)
	if err != nil {
		return err
	}
	var stopped error
	err = s.accounts.List(ctx, c.scope(), "", func(u *account.User) bool {
		request := own
		if h := u.Password; h != nil && !sameHash(h, params) {
			request = requestFor(h, params)
		}
		stopped = yield(c.info(u, true), request)
		return stopped == nil
	})
	return cmp.Or(stopped, err)
}

// OwnHash returns a request without users that holds the parameters by which a project hashes passwords.
func (s *Service) OwnHash(ctx context.Context, c Call) (*ImportRequest, error) {
	params, err := s.hasher.Params(ctx, c.Project)
	if err != nil {
		return nil, err
	}
	return requestFor(&passhash.Hash{Alg: "SCRYPT", Separator: params.Separator, Rounds: params.Rounds, MemCost: params.MemCost}, params), nil
}

// sameHash reports whether a hash has the project's own parameters.
func sameHash(h *passhash.Hash, p passhash.Params) bool {
	return h.Alg == "SCRYPT" && len(h.Key) == 0 && string(h.Separator) == string(p.Separator) && h.Rounds == p.Rounds && h.MemCost == p.MemCost
}

// requestFor returns the parameters of a hash.
func requestFor(h *passhash.Hash, p passhash.Params) *ImportRequest {
	key := h.Key
	if h.Alg == "SCRYPT" && len(key) == 0 {
		key = p.SignerKey
	}
	r := &ImportRequest{
		HashAlgorithm: h.Alg, SignerKey: base64.StdEncoding.EncodeToString(key), SaltSeparator: base64.StdEncoding.EncodeToString(h.Separator),
		Rounds: int64(h.Rounds), MemoryCost: int64(h.MemCost), CPUMemCost: int64(h.CPU), BlockSize: int64(h.Block),
		Parallelization: int64(h.Parallel), DkLen: int64(h.Length),
	}
	if h.PasswordFirst {
		r.PasswordHashOrder = "PASSWORD_AND_SALT"
	}
	if a := h.Argon2; a != nil {
		r.Argon2Parameters = &Argon2Parameters{
			HashType: a.Type, Iterations: int64(a.Iterations), MemoryCostKib: int64(a.MemoryKiB), Parallelism: int64(a.Parallel),
			HashLengthBytes: int64(a.Length), AssociatedData: base64.StdEncoding.EncodeToString(a.Associated),
		}
	}
	return r
}

// PutTenant creates or replaces a tenant with its settings. Its id is that of t.
func (s *Service) PutTenant(ctx context.Context, c Call, t *settings.Tenant) error {
	if !settings.ValidTenantID(t.TenantID) {
		return apierror.New("INVALID_TENANT_ID")
	}
	return s.accounts.Change(ctx, c.root(), nil, func(ch *account.Change) error { return ch.Save(settings.TenantItem, t.TenantID, t) })
}

// Settings returns a project's settings as they are stored. If body is not nil, Settings replaces them first.
func (s *Service) Settings(ctx context.Context, c Call, body json.RawMessage) (json.RawMessage, error) {
	if body == nil {
		raw, err := settings.Raw(s.accounts, c.root())
		if err != nil {
			return nil, err
		}
		return json.Marshal(raw)
	}
	_, err := settings.Save(ctx, s.accounts, c.root(), func(raw map[string]any) error {
		clear(raw)
		return json.Unmarshal(body, &raw)
	})
	return body, err
}
