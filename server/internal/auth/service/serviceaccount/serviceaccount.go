// Package serviceaccount registers the public keys of service accounts, with which servers sign in as administrators of
// a project.
//
// A Registry is the only writer of these keys. token.Options.ServiceKeys takes its Get method, so a revoked key is
// refused at once.
package serviceaccount

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
)

// Item is the kind of item of an account.Store that stores service accounts, by address, in a scope that belongs to no
// project.
const Item = "service"

// scope is the scope of service accounts, which are named without their project.
var scope = account.Scope{}

// record is a service account as it is stored.
type record struct {
	Project string `json:"project"`
	// Role is empty for token.Owner.
	Role token.Role `json:"role,omitempty"`
	// Keys are public keys in PKCS #1 by key id, and Created their creation times.
	Keys    map[string][]byte    `json:"keys"`
	Created map[string]time.Time `json:"created,omitempty"`
}

// role returns the role of the account. Accounts that were registered before there were roles are owners.
func (a *record) role() token.Role {
	if a.Role == "" {
		return token.Owner
	}
	return a.Role
}

// validName matches valid names of service accounts.
var validName = pattern.New(`^[a-z]([a-z0-9-]{4,28}[a-z0-9])$`)

// file is a service account's JSON file in Google's format.
type file struct {
	Type           string `json:"type"`
	ProjectID      string `json:"project_id"`
	PrivateKeyID   string `json:"private_key_id"`
	PrivateKey     string `json:"private_key"`
	ClientEmail    string `json:"client_email"`
	ClientID       string `json:"client_id"`
	AuthURI        string `json:"auth_uri"`
	TokenURI       string `json:"token_uri"`
	UniverseDomain string `json:"universe_domain"`
}

// keyBits is the size of service accounts' keys.
const keyBits = 2048

// Key is a new key of a service account.
type Key struct {
	// File is the JSON file for the key's holder. The private key is stored nowhere else.
	File []byte
	// Email is the account's address, KeyID the key's id and Public its public half.
	Email, KeyID string
	Public       *rsa.PublicKey
}

// Email returns the address of a project's service account. A name that is an address already stays as it is.
func Email(project, name string) string {
	if strings.Contains(name, "@") {
		return name
	}
	return fmt.Sprintf("%s@%s.iam.gserviceaccount.com", name, project)
}

// NewKey creates a key for a service account of project without registering it. tokenURI is the URL at which its
// holder requests access tokens.
func NewKey(project, name, tokenURI string) (*Key, error) {
	if !validName.MatchString(name) {
		return nil, fault.E(fault.InvalidArgument, "a service account's name has 6 to 30 lower-case letters, digits and hyphens and begins with a letter: %q", name)
	}
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	clientID, err := rand.Int(rand.Reader, new(big.Int).Exp(big.NewInt(10), big.NewInt(21), nil))
	if err != nil {
		return nil, err
	}
	k := &Key{Email: Email(project, name), KeyID: token.KeyID(&key.PublicKey), Public: &key.PublicKey}
	k.File, err = json.MarshalIndent(file{
		Type: "service_account", ProjectID: project, PrivateKeyID: k.KeyID, PrivateKey: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		ClientEmail: k.Email, ClientID: clientID.String(), AuthURI: "https://accounts.google.com/o/oauth2/auth", TokenURI: tokenURI, UniverseDomain: "googleapis.com",
	}, "", "  ")
	return k, err
}

// Registry holds the keys. It is safe for concurrent use.
type Registry struct {
	accounts *account.Store
	clock    clock.Clock
}

// New returns the registry that is stored beside accounts. c dates new keys; nil means the machine's clock.
func New(accounts *account.Store, c clock.Clock) *Registry {
	if c == nil {
		c = clock.System()
	}
	return &Registry{accounts, c}
}

// Create creates a key for an owner's service account of project and registers it. It also registers the account if it
// is new.
func (r *Registry) Create(ctx context.Context, project, name, tokenURI string) (*Key, error) {
	k, err := NewKey(project, name, tokenURI)
	if err != nil {
		return nil, err
	}
	return k, r.Register(ctx, Account{Project: project, Email: k.Email, Role: token.Owner}, k.Public)
}

// Account names a service account, with its role.
type Account struct {
	Project, Email string
	Role           token.Role
}

// Register registers the public half of a key for a service account. It also registers the account if it is new. A key
// that is registered already stays as it is. The role of an account with keys can't change: tokens and streams of these
// keys would change their rights.
func (r *Registry) Register(ctx context.Context, of Account, public *rsa.PublicKey) error {
	if !slices.Contains(token.Roles, of.Role) {
		return fault.E(fault.InvalidArgument, "there is no role %q", of.Role)
	}
	kid := token.KeyID(public)
	return r.edit(ctx, of.Email, func(_ *account.Change, a *record) error {
		if a.Project != "" && a.Project != of.Project {
			return fault.E(fault.FailedPrecondition, "service account %s belongs to project %s", of.Email, a.Project)
		}
		if len(a.Keys) > 0 && a.role() != of.Role {
			return fault.E(fault.FailedPrecondition, "service account %s has the role %s. Name another account, or revoke all its keys first", of.Email, a.role())
		}
		a.Project, a.Role = of.Project, of.Role
		if a.Keys[kid] == nil {
			a.Keys[kid] = x509.MarshalPKCS1PublicKey(public)
			a.Created[kid] = r.clock.Now().UTC().Truncate(time.Second)
		}
		return nil
	})
}

// Info describes a registered key.
type Info struct {
	Project, Email, KeyID string
	Role                  token.Role
	// Created is zero for keys that were registered without a creation time.
	Created time.Time
}

// List lists the registered keys of all service accounts, by address and then by age.
func (r *Registry) List(ctx context.Context) ([]Info, error) {
	var all []Info
	err := r.accounts.Items(ctx, scope, Item, func(email string, decode func(any) error) error {
		var a record
		if err := decode(&a); err != nil {
			return err
		}
		for kid := range a.Keys {
			all = append(all, Info{Project: a.Project, Email: email, KeyID: kid, Role: a.role(), Created: a.Created[kid]})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b Info) int {
		return cmp.Or(strings.Compare(a.Email, b.Email), a.Created.Compare(b.Created), strings.Compare(a.KeyID, b.KeyID))
	})
	return all, err
}

// Revoke removes a service account's key, or all its keys if kid is empty, and returns the ids of the removed
// keys. Access tokens that were issued for them are invalid from then on, and streams that they opened end. It returns
// NotFound if there is no such key.
func (r *Registry) Revoke(ctx context.Context, email, kid string) ([]string, error) {
	var gone []string
	err := r.edit(ctx, email, func(ch *account.Change, a *record) error {
		ch.Withdraws()
		gone = slices.Sorted(maps.Keys(a.Keys))
		switch {
		case kid == "" && len(gone) == 0:
			return fault.E(fault.NotFound, "service account %s has no keys; clave credentials list shows existing ones", email)
		case kid != "" && a.Keys[kid] == nil:
			return fault.E(fault.NotFound, "service account %s has no key %s", email, kid)
		case kid != "":
			gone = []string{kid}
		}
		for _, id := range gone {
			delete(a.Keys, id)
			delete(a.Created, id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.accounts.Revoked(account.Revocation{Scope: scope, UID: email})
	return gone, nil
}

// edit changes a stored service account.
func (r *Registry) edit(ctx context.Context, email string, change func(*account.Change, *record) error) error {
	return r.accounts.Change(ctx, scope, []string{email}, func(ch *account.Change) error {
		a := record{Keys: make(map[string][]byte), Created: make(map[string]time.Time)}
		if _, err := ch.Load(Item, email, &a); err != nil {
			return err
		}
		if err := change(ch, &a); err != nil {
			return err
		}
		return ch.Save(Item, email, a)
	})
}

// Get returns a registered service account. token.Options.ServiceKeys takes this method.
func (r *Registry) Get(_ context.Context, email string) (token.ServiceAccount, error) {
	var a record
	if _, err := r.accounts.Load(scope, Item, email, &a); err != nil {
		return token.ServiceAccount{}, err
	}
	out := token.ServiceAccount{Project: a.Project, Role: a.role(), Keys: make(map[string]*rsa.PublicKey, len(a.Keys))}
	for kid, der := range a.Keys {
		key, err := x509.ParsePKCS1PublicKey(der)
		if err != nil {
			return token.ServiceAccount{}, fmt.Errorf("stored key %s of %s: %w", kid, email, err)
		}
		out.Keys[kid] = key
	}
	return out, nil
}
