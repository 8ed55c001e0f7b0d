package provider

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
)

// appleKey is the key with which a team authenticates its requests to Apple.
type appleKey struct {
	TeamID     string     `json:"teamId"`
	KeyID      string     `json:"keyId"`
	PrivateKey idp.Secret `json:"privateKey"`
	// privateKey is the key in plain text.
	privateKey string
}

// secret returns the client secret for a request to Apple: a token that the team signs.
func (k *appleKey) secret(client, issuer string, now time.Time) (string, error) {
	block, _ := pem.Decode([]byte(k.privateKey))
	if block == nil {
		return "", errors.New("the private key of apple.com is not in PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", errors.New("the private key of apple.com is not valid")
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return "", errors.New("the private key of apple.com is not one for ES256")
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: k.KeyID}}, nil)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{
		"iss": k.TeamID, "sub": client, "aud": issuer, "iat": now.Unix(), "exp": now.Add(maxSkew).Unix(),
	})
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

// addAppleName adds the name that Apple sends beside the ID token, when a user signs in for the first time. It is not
// signed, so it is only a name.
func addAppleName(claims map[string]any, user string) {
	var sent struct {
		Name struct {
			FirstName string `json:"firstName"`
			LastName  string `json:"lastName"`
		} `json:"name"`
	}
	if json.Unmarshal([]byte(user), &sent) != nil {
		return
	}
	if name := strings.TrimSpace(sent.Name.FirstName + " " + sent.Name.LastName); name != "" && claims["name"] == nil {
		claims["name"] = name
	}
}

// Revoke implements service.TokenRevoker, for Apple.
func (p *Providers) Revoke(ctx context.Context, scope account.Scope, provider, token, hint string) error {
	ctx, cancel := context.WithTimeout(ctx, p.o.TimeLimit)
	defer cancel()
	cfg, err := p.config(scope, provider)
	if err != nil {
		return err
	}
	if cfg.id != apple || !cfg.AppleSignInConfig.CodeFlowConfig.PrivateKey.Given {
		return apierror.New("OPERATION_NOT_ALLOWED : The identity provider configuration has no private key.")
	}
	if len(token) > longestToken {
		return notIssued()
	}
	secret, err := cfg.AppleSignInConfig.CodeFlowConfig.secret(cfg.ClientID, cfg.Issuer, p.o.Clock.Now())
	if err != nil {
		return p.unreachable(cfg, err)
	}
	form := url.Values{"client_id": {cfg.ClientID}, "client_secret": {secret}, "token": {token}, "token_type_hint": {hint}}
	_, err = p.post(ctx, cfg.Issuer+"/auth/revoke", "application/x-www-form-urlencoded", form.Encode(), nil)
	if errors.Is(err, errNotOurs) {
		return invalid("The provider did not revoke the token.")
	}
	if err != nil {
		return p.unreachable(cfg, err)
	}
	return nil
}
