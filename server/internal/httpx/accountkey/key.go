// Package accountkey reads keys of service accounts, and gets access tokens for them as Google's libraries do (RFC
// 7523).
package accountkey

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/loopback"
)

// TokenPath is the path of the token endpoint of a server, with which the token_uri of its keys ends.
const TokenPath = "/oauth2.googleapis.com/token"

// scope is the OAuth2 scope of the tokens.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// Key is the key of a service account, as clave credentials create and Google write it.
type Key struct {
	// Project is the id of the project, and Email the account's address.
	Project, Email string
	id, tokenURI   string
	private        *rsa.PrivateKey
}

// Read reads the file of a key. Its errors do not have the file's content.
func Read(name string) (*Key, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "cannot read the key: %v", err)
	}
	k, err := parseKey(text)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "%s is not the key of a service account: %v", name, err)
	}
	return k, nil
}

// parseKey parses the file of a key.
func parseKey(text []byte) (*Key, error) {
	var in struct {
		Type     string `json:"type"`
		Project  string `json:"project_id"`
		ID       string `json:"private_key_id"`
		Private  string `json:"private_key"`
		Email    string `json:"client_email"`
		TokenURI string `json:"token_uri"`
	}
	if json.Unmarshal(text, &in) != nil {
		return nil, errors.New("it is not JSON")
	}
	block, _ := pem.Decode([]byte(in.Private))
	if in.Type != "service_account" || in.Project == "" || in.Email == "" || block == nil {
		return nil, errors.New("type, project_id, client_email or private_key is missing")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	private, ok := parsed.(*rsa.PrivateKey)
	if err != nil || !ok {
		return nil, errors.New("private_key is not an RSA key in PKCS #8")
	}
	return &Key{Project: in.Project, Email: in.Email, id: in.ID, tokenURI: in.TokenURI, private: private}, nil
}

// Origin returns the public origin of the server for which the key was created.
func (k *Key) Origin() (string, error) {
	origin, ok := strings.CutSuffix(k.tokenURI, TokenPath)
	u, err := url.Parse(origin)
	if !ok || err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", fault.E(fault.FailedPrecondition, "the key is not one of clave credentials create: its token_uri is %q", k.tokenURI)
	}
	return origin, Secure(u)
}

// CheckTokens returns an error for a key whose access tokens would come in the clear from another machine.
func (k *Key) CheckTokens() error {
	u, err := url.Parse(k.tokenURI)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fault.E(fault.InvalidArgument, "the key's token_uri is not a URL: %q", k.tokenURI)
	}
	return Secure(u)
}

// Secure returns an error for a URL at which tokens would be sent in the clear to another machine.
func Secure(u *url.URL) error {
	if u.Scheme == "http" && !loopback.Is(u.Hostname()) {
		return fault.E(fault.InvalidArgument, "%s would receive tokens in the clear. Use https, or a port of this machine (ssh -L 4001:127.0.0.1:4001)", u)
	}
	return nil
}

// assertion returns a JWT with which the key's holder requests an access token (RFC 7523).
func (k *Key) assertion(now time.Time) (string, error) {
	header, err := json.Marshal(map[string]string{"alg": "RS256", "typ": "JWT", "kid": k.id})
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{"iss": k.Email, "aud": k.tokenURI, "scope": scope, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()})
	if err != nil {
		return "", err
	}
	signed := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, k.private, crypto.SHA256, sum[:])
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), err
}

// Tokens gets access tokens for a key. It is safe for concurrent use.
type Tokens struct {
	key    *Key
	client *http.Client
	clock  clock.Clock
	mu     struct {
		sync.Mutex
		token   string
		expires time.Time
	}
}

// NewTokens returns the tokens of a key.
func NewTokens(key *Key, client *http.Client, c clock.Clock) *Tokens {
	return &Tokens{key: key, client: client, clock: c}
}

// Email returns the address of the account.
func (t *Tokens) Email() string { return t.key.Email }

// early is how long before its end a token is replaced, and maxResponse the maximum size of a response with a token.
const (
	early       = 5 * time.Minute
	maxResponse = 64 << 10
)

// Get returns an access token that is valid for some minutes at least.
func (t *Tokens) Get(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock.Now()
	if t.mu.token != "" && now.Before(t.mu.expires.Add(-early)) {
		return t.mu.token, nil
	}
	token, life, err := t.request(ctx, now)
	if err != nil {
		return "", err
	}
	t.mu.token, t.mu.expires = token, now.Add(life)
	return token, nil
}

// request requests an access token at the endpoint that the key names.
func (t *Tokens) request(ctx context.Context, now time.Time) (token string, life time.Duration, err error) {
	assertion, err := t.key.assertion(now)
	if err != nil {
		return "", 0, err
	}
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.key.tokenURI, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, fault.Wrap(err, fault.InvalidArgument, "the key's token_uri is not a URL: %v", err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := t.client.Do(r)
	if err != nil {
		return "", 0, fault.Wrap(err, fault.Unavailable, "cannot get an access token: %v", err)
	}
	defer func() { _ = res.Body.Close() }() // a read
	text, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	var out struct {
		Token   string `json:"access_token"`
		Expires int64  `json:"expires_in"`
		Text    string `json:"error_description"`
	}
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if res.StatusCode >= http.StatusInternalServerError || res.StatusCode == http.StatusTooManyRequests {
		return "", 0, fault.E(fault.Unavailable, "%s gives no access token at present: %s", t.key.tokenURI, res.Status)
	}
	if err != nil || res.StatusCode != http.StatusOK || out.Token == "" {
		return "", 0, fault.Wrap(err, fault.Unauthenticated, "%s gives no access token for the key of %s: %s %s", t.key.tokenURI, t.key.Email, res.Status, out.Text)
	}
	return out.Token, time.Duration(out.Expires) * time.Second, nil
}
