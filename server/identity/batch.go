package identity

import (
	"context"

	"clave/server/account"
)

// BatchGetRequest requests a page of all accounts.
type BatchGetRequest struct {
	MaxResults    *int64  `json:"maxResults"`
	NextPageToken *string `json:"nextPageToken"`
}

// BatchGetResponse is a page of accounts, in the order of their ids.
type BatchGetResponse struct {
	Kind          string     `json:"kind"`
	Users         []UserInfo `json:"users,omitempty"`
	NextPageToken string     `json:"nextPageToken,omitempty"`
}

// pageSize is how many accounts a page has when the request gives no number.
const pageSize = 20

// BatchGet returns a page of all accounts, with password hashes.
func (s *Service) BatchGet(ctx context.Context, c Call, r *BatchGetRequest) (*BatchGetResponse, error) {
	if err := s.usableTenant(ctx, c); err != nil {
		return nil, err
	}
	params, err := s.presentParams(ctx, c.Project)
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
	err = s.accounts.List(ctx, c.scope(), stringOf(r.NextPageToken), func(u *account.User) bool {
		i := info(c, u, true)
		i.Version = passwordVersion(u.Password, params)
		if res.Users = append(res.Users, i); int64(len(res.Users)) == most {
			res.NextPageToken = u.UID // also when the page is the last: clients read on until a page has none
			return false
		}
		return true
	})
	return res, err
}

// passwordVersion is how the password of an exported account is hashed: 0 is as the project hashes passwords, which its
// settings contain; firebase auth:export leaves all others out.
func passwordVersion(h *account.Hash, p account.Project) *int {
	if h == nil {
		return nil
	}
	version := 0
	if !sameHash(h, p) {
		version = 1
	}
	return &version
}

// BatchDeleteRequest deletes accounts.
type BatchDeleteRequest struct {
	LocalIDs []string `json:"localIds"`
	Force    *bool    `json:"force"`
}

// BatchError is what is wrong with one element of a batch.
type BatchError struct {
	Index   int    `json:"index"`
	LocalID string `json:"localId,omitempty"`
	Message string `json:"message"`
}

// BatchDeleteResponse lists the accounts that were not deleted.
type BatchDeleteResponse struct {
	Errors []BatchError `json:"errors,omitempty"`
}

// maxBatch is how many accounts one call deletes at most.
const maxBatch = 1000

// BatchDelete deletes accounts; without force only disabled ones.
func (s *Service) BatchDelete(ctx context.Context, c Call, r *BatchDeleteRequest) (*BatchDeleteResponse, error) {
	if len(r.LocalIDs) == 0 || len(r.LocalIDs) > maxBatch {
		return nil, apiError("LOCAL_ID_LIST_EXCEEDS_LIMIT")
	}
	res := &BatchDeleteResponse{}
	return res, s.accounts.Change(ctx, c.scope(), r.LocalIDs, func(ch *account.Change) error {
		for i, uid := range r.LocalIDs {
			u, err := ch.Get(uid)
			switch {
			case err != nil:
				return err
			case u == nil:
			case !boolOr(r.Force, false) && !u.Disabled:
				res.Errors = append(res.Errors, BatchError{Index: i, LocalID: uid, Message: "NOT_DISABLED : Disable the account before batch deletion."})
			default:
				remove(ch, u)
			}
		}
		return nil
	})
}
