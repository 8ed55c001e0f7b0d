package service

import (
	"context"

	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/apierror"
)

// ImportResponse lists the accounts that were not imported.
type ImportResponse struct {
	Kind  string                  `json:"kind"`
	Error []accountimport.Problem `json:"error,omitempty"`
}

// kindImport is the kind of an ImportResponse.
const kindImport = "identitytoolkit#UploadAccountResponse"

// BatchCreate imports accounts. It replaces an account whose id exists, as production does; the official emulator does
// so only with allowOverwrite.
func (s *Service) BatchCreate(ctx context.Context, c Call, r *accountimport.Request) (*ImportResponse, error) {
	if err := s.usableTenant(ctx, c); err != nil {
		return nil, err
	}
	if len(r.Users) == 0 {
		return nil, apierror.New("MISSING_USER_ACCOUNT")
	}
	problems, err := s.importer.Import(ctx, s.importTarget(ctx, c), r)
	if err != nil {
		return nil, err
	}
	return &ImportResponse{Kind: kindImport, Error: problems}, nil
}

// CheckImport returns what BatchCreate would return for any number of accounts, and stores nothing. A tenant that does
// not exist yet counts as one without accounts.
func (s *Service) CheckImport(ctx context.Context, c Call, r *accountimport.Request) (*ImportResponse, error) {
	problems, err := s.importer.Check(ctx, s.importTarget(ctx, c), r)
	if err != nil {
		return nil, err
	}
	return &ImportResponse{Kind: kindImport, Error: problems}, nil
}

// importTarget returns the target of a call's import.
func (s *Service) importTarget(ctx context.Context, c Call) accountimport.Target {
	return accountimport.Target{
		Scope: c.scope(), Transfer: c.Transfer,
		Hash: func(password string) (*passhash.Hash, error) { return s.hash(ctx, c, password) },
	}
}
