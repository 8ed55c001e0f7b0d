package identity

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
	"regexp"
	"slices"
	"strings"
	"time"

	"clave/server/account"
	"clave/server/fault"
	"clave/server/token"
)

// serviceItem is the kind of item that stores service accounts, by address, in a scope that belongs to no project.
const serviceItem = "service"

// services is the scope of service accounts, which are named without their project.
var services = account.Scope{}

// serviceAccount is a stored service account.
type serviceAccount struct {
	Project string `json:"project"`
	// Keys are public keys in PKCS #1 by key id, and Created their creation times.
	Keys    map[string][]byte    `json:"keys"`
	Created map[string]time.Time `json:"created,omitempty"`
}

// serviceName matches valid names of service accounts.
var serviceName = regexp.MustCompile(`^[a-z]([a-z0-9-]{4,28}[a-z0-9])$`)

// credential is a service account's JSON file in Google's format.
type credential struct {
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

// serviceKeyBits is the size of service accounts' keys.
const serviceKeyBits = 2048

// Credential is a new key of a service account.
type Credential struct {
	// File is the JSON file for the key's holder, the only place where the private key is.
	File []byte
	// Email is the account's address, KeyID the key's id and Public its public half.
	Email, KeyID string
	Public       *rsa.PublicKey
}

// ServiceEmail returns the address of a project's service account. A name that is an address already stays as it is.
func ServiceEmail(project, name string) string {
	if strings.Contains(name, "@") {
		return name
	}
	return fmt.Sprintf("%s@%s.iam.gserviceaccount.com", name, project)
}

// NewCredential creates a key for a service account of project without registering it. tokenURI is the URL at which its
// holder requests access tokens.
func NewCredential(project, name, tokenURI string) (*Credential, error) {
	if !serviceName.MatchString(name) {
		return nil, fault.E(fault.InvalidArgument, "a service account's name has 6 to 30 lower-case letters, digits and hyphens and begins with a letter: %q", name)
	}
	key, err := rsa.GenerateKey(rand.Reader, serviceKeyBits)
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
	c := &Credential{Email: ServiceEmail(project, name), KeyID: token.KeyID(&key.PublicKey), Public: &key.PublicKey}
	c.File, err = json.MarshalIndent(credential{
		Type: "service_account", ProjectID: project, PrivateKeyID: c.KeyID, PrivateKey: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		ClientEmail: c.Email, ClientID: clientID.String(), AuthURI: "https://accounts.google.com/o/oauth2/auth", TokenURI: tokenURI, UniverseDomain: "googleapis.com",
	}, "", "  ")
	return c, err
}

// CreateCredential creates a key for a service account of project and registers it. It also registers the account if it
// is new.
func (s *Service) CreateCredential(ctx context.Context, project, name, tokenURI string) (*Credential, error) {
	c, err := NewCredential(project, name, tokenURI)
	if err != nil {
		return nil, err
	}
	return c, s.RegisterCredential(ctx, project, c.Email, c.Public)
}

// RegisterCredential registers the public half of a key for the service account email of project. It also registers the
// account if it is new. A key that is registered already stays as it is.
func (s *Service) RegisterCredential(ctx context.Context, project, email string, public *rsa.PublicKey) error {
	kid := token.KeyID(public)
	return s.editService(ctx, email, func(a *serviceAccount) error {
		if a.Project != "" && a.Project != project {
			return fault.E(fault.FailedPrecondition, "service account %s belongs to project %s", email, a.Project)
		}
		a.Project = project
		if a.Keys[kid] == nil {
			a.Keys[kid] = x509.MarshalPKCS1PublicKey(public)
			a.Created[kid] = s.now().UTC().Truncate(time.Second)
		}
		return nil
	})
}

// CredentialInfo describes a registered key.
type CredentialInfo struct {
	Project, Email, KeyID string
	// Created is zero for keys that were registered without a creation time.
	Created time.Time
}

// Credentials lists the registered keys of all service accounts, by address and then by age.
func (s *Service) Credentials(ctx context.Context) ([]CredentialInfo, error) {
	var all []CredentialInfo
	err := s.accounts.Items(ctx, services, serviceItem, func(email string, decode func(any) error) error {
		var a serviceAccount
		if err := decode(&a); err != nil {
			return err
		}
		for kid := range a.Keys {
			all = append(all, CredentialInfo{Project: a.Project, Email: email, KeyID: kid, Created: a.Created[kid]})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b CredentialInfo) int {
		return cmp.Or(strings.Compare(a.Email, b.Email), a.Created.Compare(b.Created), strings.Compare(a.KeyID, b.KeyID))
	})
	return all, err
}

// RevokeCredential removes a service account's key, or all its keys if kid is empty, and returns the ids of the removed
// keys. Access tokens that were issued for them are invalid from then on, and streams that they opened end. It returns
// NotFound if there is no such key.
func (s *Service) RevokeCredential(ctx context.Context, email, kid string) ([]string, error) {
	var gone []string
	err := s.editService(ctx, email, func(a *serviceAccount) error {
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
	s.accounts.Revoked(account.Revocation{Scope: services, UID: email})
	return gone, nil
}

// editService changes a stored service account.
func (s *Service) editService(ctx context.Context, email string, edit func(*serviceAccount) error) error {
	return s.accounts.Change(ctx, services, []string{email}, func(ch *account.Change) error {
		a := serviceAccount{Keys: make(map[string][]byte), Created: make(map[string]time.Time)}
		if _, err := ch.Load(serviceItem, email, &a); err != nil {
			return err
		}
		if err := edit(&a); err != nil {
			return err
		}
		return ch.Save(serviceItem, email, a)
	})
}

// ServiceAccount returns a registered service account. token.Options.ServiceKeys takes this method.
func (s *Service) ServiceAccount(_ context.Context, email string) (token.ServiceAccount, error) {
	var a serviceAccount
	if _, err := s.accounts.Load(services, serviceItem, email, &a); err != nil {
		return token.ServiceAccount{}, err
	}
	out := token.ServiceAccount{Project: a.Project, Keys: make(map[string]*rsa.PublicKey, len(a.Keys))}
	for kid, der := range a.Keys {
		key, err := x509.ParsePKCS1PublicKey(der)
		if err != nil {
			return token.ServiceAccount{}, fmt.Errorf("stored key %s of %s: %w", kid, email, err)
		}
		out.Keys[kid] = key
	}
	return out, nil
}
