package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"golang.org/x/oauth2"

	"clave/server/internal/auth/service/idp"
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

// gitHubToken returns whose access token an app presents. GitHub says whether it issued the token to the project's
// application: another application could present the tokens of its own users.
func (p *Providers) gitHubToken(ctx context.Context, cfg *config, access string) (*idp.Assertion, error) {
	body, err := json.Marshal(map[string]string{"access_token": access})
	if err != nil {
		return nil, err
	}
	address := gitHubAPI(cfg.Issuer) + "/applications/" + url.PathEscape(cfg.ClientID) + "/token"
	text, err := p.post(ctx, address, "application/json", string(body), url.UserPassword(cfg.ClientID, cfg.clientSecret))
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
	var user struct {
		ID     json.Number `json:"id"`
		Login  string      `json:"login"`
		Name   string      `json:"name"`
		Avatar string      `json:"avatar_url"`
		Email  string      `json:"email"`
	}
	claims, err := p.ask(ctx, cfg, gitHubAPI(cfg.Issuer)+"/user", access, &user)
	if err != nil {
		return nil, err
	}
	if user.ID == "0" {
		return nil, invalid("The provider's answer has no user.")
	}
	if user.Email == "" {
		if user.Email, err = p.gitHubAddress(ctx, cfg, access); err != nil {
			return nil, err
		}
	}
	a, err := assert(cfg, &idp.Profile{ID: user.ID.String(), Email: user.Email, Name: user.Name, Picture: user.Avatar}, claims, access)
	if err != nil {
		return nil, err
	}
	a.Provider.ScreenName = user.Login
	return a, nil
}

// gitHubAddress returns the user's primary address, which is not public, or nothing if the token does not show it.
func (p *Providers) gitHubAddress(ctx context.Context, cfg *config, access string) (string, error) {
	text, err := p.get(ctx, gitHubAPI(cfg.Issuer)+"/user/emails", access)
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
