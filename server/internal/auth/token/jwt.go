package token

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// maxToken is the maximum length of a token, which is also that of an HTTP header.
const maxToken = 64 << 10

// errMalformed is the error for a string that is not a JWT.
var errMalformed = errors.New("malformed token")

// errCritical is the error for a token with an extension that a recipient must understand.
var errCritical = errors.New("token with unknown critical extensions")

// header is a JWT's header.
type header struct {
	Alg string `json:"alg"`
	Kid string `json:"kid,omitempty"`
	Typ string `json:"typ,omitempty"`
	// Crit lists the extensions that a recipient must understand (RFC 7515, 4.1.11). No token of Clave or of Firebase has
	// any.
	Crit json.RawMessage `json:"crit,omitempty"`
}

// jwt is a parsed token whose signature has not been verified.
type jwt struct {
	header header
	claims map[string]any
	// signed is the signed part of the token. signature is empty for alg "none".
	signed    string
	signature []byte
}

// parseJWT parses a token. It verifies nothing. A token has one form: without it, whoever has a valid one could make
// any number of others that are valid too. Package base64 skips line ends and, unless it is strict, unused bits.
func parseJWT(raw string) (*jwt, error) {
	return parseParts(raw, base64.RawURLEncoding.Strict().DecodeString)
}

// parseForeign parses a token that a service account may have signed itself. Its parts may have the padding of base64,
// which RFC 7515 excludes: Google accepts the tokens of its Python library before 1.7, which pads them.
func parseForeign(raw string) (*jwt, error) {
	return parseParts(raw, func(part string) ([]byte, error) {
		if strings.HasSuffix(part, "=") {
			return base64.URLEncoding.Strict().DecodeString(part)
		}
		return base64.RawURLEncoding.Strict().DecodeString(part)
	})
}

// parseParts parses a token whose parts are decoded by a function.
func parseParts(raw string, decode func(part string) ([]byte, error)) (*jwt, error) {
	if len(raw) > maxToken || strings.Count(raw, ".") != 2 || strings.ContainsAny(raw, "\r\n") {
		return nil, errMalformed
	}
	last := strings.LastIndexByte(raw, '.')
	t := &jwt{signed: raw[:last]}
	first, second, _ := strings.Cut(t.signed, ".")
	head, err := decode(first)
	if err != nil {
		return nil, errMalformed
	}
	if err := json.Unmarshal(head, &t.header); err != nil {
		return nil, errMalformed
	}
	if t.header.Crit != nil {
		return nil, errCritical
	}
	body, err := decode(second)
	if err != nil {
		return nil, errMalformed
	}
	if t.claims, err = DecodeClaims(body); err != nil {
		return nil, errMalformed
	}
	if t.signature, err = decode(raw[last+1:]); err != nil {
		return nil, errMalformed
	}
	return t, nil
}

// DecodeClaims decodes a JSON object. Its numbers become int64 when they are written as integers and float64
// otherwise, because the rules language distinguishes the two.
func DecodeClaims(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var claims map[string]any
	if err := d.Decode(&claims); err != nil {
		return nil, err
	}
	if d.More() || claims == nil {
		return nil, errMalformed
	}
	for k, v := range claims {
		claims[k] = plainNumbers(v)
	}
	return claims, nil
}

// plainNumbers replaces the numbers in a decoded value by int64 and float64.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return math.Inf(1)
		}
		return f
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	}
	return v
}

// encode writes a token's first two parts.
func encode(h header, claims map[string]any) (string, error) {
	head, err := json.Marshal(h)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(body), nil
}

// signRS256 returns the token with a signature by key.
func signRS256(key *rsa.PrivateKey, kid string, claims map[string]any) (string, error) {
	signed, err := encode(header{Alg: "RS256", Kid: kid, Typ: "JWT"}, claims)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// unsignedToken returns the token with alg "none".
func unsignedToken(claims map[string]any) (string, error) {
	signed, err := encode(header{Alg: "none", Typ: "JWT"}, claims)
	return signed + ".", err
}

// signedBy reports whether the token has a valid RS256 signature by key. No other algorithm is supported.
func (t *jwt) signedBy(key *rsa.PublicKey) bool {
	if t.header.Alg != "RS256" {
		return false
	}
	digest := sha256.Sum256([]byte(t.signed))
	return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], t.signature) == nil
}

// text returns a claim that is a string, or empty.
func (t *jwt) text(name string) string {
	s, _ := t.claims[name].(string)
	return s
}

// word returns a claim that is a string, or a number as it is written. It returns false for no claim and for others.
func (t *jwt) word(name string) (string, bool) {
	switch v := t.claims[name].(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// seconds returns a claim that is a time in seconds. It returns false if the claim is missing, of another type, or out
// of range.
func (t *jwt) seconds(name string) (int64, bool) {
	switch n := t.claims[name].(type) {
	case int64:
		return n, true
	case float64:
		if n >= math.MinInt32 && n <= 1<<53 {
			return int64(n), true
		}
	}
	return 0, false
}

// jwtParts is the number of parts of a JWT.
const jwtParts = 3

// Unverified reads the claims of a JWT or of a plain JSON object. They are not verified.
func Unverified(raw string) (map[string]any, error) {
	if len(raw) > maxToken {
		return nil, errMalformed
	}
	if strings.HasPrefix(raw, "{") {
		return DecodeClaims([]byte(raw))
	}
	parts := strings.Split(raw, ".")
	if len(parts) != jwtParts {
		return nil, errMalformed
	}
	body, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return nil, errMalformed
	}
	return DecodeClaims(body)
}
