// Package session has the sessions of users: what is stored for each, and the claims of the ID tokens that are issued
// for it.
package session

// Session is the record behind a refresh token. It is stored under the token's hash.
type Session struct {
	UID      string `json:"uid"`
	Tenant   string `json:"tenant,omitempty"`
	Provider string `json:"provider"`
	// Method is the sign-in method in events for blocking functions; empty if it is the provider.
	Method string `json:"method,omitempty"`
	// AuthTime is when the user signed in, in seconds.
	AuthTime int64 `json:"authTime"`
	// Epoch is the user's epoch at that moment.
	Epoch int64 `json:"epoch,omitempty"`
	// Claims are the claims of the custom token or a blocking function.
	Claims Claims `json:"claims,omitempty"`
	// ProviderClaims are the claims of an OIDC or SAML provider about the user.
	ProviderClaims Claims `json:"providerClaims,omitempty"`
	// Factor is the second factor, and FactorKind phone or totp.
	Factor     string `json:"factor,omitempty"`
	FactorKind string `json:"factorKind,omitempty"`
}

// Item is the kind of item that stores sessions, in the project's root scope.
const Item = "refresh"

// SignInMethod returns the sign-in method of a session, as blocking functions name it.
func (ses *Session) SignInMethod() string {
	if ses.Method != "" {
		return ses.Method
	}
	return ses.Provider
}
