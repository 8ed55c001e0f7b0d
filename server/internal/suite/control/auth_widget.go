package control

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"unicode"
	"unicode/utf8"

	"clave/server/internal/auth/api"
	"clave/server/internal/auth/service"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/httpjson"
)

// The pages that web SDKs open for signInWithPopup and signInWithRedirect: the handler, in which a person picks or
// makes up an account of a provider, and the frame, which passes the result to the page. Browser tests drive the
// handler by the ids, classes, labels and title of the official emulator's.
//
//go:embed auth_handler.html
var handlerHTML string

// handlerPage is the handler. Its HTML has the accounts of the project: browser tests choose one as soon as the page is
// loaded.
var handlerPage = template.Must(template.New("handler").Parse(handlerHTML))

// handlerPage serves the handler.
func (h *accounts) handlerPage(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("apiKey") == "" || q.Get("providerId") == "" {
		httpjson.Write(w, http.StatusBadRequest, map[string]any{"authEmulator": map[string]any{"error": "missing apiKey or providerId query parameters"}})
		return
	}
	pageHeaders(w)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	page := handlerData{Name: shownProvider(q.Get("providerId"))}
	var err error
	if page.Accounts, err = h.known(r.Context(), cmp.Or(q.Get("tid"), q.Get("tenantId")), q.Get("providerId")); err != nil {
		page.Problem = "The existing accounts cannot be shown: " + fault.FromError(err).Message
	}
	_ = handlerPage.Execute(w, page) // It fails only when the client has disconnected.
}

// handlerData is what the handler shows.
type handlerData struct {
	// Name is the provider's name.
	Name string
	// Accounts are the accounts of the provider, and Problem is why they are not all there.
	Accounts []knownAccount
	Problem  string
}

// knownAccount is an account of a provider that signed in before.
type knownAccount struct {
	Name, Email string
	// Claims are those of an ID token for the account, in JSON.
	Claims string
}

// knownClaims are the claims of an ID token for a known account.
type knownClaims struct {
	Subject       string  `json:"sub"`
	Email         string  `json:"email,omitempty"`
	EmailVerified bool    `json:"email_verified"`
	Name          *string `json:"name,omitempty"`
	ScreenName    string  `json:"screen_name,omitempty"`
	Picture       *string `json:"picture,omitempty"`
}

// maxKnown is the maximum number of accounts that the handler shows.
const maxKnown = 500

// known returns the accounts of a provider in a tenant of the project, or without one.
func (h *accounts) known(ctx context.Context, tenant, provider string) (list []knownAccount, err error) {
	call := service.Call{Project: h.service.Project(), Tenant: tenant, Admin: true}
	most, after := int64(1000), ""
	for {
		page, err := h.service.BatchGet(ctx, call, &service.BatchGetRequest{MaxResults: &most, NextPageToken: &after})
		if err != nil {
			return list, err
		}
		for _, user := range page.Users {
			for _, info := range user.ProviderUserInfo {
				if info.ProviderID != provider {
					continue
				}
				claims, err := json.Marshal(knownClaims{info.RawID, info.Email, true, info.DisplayName, info.ScreenName, info.PhotoURL})
				if err != nil {
					return list, err
				}
				one := knownAccount{Email: info.Email, Claims: string(claims)}
				if info.DisplayName != nil {
					one.Name = *info.DisplayName
				}
				if list = append(list, one); len(list) == maxKnown {
					return list, nil
				}
			}
		}
		if after = page.NextPageToken; after == "" {
			return list, nil
		}
	}
}

// framePage serves the frame, which is the same in production.
func framePage(w http.ResponseWriter, _ *http.Request) { api.WriteFrame(w) }

// shownProvider returns a provider's id as the page shows it: google.com as Google.com.
func shownProvider(id string) string {
	r, size := utf8.DecodeRuneInString(id)
	return string(unicode.ToUpper(r)) + id[size:]
}

// pageHeaders are the headers of the handler.
func pageHeaders(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
}
