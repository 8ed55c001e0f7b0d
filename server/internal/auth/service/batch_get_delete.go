package service

import (
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/userinfo"
)

// BatchGetRequest requests a page of all accounts.
type BatchGetRequest struct {
	MaxResults    *int64  `json:"maxResults"`
	NextPageToken *string `json:"nextPageToken"`
}

// BatchGetResponse is a page of accounts, in the order of their ids.
type BatchGetResponse struct {
	Kind          string          `json:"kind"`
	Users         []userinfo.Info `json:"users,omitempty"`
	NextPageToken string          `json:"nextPageToken,omitempty"`
}

// pageSize is the number of accounts in a page when the request gives none.
const pageSize = 20

// BatchGet returns a page of all accounts, with password hashes.
func (s *Service) BatchGet(ctx context.Context, c Call, r *BatchGetRequest) (*BatchGetResponse, error) {
	if err := s.usableTenant(ctx, c); err != nil {
		return nil, err
	}
	params, err := s.hasher.Present(ctx, c.Project)
	if err != nil {
		return nil, err
	}
	res := &BatchGetResponse{Kind: "identitytoolkit#DownloadAccountResponse"}
	most := int64(pageSize)
	if r.MaxResults != nil {
		most = *r.MaxResults
	}
	if most == 0 {
		return res, nil
	}
	const whole = 1000
	if most > whole {
		most = whole
	}
	err = s.accounts.List(ctx, c.scope(), optional.String(r.NextPageToken), func(u *account.User) bool {
		i := c.info(u, true)
		i.Version = passwordVersion(u.Password, params)
		if res.Users = append(res.Users, i); int64(len(res.Users)) == most {
			res.NextPageToken = u.UID // set for the last page too: clients continue until a page has no accounts
			return false
		}
		return true
	})
	return res, err
}

// passwordVersion returns 0 for a password that is hashed with the project's own parameters, which its settings
// contain, 1 for other hashes, and nil for an account without a password. `firebase auth:export` omits hashes of other
// versions than 0.
func passwordVersion(h *passhash.Hash, p passhash.Params) *int {
	if h == nil {
		return nil
	}
	version := 0
	if !accountimport.IsOwn(h, p) {
		version = 1
	}
	return &version
}

// BatchDeleteRequest deletes accounts.
type BatchDeleteRequest struct {
	LocalIDs []string `json:"localIds"`
	Force    *bool    `json:"force"`
}

// BatchError is the error of one element of a batch.
type BatchError struct {
	Index   int    `json:"index"`
	LocalID string `json:"localId,omitempty"`
	Message string `json:"message"`
}

// BatchDeleteResponse lists the accounts that were not deleted.
type BatchDeleteResponse struct {
	Errors []BatchError `json:"errors,omitempty"`
}

// maxBatch is the maximum number of accounts that one call deletes.
const maxBatch = 1000

// BatchDelete deletes accounts. Without force it deletes only disabled ones.
func (s *Service) BatchDelete(ctx context.Context, c Call, r *BatchDeleteRequest) (*BatchDeleteResponse, error) {
	if len(r.LocalIDs) == 0 || len(r.LocalIDs) > maxBatch {
		return nil, apierror.New("LOCAL_ID_LIST_EXCEEDS_LIMIT")
	}
	res := &BatchDeleteResponse{}
	return res, s.accounts.Change(ctx, c.scope(), r.LocalIDs, func(ch *account.Change) error {
		for i, uid := range r.LocalIDs {
			u, err := ch.Get(uid)
			switch {
			case err != nil:
				return err
			case u == nil:
			case !optional.Bool(r.Force, false) && !u.Disabled:
				res.Errors = append(res.Errors, BatchError{Index: i, LocalID: uid, Message: "NOT_DISABLED : Disable the account before batch deletion."})
			default:
				remove(ch, u)
			}
		}
		return nil
	})
}
