package service

import (
	"context"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/userinfo"
)

// FederatedID names a user of an identity provider.
type FederatedID struct {
	ProviderID string `json:"providerId"`
	RawID      string `json:"rawId"`
}

// LookupRequest requests accounts. Users can request their own account, administrators any account.
type LookupRequest struct {
	IDToken         *string       `json:"idToken"`
	LocalID         []string      `json:"localId"`
	Email           []string      `json:"email"`
	PhoneNumber     []string      `json:"phoneNumber"`
	FederatedUserID []FederatedID `json:"federatedUserId"`
	InitialEmail    []string      `json:"initialEmail"`
}

// LookupResponse holds the accounts that were found.
type LookupResponse struct {
	Kind  string          `json:"kind"`
	Users []userinfo.Info `json:"users,omitempty"`
}

// kindLookup is the kind of a LookupResponse.
const kindLookup = "identitytoolkit#GetAccountInfoResponse"

// Lookup returns accounts: the user of the ID token or, for administrators, all that the request names by id, address,
// phone number or provider, each once. Names without an account are ignored.
func (s *Service) Lookup(ctx context.Context, c Call, r *LookupRequest) (*LookupResponse, error) {
	if err := s.checkTenant(c); err != nil {
		return nil, err
	}
	if r.IDToken != nil || !c.Admin {
		if r.IDToken == nil {
			return nil, apierror.New("MISSING_ID_TOKEN")
		}
		u, _, err := s.userOf(&c, *r.IDToken)
		if err != nil {
			return nil, err
		}
		return &LookupResponse{Kind: kindLookup, Users: []userinfo.Info{c.info(u, false)}}, nil
	}
	if len(r.LocalID)+len(r.Email)+len(r.PhoneNumber)+len(r.FederatedUserID)+len(r.InitialEmail) == 0 {
		return nil, apierror.New("MISSING_ID_TOKEN")
	}
	if err := s.usableTenant(ctx, c); err != nil {
		return nil, err
	}
	res := &LookupResponse{Kind: kindLookup}
	seen := make(map[string]bool)
	for _, find := range s.finders(ctx, c, r) {
		u, err := find()
		if err != nil {
			return nil, err
		}
		if u != nil && !seen[u.UID] {
			seen[u.UID] = true
			res.Users = append(res.Users, c.info(u, false))
		}
	}
	return res, nil
}

// finders returns a function for each requested account.
func (s *Service) finders(ctx context.Context, c Call, r *LookupRequest) []func() (*account.User, error) {
	var list []func() (*account.User, error)
	for _, uid := range r.LocalID {
		list = append(list, func() (*account.User, error) { return s.accounts.Get(c.scope(), uid) })
	}
	for _, email := range r.Email {
		list = append(list, func() (*account.User, error) { return s.accounts.ByEmail(c.scope(), email) })
	}
	for _, phone := range r.PhoneNumber {
		if clean, ok := field.Phone(phone); ok {
			list = append(list, func() (*account.User, error) { return s.accounts.ByPhone(c.scope(), clean) })
		}
	}
	for _, f := range r.FederatedUserID {
		list = append(list, func() (*account.User, error) { return s.accounts.ByProvider(c.scope(), f.ProviderID, f.RawID) })
	}
	for _, email := range r.InitialEmail {
		list = append(list, func() (*account.User, error) { return s.byInitialEmail(ctx, c, email) })
	}
	return list
}

// byInitialEmail returns the account that had the address before it was changed, or nil. The call is rare, so there is
// no index: it scans all accounts.
func (s *Service) byInitialEmail(ctx context.Context, c Call, email string) (found *account.User, err error) {
	err = s.accounts.List(ctx, c.scope(), "", func(u *account.User) bool {
		if u.InitialEmail != "" && strings.EqualFold(u.InitialEmail, email) {
			found = u
		}
		return found == nil
	})
	return found, err
}
