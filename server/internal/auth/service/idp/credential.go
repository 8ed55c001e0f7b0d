package idp

// Credential is the credential of an identity provider as a client presents it: a token of the provider that the client
// has, or the provider's response to a sign-in that began with createAuthUri.
type Credential struct {
	// RequestURI is the URL to which the provider redirected. Without a redirect it is any URL of the client.
	RequestURI string
	// PostBody has the credential's fields, encoded as a form: providerId, and id_token, access_token, code or
	// SAMLResponse.
	PostBody string
	// PendingToken holds the credential of an earlier response; empty for a new credential.
	PendingToken string
	// SessionID is that of the answer of createAuthUri; empty without one.
	SessionID string
}
