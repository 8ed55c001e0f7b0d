package identity

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"regexp"

	"clave/server/account"
	"clave/server/fault"
	"clave/server/token"
)

// serviceItem is the kind of item under which service accounts are kept, by address, in a scope of no project.
const serviceItem = "service"

// services is the scope of service accounts, which are named without their project.
var services = account.Scope{}

// serviceAccount is a stored service account.
type serviceAccount struct {
	Project string `json:"project"`
	// Keys are public keys in PKCS #1 by key id.
	Keys map[string][]byte `json:"keys"`
}

// serviceName is what a service account may be called.
var serviceName = regexp.MustCompile(`^[a-z]([a-z0-9-]{4,28}[a-z0-9])$`)

// credential is a service account's JSON file, as Google's.
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

// CreateCredential makes a key for a service account of project, and the account itself when it is new. The JSON file
// that it returns is the only place where the private key is; tokenURI is where its holder asks for access tokens.
func (s *Service) CreateCredential(ctx context.Context, project, name, tokenURI string) ([]byte, error) {
	if !serviceName.MatchString(name) {
		return nil, fault.E(fault.InvalidArgument, "a service account's name has 6 to 30 small letters, digits and hyphens and begins with a letter: %q", name)
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
	email, kid := fmt.Sprintf("%s@%s.iam.gserviceaccount.com", name, project), token.KeyID(&key.PublicKey)
	err = s.editService(ctx, email, func(a *serviceAccount) error {
		a.Project = project
		a.Keys[kid] = x509.MarshalPKCS1PublicKey(&key.PublicKey)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(credential{
		Type: "service_account", ProjectID: project, PrivateKeyID: kid, PrivateKey: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		ClientEmail: email, ClientID: clientID.String(), AuthURI: "https://accounts.google.com/o/oauth2/auth", TokenURI: tokenURI, UniverseDomain: "googleapis.com",
	}, "", "  ")
}

// RevokeCredential removes a service account's key; access tokens that were given for it are worth nothing from now on.
func (s *Service) RevokeCredential(ctx context.Context, email, kid string) error {
	return s.editService(ctx, email, func(a *serviceAccount) error {
		if a.Keys[kid] == nil {
			return fault.E(fault.NotFound, "service account %s has no key %s", email, kid)
		}
		delete(a.Keys, kid)
		return nil
	})
}

// editService changes a stored service account.
func (s *Service) editService(ctx context.Context, email string, edit func(*serviceAccount) error) error {
	return s.accounts.Change(ctx, services, []string{email}, func(ch *account.Change) error {
		a := serviceAccount{Keys: make(map[string][]byte)}
		if _, err := ch.Load(serviceItem, email, &a); err != nil {
			return err
		}
		if err := edit(&a); err != nil {
			return err
		}
		return ch.Save(serviceItem, email, a)
	})
}

// ServiceAccount returns what is registered of a service account; token.Options.ServiceKeys takes it.
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
