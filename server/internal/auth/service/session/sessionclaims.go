package session

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/token"
)

// Claims holds claims that belong to a session and not to its user: those of a custom token or of a blocking
// function. Integers stay integers when they are stored.
type Claims map[string]any

// UnmarshalJSON implements json.Unmarshaler.
func (c *Claims) UnmarshalJSON(text []byte) error {
	claims, err := token.DecodeClaims(text)
	*c = claims
	return err
}

// sessionClaims holds the claims of the sessions that a user began in one second. An ID token does not distinguish the
// claims of its session from those of its user, and the user's may have been removed since the token was minted. They
// are stored separately here, for tokens that are issued in exchange for an ID token.
type sessionClaims struct {
	UID      string   `json:"uid"`
	Tenant   string   `json:"tenant,omitempty"`
	AuthTime int64    `json:"authTime"`
	Claims   []Claims `json:"claims"`
}

// BegunItem is the kind of item that stores them, in the user's scope.
const BegunItem = "begun"

// begunID returns the id of the item of a user and a second.
func begunID(uid string, authTime int64) string {
	return uid + "\x00" + strconv.FormatInt(authTime, 10)
}

// NoteClaims stores a session's claims. The change must hold the user's lock.
func NoteClaims(ch *account.Change, ses *Session) error {
	if len(ses.Claims) == 0 {
		return nil
	}
	id := begunID(ses.UID, ses.AuthTime)
	b := sessionClaims{UID: ses.UID, Tenant: ses.Tenant, AuthTime: ses.AuthTime}
	if _, err := ch.Load(BegunItem, id, &b); err != nil {
		return err
	}
	if slices.ContainsFunc(b.Claims, func(old Claims) bool { return len(old) == len(ses.Claims) && includesAll(ses.Claims, old) }) {
		return nil
	}
	b.Claims = append(b.Claims, ses.Claims)
	return ch.Save(BegunItem, id, b)
}

// ofProfile lists the claims that a user's profile always overwrites.
var ofProfile = []string{"name", "picture", "email", "email_verified", "phone_number", "provider_id", "user_id"}

// includesAll reports whether a token's claims include all of a session's.
func includesAll(claims, of map[string]any) bool {
	for name, v := range of {
		if slices.Contains(ofProfile, name) {
			continue
		}
		want, err := json.Marshal(v)
		got, gotErr := json.Marshal(claims[name])
		if err != nil || gotErr != nil || !bytes.Equal(got, want) {
			return false
		}
	}
	return true
}

// Resume returns the session of a verified ID token, so that it can continue: the sign-in method, the second factor
// and the claims. If several sessions began in that second, it returns the one of which the token includes the most
// claims.
func Resume(accounts *account.Store, scope account.Scope, id token.ID) (Session, error) {
	ses := Session{UID: id.UID, Tenant: id.Tenant, Provider: id.Provider, AuthTime: id.AuthTime.Unix(), Epoch: id.Epoch}
	if inner, ok := id.Claims["firebase"].(map[string]any); ok {
		ses.Factor, _ = inner["second_factor_identifier"].(string)
		ses.FactorKind, _ = inner["sign_in_second_factor"].(string)
		ses.ProviderClaims, _ = inner["sign_in_attributes"].(map[string]any)
	}
	var b sessionClaims
	if _, err := accounts.Load(scope, BegunItem, begunID(id.UID, ses.AuthTime), &b); err != nil {
		return Session{}, err
	}
	for _, claims := range b.Claims {
		if len(claims) > len(ses.Claims) && includesAll(id.Claims, claims) {
			ses.Claims = claims
		}
	}
	return ses, nil
}
