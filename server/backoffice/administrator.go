package backoffice

import (
	"context"
	"errors"
	"fmt"

	"firebase.google.com/go/v4/auth"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Administrator returns the uid of an ID token's user, if that is an administrator now: the token is valid and not
// revoked, and adminusers/{uid} has the role admin and is active, as in firestore.rules.
func (s *Service) Administrator(ctx context.Context, idToken string) (string, error) {
	if idToken == "" {
		return "", refuse(NotAdministrator, nil)
	}
	c, err := s.connect()
	if err != nil {
		return "", refuse(Internal, err)
	}
	token, err := c.accounts.VerifyIDTokenAndCheckRevoked(ctx, idToken)
	switch {
	case err == nil:
	case auth.IsIDTokenInvalid(err), auth.IsIDTokenExpired(err), auth.IsIDTokenRevoked(err), auth.IsUserDisabled(err), auth.IsUserNotFound(err):
		return "", refuse(NotAdministrator, err)
	default:
		return "", refuse(Unavailable, fmt.Errorf("verify an ID token: %w", err))
	}
	record, err := c.documents.Collection("adminusers").Doc(token.UID).Get(ctx)
	switch status.Code(err) {
	case codes.OK:
	case codes.NotFound:
		return "", refuse(NotAdministrator, nil)
	default:
		return "", refuse(Unavailable, fmt.Errorf("read adminusers/%s: %w", token.UID, err))
	}
	fields := record.Data()
	if fields["role"] != "admin" || fields["active"] != true {
		return "", refuse(NotAdministrator, errors.New("the record is not an active administrator's"))
	}
	return token.UID, nil
}
