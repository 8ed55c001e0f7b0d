package idp

// OpenItem is the kind of item of an account.Store that stores sign-ins which have begun at a provider.
const OpenItem = "idpopen"

// PendingItem is the kind of item of an account.Store that stores what providers asserted, for pending tokens.
const PendingItem = "idppending"

// Start is what a client wants when it begins a sign-in at a provider.
type Start struct {
	// ProviderID is the provider's id.
	ProviderID string
	// ContinueURI is the address to which the provider redirects. The caller has checked that it is the project's.
	ContinueURI string
	// SessionID is the secret to which the sign-in is bound; empty for a new one.
	SessionID string
	// Scopes are the scopes beside those that identify the user.
	Scopes []string
	// Parameters are further ones of the provider's page, such as login_hint.
	Parameters map[string]string
}

// Started is a sign-in that has begun.
type Started struct {
	// AuthURI is the address of the provider's page.
	AuthURI string
	// SessionID is the secret with which the client presents the provider's response.
	SessionID string
}
