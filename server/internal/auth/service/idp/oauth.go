package idp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"clave/server/internal/auth/service/apierror"
)

// oauthPrefix is the prefix of the ids of providers that speak OAuth 2 without OpenID Connect and have no name of their
// own. Firebase has none: their configurations are of the kind Default, with the object oauthConfig.
const oauthPrefix = "oauth."

// IsOAuth reports whether a provider's id is that of a generic one of OAuth 2.
func IsOAuth(id string) bool { return strings.HasPrefix(id, oauthPrefix) }

// OAuth is the object oauthConfig in the configuration of a generic provider of OAuth 2.
type OAuth struct {
	// AuthorizationURL is the provider's page, TokenURL its address that exchanges codes, and UserInfoURL the one that
	// answers who the user of an access token is, with a JSON object.
	AuthorizationURL string `json:"authorizationUrl"`
	TokenURL         string `json:"tokenUrl"`
	UserInfoURL      string `json:"userInfoUrl"`
	// IntrospectionURL says to which client an access token was issued (RFC 7662); empty if the provider has none.
	IntrospectionURL string `json:"introspectionUrl"`
	// Scopes are those of each sign-in.
	Scopes []string `json:"scopes"`
	// Members are the names of members of the answer of UserInfoURL. Points are between the names of nested ones. For
	// empty names the usual members are read.
	Members struct {
		ID            string `json:"id"`
		Email         string `json:"email"`
		EmailVerified string `json:"emailVerified"`
		Name          string `json:"name"`
		Picture       string `json:"picture"`
	} `json:"userInfoMembers"`
}

// Check refuses a configuration with which nobody could sign in.
func (o *OAuth) Check() error {
	const longest, most = 2048, 50
	for _, field := range []struct {
		name, value string
		required    bool
	}{
		{"authorizationUrl", o.AuthorizationURL, true}, {"tokenUrl", o.TokenURL, true}, {"userInfoUrl", o.UserInfoURL, true},
		{"introspectionUrl", o.IntrospectionURL, false},
	} {
		if field.value == "" {
			if field.required {
				return apierror.New("MISSING_CONFIG : oauthConfig.%s is required.", field.name)
			}
			continue
		}
		err := CheckPage(field.value)
		if err == nil && (len(field.value) > longest || strings.Contains(field.value, "#")) {
			err = fmt.Errorf("it has a fragment or is longer than %d bytes", longest)
		}
		if err != nil {
			return apierror.New("INVALID_CONFIG : oauthConfig.%s: %s.", field.name, err)
		}
	}
	if len(o.Scopes) > most {
		return apierror.New("INVALID_CONFIG : oauthConfig.scopes has more than %d scopes.", most)
	}
	for _, scope := range o.Scopes {
		if strings.ContainsFunc(scope, func(c rune) bool { return c <= ' ' || c == 0x7f }) || scope == "" || len(scope) > longest {
			return apierror.New("INVALID_CONFIG : oauthConfig.scopes has %.100q, which is no scope.", scope)
		}
	}
	return nil
}

// checkOAuth refuses the configuration of a generic provider of OAuth 2 with which nobody could sign in, and fields
// that would have no effect: a wrong name would be read as a missing one.
func checkOAuth(config map[string]any) error {
	if id, _ := config["clientId"].(string); id == "" {
		return apierror.New("MISSING_OAUTH_CLIENT_ID")
	}
	if secret := config["clientSecret"]; secret == nil || secret == "" {
		return apierror.New("MISSING_OAUTH_CLIENT_SECRET")
	}
	text, err := json.Marshal(config["oauthConfig"])
	if err != nil {
		return err
	}
	of := json.NewDecoder(bytes.NewReader(text))
	of.DisallowUnknownFields()
	var o OAuth
	if err := of.Decode(&o); err != nil {
		return apierror.New("INVALID_CONFIG : oauthConfig: %s.", strings.TrimPrefix(err.Error(), "json: "))
	}
	return o.Check()
}

// The members that are read of answers without names for them, the first one that an answer has.
var (
	idMembers       = []string{"sub", "id"}
	emailMembers    = []string{"email"}
	verifiedMembers = []string{"email_verified", "verified_email"}
	nameMembers     = []string{"name"}
	pictureMembers  = []string{"picture", "avatar_url"}
)

// Profile is what a provider's answer says about a user. A member that is not a text counts as missing.
type Profile struct{ ID, Email, Name, Picture string }

// Profile returns what an answer, whose integers are int64, says about its user. It returns an error unless the answer
// has an id, a text or a positive integer.
func (o *OAuth) Profile(answer map[string]any) (*Profile, error) {
	text := func(name string, usual []string) string {
		s, _ := member(answer, name, usual).(string)
		return s
	}
	out := &Profile{Email: text(o.Members.Email, emailMembers), Name: text(o.Members.Name, nameMembers), Picture: text(o.Members.Picture, pictureMembers)}
	switch id := member(answer, o.Members.ID, idMembers).(type) {
	case string:
		out.ID = id
	case int64:
		if id > 0 {
			out.ID = strconv.FormatInt(id, 10)
		}
	}
	if out.ID == "" {
		return nil, errors.New("the answer has no id of the user")
	}
	return out, nil
}

// Proves reports whether an answer says that its address is the user's.
func (o *OAuth) Proves(answer map[string]any) bool {
	return ClaimsTrue(member(answer, o.Members.EmailVerified, verifiedMembers))
}

// ClaimsTrue reports whether a claim is true. Some providers, such as Apple, send it as a string.
func ClaimsTrue(claim any) bool { return claim == true || claim == "true" }

// member returns the value of a member of an answer, or that of the first usual one without a name; nil if there is
// none.
func member(answer map[string]any, name string, usual []string) any {
	if name != "" {
		if value, ok := answer[name]; ok { // a name that contains points
			return value
		}
		return at(answer, strings.Split(name, ".")...)
	}
	for _, one := range usual {
		if value := answer[one]; value != nil {
			return value
		}
	}
	return nil
}
