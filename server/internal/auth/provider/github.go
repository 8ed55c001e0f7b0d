package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/token"
)

// errNotOurs is the error for an access token that a provider has not issued to the project's application.
var errNotOurs = errors.New("the access token is not one of the project's application")

// gitHubAPI returns the address of GitHub's API: that of github.com, or of a server of GitHub Enterprise.
func gitHubAPI(site string) string {
	if site == issuers[github] {
		return "https://api.github.com"
	}
	return site + "/api/v3"
}

// gitHubIssuer returns the addresses of GitHub, which has no discovery and no ID tokens.
func gitHubIssuer(cfg *config) *issuer {
	return &issuer{name: cfg.Issuer, endpoint: oauth2.Endpoint{
		AuthURL: cfg.Issuer + "/login/oauth/authorize", TokenURL: cfg.Issuer + "/login/oauth/access_token", AuthStyle: oauth2.AuthStyleInParams,
	}}
}

// gitHubResponse returns who signed in at GitHub, by the code of its response.
func (p *Providers) gitHubResponse(ctx context.Context, cfg *config, open *openSignIn, code string) (*idp.Assertion, error) {
	tokens, err := p.exchange(ctx, cfg, cfg.client(gitHubIssuer(cfg), open.Redirect, nil), open, code)
	if err != nil {
		return nil, err
	}
	a, err := p.gitHubUser(ctx, cfg, tokens.AccessToken)
	if err != nil {
		return nil, err
	}
	addRefresh(a, tokens)
	return a, nil
}

// gitHubToken returns whose access token an app presents. GitHub says whether it issued the token to the project's
// application: another application could present the tokens of its own users.
func (p *Providers) gitHubToken(ctx context.Context, cfg *config, access string) (*idp.Assertion, error) {
	body, err := json.Marshal(map[string]string{"access_token": access})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, gitHubAPI(cfg.Issuer)+"/applications/"+url.PathEscape(cfg.ClientID)+"/token", bytes.NewReader(body))
	if err != nil {
		return nil, p.unreachable(cfg, err)
	}
	r.SetBasicAuth(cfg.ClientID, cfg.clientSecret)
	text, err := p.fetch(r)
	if errors.Is(err, errNotOurs) {
		return nil, notIssued()
	}
	if err != nil {
		return nil, p.unreachable(cfg, err)
	}
	var issued struct {
		App struct {
			ClientID string `json:"client_id"`
		} `json:"app"`
	}
	if json.Unmarshal(text, &issued) != nil || issued.App.ClientID != cfg.ClientID {
		return nil, notIssued()
	}
	return p.gitHubUser(ctx, cfg, access)
}

// gitHubUser returns the user of an access token that is the project's. As in Firebase, GitHub does not prove
// addresses.
func (p *Providers) gitHubUser(ctx context.Context, cfg *config, access string) (*idp.Assertion, error) {
	text, err := p.gitHubGet(ctx, cfg, "/user", access)
	if err != nil {
		return nil, p.unreachable(cfg, err)
	}
	claims, err := token.DecodeClaims(text)
	if err != nil {
		return nil, invalid("The provider's answer is not valid.")
	}
	var user struct {
		ID     json.Number `json:"id"`
		Login  string      `json:"login"`
		Name   string      `json:"name"`
		Avatar string      `json:"avatar_url"`
		Email  string      `json:"email"`
	}
	if json.Unmarshal(text, &user) != nil || user.ID == "" || user.ID == "0" || !field.ValidProvider(cfg.id, user.ID.String()) {
		return nil, invalid("The provider's answer has no user.")
	}
	if user.Email == "" {
		if user.Email, err = p.gitHubAddress(ctx, cfg, access); err != nil {
			return nil, err
		}
	}
	a := &idp.Assertion{Source: cfg.source(), Claims: claims, AccessToken: access, Provider: account.Provider{
		ProviderID: cfg.id, RawID: user.ID.String(), DisplayName: user.Name, PhotoURL: user.Avatar, ScreenName: user.Login,
	}}
	if email, ok := field.Email(user.Email); ok {
		a.Provider.Email, a.Address = email, user.Email
	}
	return a, nil
}

// gitHubAddress returns the user's primary address, which is not public, or nothing if the token does not show it.
func (p *Providers) gitHubAddress(ctx context.Context, cfg *config, access string) (string, error) {
	text, err := p.gitHubGet(ctx, cfg, "/user/emails", access)
	if errors.Is(err, errNotOurs) {
		return "", nil
	}
	if err != nil {
		return "", p.unreachable(cfg, err)
	}
	var list []struct {
		Email    string `json:"email"`
		Primary  bool   `json:"primary"`
		Verified bool   `json:"verified"`
	}
	if json.Unmarshal(text, &list) != nil {
		return "", invalid("The provider's answer is not valid.")
	}
	for _, one := range list {
		if one.Primary && one.Verified {
			return one.Email, nil
		}
	}
	return "", nil
}

// gitHubGet reads from GitHub's API with an access token.
func (p *Providers) gitHubGet(ctx context.Context, cfg *config, path, access string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, gitHubAPI(cfg.Issuer)+path, nil)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(access, "\r\n") {
		return nil, errNotOurs
	}
	r.Header.Set("Authorization", "Bearer "+access)
	return p.fetch(r)
}

// refusals are the statuses with which providers answer requests with tokens that they have not issued, or not to the
// project.
var refusals = []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity}

// fetch sends a request and returns the body of its answer. It returns errNotOurs if the server knows no such token.
func (p *Providers) fetch(r *http.Request) ([]byte, error) {
	r.Header.Set("Accept", "application/json")
	res, err := p.client.Do(r)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err // without the address, which may contain a token
		}
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return nil, err
	case slices.Contains(refusals, res.StatusCode):
		return nil, errNotOurs
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the provider answered %d", res.StatusCode)
	}
	return text, nil
}
