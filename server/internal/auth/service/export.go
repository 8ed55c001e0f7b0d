package service

import (
	"cmp"
	"context"
	"encoding/json"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/settings"
	"clave/server/internal/auth/service/userinfo"
)

// Export calls yield for each account of the call's scope, in the order of ids. The second argument is a request
// without users that holds the parameters of the account's hash: an import by such a request keeps the password valid.
// It is own for passwords that the project hashed itself and for accounts without a password.
func (s *Service) Export(ctx context.Context, c Call, own *accountimport.Request, yield func(userinfo.Info, *accountimport.Request) error) error {
	params, err := s.hasher.Params(ctx, c.Project)
	if err != nil {
		return err
	}
	var stopped error
	err = s.accounts.List(ctx, c.scope(), "", func(u *account.User) bool {
		request := own
		if h := u.Password; h != nil && !accountimport.IsOwn(h, params) {
			request = accountimport.For(h, params)
		}
		stopped = yield(c.info(u, true), request)
		return stopped == nil
	})
	return cmp.Or(stopped, err)
}

// OwnHash returns a request without users that holds the parameters by which a project hashes passwords.
func (s *Service) OwnHash(ctx context.Context, c Call) (*accountimport.Request, error) {
	params, err := s.hasher.Params(ctx, c.Project)
	if err != nil {
		return nil, err
	}
	return accountimport.For(&passhash.Hash{Alg: "SCRYPT", Separator: params.Separator, Rounds: params.Rounds, MemCost: params.MemCost}, params), nil
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
