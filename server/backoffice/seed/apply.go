package seed

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cloud.google.com/go/firestore"
	"firebase.google.com/go/v4/auth"
	"google.golang.org/api/iterator"
)

// Apply fills an empty project and reports whether it did. It does not change a project with a document in any of the
// data's collections. It creates the accounts first, which may exist already, and then writes all documents or none, so
// that an interrupted call can be repeated.
func Apply(ctx context.Context, accounts *auth.Client, documents *firestore.Client, data *Data) (bool, error) {
	empty, err := isEmpty(ctx, documents, data)
	if err != nil || !empty {
		return false, err
	}
	for _, a := range data.Accounts {
		if err := createAccount(ctx, accounts, a); err != nil {
			return false, fmt.Errorf("seed: account %s: %w", a.Email, err)
		}
	}
	err = documents.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		for _, d := range data.Documents {
			if err := tx.Create(documents.Doc(d.Path), d.Fields); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("seed: %d documents: %w", len(data.Documents), err)
	}
	return true, nil
}

// isEmpty reports whether no collection of the data holds a document.
func isEmpty(ctx context.Context, documents *firestore.Client, data *Data) (bool, error) {
	checked := make(map[string]bool)
	for _, d := range data.Documents {
		collection := d.Path[:strings.LastIndexByte(d.Path, '/')]
		if checked[collection] {
			continue
		}
		checked[collection] = true
		found := documents.Collection(collection).Limit(1).Documents(ctx)
		_, err := found.Next()
		found.Stop()
		if err == nil {
			return false, nil
		}
		if !errors.Is(err, iterator.Done) {
			return false, fmt.Errorf("seed: look into %s: %w", collection, err)
		}
	}
	return true, nil
}

// createAccount creates an account, unless its id exists already.
func createAccount(ctx context.Context, accounts *auth.Client, a Account) error {
	user := (&auth.UserToCreate{}).UID(a.UID).Email(a.Email).Password(a.Password).EmailVerified(true)
	if a.DisplayName != "" {
		user = user.DisplayName(a.DisplayName)
	}
	if _, err := accounts.CreateUser(ctx, user); err != nil && !auth.IsUIDAlreadyExists(err) {
		return err
	}
	if len(a.Claims) == 0 {
		return nil
	}
	return accounts.SetCustomUserClaims(ctx, a.UID, a.Claims)
}
