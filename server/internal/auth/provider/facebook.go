package provider

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"golang.org/x/oauth2"

	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/token"
)

// facebookVersion is the version of Facebook's Graph API.
const facebookVersion = "/v23.0"

// facebookAPI returns the address of Facebook's Graph API.
func facebookAPI(site string) string {
	if site == issuers[facebook] {
		return "https://graph.facebook.com" + facebookVersion
	}
	return site + facebookVersion
}

// facebookIssuer returns the addresses of Facebook, whose ID tokens only its apps for iOS receive.
func facebookIssuer(cfg *config) *issuer {
	return &issuer{name: cfg.Issuer, endpoint: oauth2.Endpoint{
		AuthURL: cfg.Issuer + facebookVersion + "/dialog/oauth", TokenURL: facebookAPI(cfg.Issuer) + "/oauth/access_token", AuthStyle: oauth2.AuthStyleInParams,
	}}
}

// facebookToken returns whose access token an app presents. Facebook says whether it issued the token to the project's
// app: another app could present the tokens of its own users.
func (p *Providers) facebookToken(ctx context.Context, cfg *config, access string) (*idp.Assertion, error) {
	var issued struct {
		Data struct {
			AppID  string `json:"app_id"`
			Type   string `json:"type"`
			Valid  bool   `json:"is_valid"`
			UserID string `json:"user_id"`
		} `json:"data"`
	}
	query := url.Values{"input_token": {access}, "access_token": {cfg.ClientID + "|" + cfg.clientSecret}}
	if _, err := p.ask(ctx, cfg, facebookAPI(cfg.Issuer)+"/debug_token?"+query.Encode(), "", &issued); err != nil {
		return nil, err
	}
	if of := issued.Data; !of.Valid || of.AppID != cfg.ClientID || of.Type != "USER" || of.UserID == "" {
		return nil, notIssued()
	}
	// The proof shows that the server of the app, not somebody who has stolen the token, reads with it.
	proof := hmac.New(sha256.New, []byte(cfg.clientSecret))
	proof.Write([]byte(access))
	query = url.Values{"fields": {"id,name,first_name,last_name,email,picture"}, "appsecret_proof": {hex.EncodeToString(proof.Sum(nil))}}
	var user struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Email   string `json:"email"`
		Picture struct {
			Data struct {
				URL string `json:"url"`
			} `json:"data"`
		} `json:"picture"`
	}
	claims, err := p.ask(ctx, cfg, facebookAPI(cfg.Issuer)+"/me?"+query.Encode(), access, &user)
	if err != nil {
		return nil, err
	}
	if user.ID != issued.Data.UserID {
		return nil, invalid("The provider's answer is of another user.")
	}
	return assert(cfg, &idp.Profile{ID: user.ID, Email: user.Email, Name: user.Name, Picture: user.Picture.Data.URL}, claims, access)
}

// googleToken returns whose access token an app presents. Google says for which client it issued the token.
func (p *Providers) googleToken(ctx context.Context, cfg *config, access string) (*idp.Assertion, error) {
	at, err := p.discover(ctx, cfg)
	if err != nil {
		return nil, p.unreachable(cfg, err)
	}
	info := "https://oauth2.googleapis.com/tokeninfo"
	if cfg.Issuer != issuers[google] {
		info = cfg.Issuer + "/tokeninfo"
	}
	var issued struct {
		Audience string `json:"aud"`
		Party    string `json:"azp"`
		Subject  string `json:"sub"`
	}
	if _, err := p.ask(ctx, cfg, info+"?"+url.Values{"access_token": {access}}.Encode(), "", &issued); err != nil {
		return nil, err
	}
	if !cfg.ours(issued.Audience) || issued.Party != "" && !cfg.ours(issued.Party) || issued.Subject == "" {
		return nil, notIssued()
	}
	var user struct {
		Subject string `json:"sub"`
	}
	claims, err := p.ask(ctx, cfg, at.provider.UserInfoEndpoint(), access, &user)
	if err != nil {
		return nil, err
	}
	if user.Subject != issued.Subject {
		return nil, invalid("The provider's answer is of another user.")
	}
	a, err := assertion(cfg, claims)
	if err != nil {
		return nil, err
	}
	a.AccessToken = access
	return a, nil
}

// ask reads an object from a provider's API, with an access token if there is one, and returns its members too.
func (p *Providers) ask(ctx context.Context, cfg *config, address, access string, into any) (map[string]any, error) {
	text, err := p.get(ctx, address, access)
	if errors.Is(err, errNotOurs) {
		return nil, notIssued()
	}
	if err != nil {
		return nil, p.unreachable(cfg, err)
	}
	members, err := token.DecodeClaims(text)
	if err != nil || json.Unmarshal(text, into) != nil {
		return nil, invalid("The provider's answer is not valid.")
	}
	return members, nil
}

// get reads from a provider's API, with an access token if there is one.
func (p *Providers) get(ctx context.Context, address, access string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("the address of its API is not valid")
	}
	if access != "" {
		r.Header.Set("Authorization", "Bearer "+access)
	}
	return p.fetch(r)
}

// notIssued returns the error for an access token that the provider has not issued to the project.
func notIssued() error {
	return invalid("The access_token was not issued to the project's application.")
}
