package session

import (
	"maps"
	"slices"
	"unicode/utf8"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/token"
)

// maxAttributes is the maximum length of custom attributes, in characters.
const maxAttributes = 1000

// reserved lists the claims that custom claims must not contain.
var reserved = []string{
	"acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat", "iss", "jti", "nbf", "nonce", "sub",
}

// CheckAttributes checks custom attributes, a JSON object as text.
func CheckAttributes(text string) error {
	if utf8.RuneCountInString(text) > maxAttributes {
		return apierror.New("CLAIMS_TOO_LARGE")
	}
	if text == "" {
		return nil
	}
	claims, err := token.DecodeClaims([]byte(text))
	if err != nil {
		return apierror.New("INVALID_CLAIMS")
	}
	return CheckReserved(claims)
}

// CheckReserved refuses reserved claims: it returns FORBIDDEN_CLAIM with the first of them in the order of names.
func CheckReserved(claims map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(claims)) {
		if slices.Contains(reserved, name) {
			return apierror.New("FORBIDDEN_CLAIM : %s", name)
		}
	}
	return nil
}

// Attributes returns a user's custom attributes as claims.
func Attributes(u *account.User) map[string]any {
	if u.Attributes == nil || *u.Attributes == "" {
		return nil
	}
	claims, err := token.DecodeClaims([]byte(*u.Attributes))
	if err != nil {
		return nil // CheckAttributes has checked it
	}
	return claims
}

// IDClaims returns the claims of an ID token for a session.
func IDClaims(u *account.User, ses *Session) map[string]any {
	claims := make(map[string]any)
	maps.Copy(claims, Attributes(u))
	maps.Copy(claims, ses.Claims)
	set := func(name, value string) {
		if value != "" {
			claims[name] = value
		}
	}
	set("name", u.Name())
	set("picture", u.Photo())
	set("email", u.Email)
	set("phone_number", u.Phone)
	if u.Email != "" || u.EmailVerified {
		claims["email_verified"] = u.EmailVerified
	}
	if ses.Provider == "anonymous" {
		claims["provider_id"] = "anonymous"
	}
	claims["auth_time"] = ses.AuthTime
	firebase := map[string]any{"identities": identities(u), "sign_in_provider": ses.Provider}
	if ses.Factor != "" {
		firebase["sign_in_second_factor"] = ses.FactorKind
		firebase["second_factor_identifier"] = ses.Factor
	}
	if ses.Tenant != "" {
		firebase["tenant"] = ses.Tenant
	}
	if ses.Epoch > 0 && ses.AuthTime == u.Since() {
		firebase["session_epoch"] = ses.Epoch // two sessions may begin in the same second
	}
	if len(ses.ProviderClaims) > 0 {
		firebase["sign_in_attributes"] = ses.ProviderClaims
	}
	claims["firebase"] = firebase
	return claims
}

// identities returns a user's identifiers by provider.
func identities(u *account.User) map[string]any {
	ids := make(map[string]any)
	for _, p := range u.Providers {
		list, _ := ids[p.ProviderID].([]string)
		ids[p.ProviderID] = append(list, p.RawID)
	}
	if u.Phone != "" {
		ids["phone"] = []string{u.Phone}
	}
	if u.Email != "" {
		ids["email"] = []string{u.Email}
	}
	return ids
}
