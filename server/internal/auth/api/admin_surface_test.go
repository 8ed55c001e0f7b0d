package api_test

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"firebase.google.com/go/v4/auth"
	"firebase.google.com/go/v4/errorutils"
)

// accounts holds the methods that auth.Client and auth.TenantClient have in common.
type accounts interface {
	CreateUser(context.Context, *auth.UserToCreate) (*auth.UserRecord, error)
	GetUser(context.Context, string) (*auth.UserRecord, error)
	GetUserByEmail(context.Context, string) (*auth.UserRecord, error)
	GetUserByPhoneNumber(context.Context, string) (*auth.UserRecord, error)
	GetUserByProviderID(context.Context, string, string) (*auth.UserRecord, error)
	GetUserByProviderUID(context.Context, string, string) (*auth.UserRecord, error)
	GetUsers(context.Context, []auth.UserIdentifier) (*auth.GetUsersResult, error)
	UpdateUser(context.Context, string, *auth.UserToUpdate) (*auth.UserRecord, error)
	DeleteUser(context.Context, string) error
	DeleteUsers(context.Context, []string) (*auth.DeleteUsersResult, error)
	ImportUsers(context.Context, []*auth.UserToImport, ...auth.UserImportOption) (*auth.UserImportResult, error)
	QueryUsers(context.Context, *auth.QueryUsersRequest) (*auth.QueryUserInfoResponse, error)
	Users(context.Context, string) *auth.UserIterator
	SetCustomUserClaims(context.Context, string, map[string]any) error
	RevokeRefreshTokens(context.Context, string) error
	CustomToken(context.Context, string) (string, error)
	CustomTokenWithClaims(context.Context, string, map[string]any) (string, error)
	VerifyIDToken(context.Context, string) (*auth.Token, error)
	VerifyIDTokenAndCheckRevoked(context.Context, string) (*auth.Token, error)
	EmailSignInLink(context.Context, string, *auth.ActionCodeSettings) (string, error)
	EmailVerificationLink(context.Context, string) (string, error)
	EmailVerificationLinkWithSettings(context.Context, string, *auth.ActionCodeSettings) (string, error)
	PasswordResetLink(context.Context, string) (string, error)
	PasswordResetLinkWithSettings(context.Context, string, *auth.ActionCodeSettings) (string, error)
	OIDCProviderConfig(context.Context, string) (*auth.OIDCProviderConfig, error)
	CreateOIDCProviderConfig(context.Context, *auth.OIDCProviderConfigToCreate) (*auth.OIDCProviderConfig, error)
	UpdateOIDCProviderConfig(context.Context, string, *auth.OIDCProviderConfigToUpdate) (*auth.OIDCProviderConfig, error)
	DeleteOIDCProviderConfig(context.Context, string) error
	OIDCProviderConfigs(context.Context, string) *auth.OIDCProviderConfigIterator
	SAMLProviderConfig(context.Context, string) (*auth.SAMLProviderConfig, error)
	CreateSAMLProviderConfig(context.Context, *auth.SAMLProviderConfigToCreate) (*auth.SAMLProviderConfig, error)
	UpdateSAMLProviderConfig(context.Context, string, *auth.SAMLProviderConfigToUpdate) (*auth.SAMLProviderConfig, error)
	DeleteSAMLProviderConfig(context.Context, string) error
	SAMLProviderConfigs(context.Context, string) *auth.SAMLProviderConfigIterator
	GetProjectConfig(context.Context) (*auth.ProjectConfig, error)
	UpdateProjectConfig(context.Context, *auth.ProjectConfigToUpdate) (*auth.ProjectConfig, error)
}

// bench has what a trial of a method needs: a new user, and the clients of the project or of a tenant.
type bench struct {
	*testing.T
	w      *fixture
	all    *auth.Client
	c      accounts
	tenant string
	uid    string
	email  string
	// production is set for a server that shows no secrets.
	production bool
}

// good fails the test unless a call succeeded and its result is correct.
func (b *bench) good(err error, as bool, got any) {
	b.Helper()
	if err != nil || !as {
		b.Errorf("%+v, %v", got, err)
	}
}

// signIn signs the bench's user in by a custom token and returns the answer.
func (b *bench) signIn(custom string) object {
	b.Helper()
	body := object{"token": custom, "returnSecureToken": true}
	if b.tenant != "" {
		body["tenantId"] = b.tenant
	}
	return b.w.must(b.w.client("signInWithCustomToken", body))
}

// idToken signs the bench's user in and returns its ID token.
func (b *bench) idToken() string {
	b.Helper()
	custom, err := b.c.CustomToken(b.Context(), b.uid)
	if err != nil {
		b.Fatal(err)
	}
	return str(b.signIn(custom), "idToken")
}

// surface has a trial of each method, by its name.
var surface = map[string]func(b *bench){
	"CreateUser": func(b *bench) {
		u, err := b.c.CreateUser(b.Context(), (&auth.UserToCreate{}).UID(b.uid+"-2").DisplayName("Two"))
		b.good(err, err == nil && u.DisplayName == "Two" && u.TenantID == b.tenant, u)
	},
	"GetUser": func(b *bench) {
		u, err := b.c.GetUser(b.Context(), b.uid)
		b.good(err, err == nil && u.Email == b.email && u.TenantID == b.tenant, u)
	},
	"GetUserByEmail": func(b *bench) {
		u, err := b.c.GetUserByEmail(b.Context(), strings.ToUpper(b.email))
		b.good(err, err == nil && u.UID == b.uid, u)
	},
	"GetUserByPhoneNumber": func(b *bench) {
		_, err := b.c.UpdateUser(b.Context(), b.uid, (&auth.UserToUpdate{}).PhoneNumber("+18095550170"))
		b.good(err, true, nil)
		u, err := b.c.GetUserByPhoneNumber(b.Context(), "+18095550170")
		b.good(err, err == nil && u.UID == b.uid, u)
	},
	"GetUserByProviderID":  func(b *bench) { byProvider(b, b.c.GetUserByProviderID) },
	"GetUserByProviderUID": func(b *bench) { byProvider(b, b.c.GetUserByProviderUID) },
	"GetUsers": func(b *bench) {
		r, err := b.c.GetUsers(b.Context(), []auth.UserIdentifier{auth.EmailIdentifier{Email: b.email}, auth.PhoneIdentifier{PhoneNumber: "+18095550199"}})
		b.good(err, err == nil && len(r.Users) == 1 && len(r.NotFound) == 1, r)
	},
	"UpdateUser": func(b *bench) {
		u, err := b.c.UpdateUser(b.Context(), b.uid, (&auth.UserToUpdate{}).DisplayName("Uno").PhotoURL("https://p.example/1").Disabled(true))
		b.good(err, err == nil && u.DisplayName == "Uno" && u.PhotoURL == "https://p.example/1" && u.Disabled, u)
	},
	"DeleteUser": func(b *bench) {
		b.good(b.c.DeleteUser(b.Context(), b.uid), true, nil)
		if _, err := b.c.GetUser(b.Context(), b.uid); !auth.IsUserNotFound(err) {
			b.Errorf("GetUser after DeleteUser: %v", err)
		}
	},
	"DeleteUsers": func(b *bench) {
		r, err := b.c.DeleteUsers(b.Context(), []string{b.uid, "nobody"})
		b.good(err, err == nil && r.SuccessCount == 2, r)
	},
	"ImportUsers": func(b *bench) {
		r, err := b.c.ImportUsers(b.Context(), []*auth.UserToImport{(&auth.UserToImport{}).UID(b.uid + "-in").Email("in-" + b.email), (&auth.UserToImport{}).UID(b.uid + "-bad").PhoneNumber("+1")})
		b.good(err, err == nil && r.SuccessCount == 1 && r.FailureCount == 1 && r.Errors[0].Index == 1, r)
		u, err := b.c.GetUser(b.Context(), b.uid+"-in")
		b.good(err, err == nil && u.TenantID == b.tenant, u)
	},
	"QueryUsers": func(b *bench) {
		r, err := b.c.QueryUsers(b.Context(), &auth.QueryUsersRequest{Expression: []*auth.Expression{{Email: b.email}}})
		b.good(err, err == nil && r.Count == 1 && r.Users[0].UID == b.uid, r)
	},
	"Users": func(b *bench) {
		for it := b.c.Users(b.Context(), ""); ; {
			u, err := it.Next()
			if err != nil {
				b.Fatalf("%s is not listed: %v", b.uid, err)
			}
			if u.UID == b.uid {
				return
			}
		}
	},
	"SetCustomUserClaims": func(b *bench) {
		b.good(b.c.SetCustomUserClaims(b.Context(), b.uid, map[string]any{"role": "editor"}), true, nil)
		if c := claimsOf(b, b.idToken()); c["role"] != "editor" {
			b.Errorf("claims = %v", c)
		}
		b.good(b.c.SetCustomUserClaims(b.Context(), b.uid, nil), true, nil)
		if c := claimsOf(b, b.idToken()); c["role"] != nil {
			b.Errorf("claims after they were taken away = %v", c)
		}
	},
	"RevokeRefreshTokens": func(b *bench) {
		before := time.Now().Unix() * 1000
		b.good(b.c.RevokeRefreshTokens(b.Context(), b.uid), true, nil)
		u, err := b.c.GetUser(b.Context(), b.uid)
		b.good(err, err == nil && u.TokensValidAfterMillis >= before, u)
	},
	"CustomToken": func(b *bench) {
		c := claimsOf(b, b.idToken())
		if c["sub"] != b.uid || c["firebase"].(object)["sign_in_provider"] != "custom" {
			b.Errorf("claims = %v", c)
		}
	},
	"CustomTokenWithClaims": func(b *bench) {
		custom, err := b.c.CustomTokenWithClaims(b.Context(), b.uid, map[string]any{"level": 3})
		b.good(err, true, nil)
		if c := claimsOf(b, str(b.signIn(custom), "idToken")); c["level"] != 3.0 {
			b.Errorf("claims = %v", c)
		}
	},
	"VerifyIDToken": func(b *bench) {
		id, err := b.c.VerifyIDToken(b.Context(), b.idToken())
		b.good(err, err == nil && id.UID == b.uid && id.Firebase.Tenant == b.tenant, id)
		if b.tenant != "" {
			outside := b.w.signUp("outside-"+b.email, "secret1")
			if _, err := b.c.VerifyIDToken(b.Context(), str(outside, "idToken")); !auth.IsTenantIDMismatch(err) {
				b.Errorf("the token of a user outside the tenant: %v", err)
			}
		}
	},
	"VerifyIDTokenAndCheckRevoked": func(b *bench) {
		raw := b.idToken()
		id, err := b.c.VerifyIDTokenAndCheckRevoked(b.Context(), raw)
		b.good(err, err == nil && id.UID == b.uid, id)
		_, err = b.c.UpdateUser(b.Context(), b.uid, (&auth.UserToUpdate{}).Disabled(true))
		b.good(err, true, nil)
		if _, err := b.c.VerifyIDTokenAndCheckRevoked(b.Context(), raw); !auth.IsUserDisabled(err) {
			b.Errorf("the token of a disabled user: %v", err)
		}
	},
	"EmailSignInLink": func(b *bench) {
		link, err := b.c.EmailSignInLink(b.Context(), b.email, &auth.ActionCodeSettings{URL: b.w.here() + "/in", HandleCodeInApp: true})
		b.good(err, linkIs(b, link, "signIn", b.w.here()+"/in"), link)
		in := b.w.must(b.w.client("signInWithEmailLink", b.within(object{"email": b.email, "oobCode": queryOf(b, link, "oobCode")})))
		if in["localId"] != b.uid {
			b.Errorf("the link signs in %v, want %s", in["localId"], b.uid)
		}
	},
	"EmailVerificationLink": func(b *bench) {
		link, err := b.c.EmailVerificationLink(b.Context(), b.email)
		b.good(err, linkIs(b, link, "verifyEmail", ""), link)
		b.w.must(b.w.client("update", b.within(object{"oobCode": queryOf(b, link, "oobCode")})))
		u, err := b.c.GetUser(b.Context(), b.uid)
		b.good(err, err == nil && u.EmailVerified, u)
	},
	"EmailVerificationLinkWithSettings": func(b *bench) {
		link, err := b.c.EmailVerificationLinkWithSettings(b.Context(), b.email, &auth.ActionCodeSettings{URL: b.w.here()})
		b.good(err, linkIs(b, link, "verifyEmail", b.w.here()), link)
	},
	"PasswordResetLink": func(b *bench) {
		link, err := b.c.PasswordResetLink(b.Context(), b.email)
		b.good(err, linkIs(b, link, "resetPassword", ""), link)
		b.w.must(b.w.client("resetPassword", b.within(object{"oobCode": queryOf(b, link, "oobCode"), "newPassword": "secret2"})))
		b.w.must(b.w.client("signInWithPassword", b.within(object{"email": b.email, "password": "secret2"})))
	},
	"PasswordResetLinkWithSettings": func(b *bench) {
		link, err := b.c.PasswordResetLinkWithSettings(b.Context(), b.email, &auth.ActionCodeSettings{URL: b.w.here()})
		b.good(err, linkIs(b, link, "resetPassword", b.w.here()), link)
	},
	"CreateOIDCProviderConfig": oidc, "OIDCProviderConfig": oidc, "UpdateOIDCProviderConfig": oidc, "DeleteOIDCProviderConfig": oidc, "OIDCProviderConfigs": oidc,
	"CreateSAMLProviderConfig": saml, "SAMLProviderConfig": saml, "UpdateSAMLProviderConfig": saml, "DeleteSAMLProviderConfig": saml, "SAMLProviderConfigs": saml,
	"GetProjectConfig": func(b *bench) {
		got, err := b.c.GetProjectConfig(b.Context())
		if b.tenant != "" { // the SDK requests …/tenants/T/config, which the API does not have
			b.good(nil, errorutils.IsNotFound(err), err)
			return
		}
		b.good(err, err == nil, got)
	},
	"UpdateProjectConfig": func(b *bench) {
		settings := auth.MultiFactorConfig{ProviderConfigs: []*auth.ProviderConfig{{State: auth.Enabled, TOTPProviderConfig: &auth.TOTPProviderConfig{AdjacentIntervals: 3}}}}
		got, err := b.c.UpdateProjectConfig(b.Context(), (&auth.ProjectConfigToUpdate{}).MultiFactorConfig(settings))
		if b.tenant != "" {
			b.good(nil, errorutils.IsNotFound(err), err)
			return
		}
		b.good(err, err == nil && reflect.DeepEqual(*got.MultiFactorConfig, settings), got)
	},
	"TenantID": func(b *bench) {
		if got := b.c.(*auth.TenantClient).TenantID(); got != b.tenant {
			b.Errorf("TenantID = %q, want %q", got, b.tenant)
		}
	},
	"SessionCookie": func(b *bench) {
		for life, want := range map[time.Duration]bool{5 * time.Minute: true, 14 * 24 * time.Hour: true, 299 * time.Second: false, 14*24*time.Hour + time.Second: false} {
			if _, err := b.all.SessionCookie(b.Context(), b.idToken(), life); (err == nil) != want {
				b.Errorf("a cookie for %v: %v, want one: %v", life, err, want)
			}
		}
	},
	"VerifySessionCookie": func(b *bench) {
		id, err := b.all.VerifySessionCookie(b.Context(), b.cookie())
		b.good(err, err == nil && id.UID == b.uid && strings.HasPrefix(id.Issuer, "https://session.firebase.google.com/"), id)
		if _, err := b.all.VerifySessionCookie(b.Context(), b.idToken()); !auth.IsSessionCookieInvalid(err) {
			b.Errorf("an ID token as a cookie: %v", err)
		}
	},
	"VerifySessionCookieAndCheckRevoked": func(b *bench) {
		cookie := b.cookie()
		id, err := b.all.VerifySessionCookieAndCheckRevoked(b.Context(), cookie)
		b.good(err, err == nil && id.UID == b.uid, id)
		_, err = b.c.UpdateUser(b.Context(), b.uid, (&auth.UserToUpdate{}).Disabled(true))
		b.good(err, true, nil)
		if _, err := b.all.VerifySessionCookieAndCheckRevoked(b.Context(), cookie); !auth.IsUserDisabled(err) {
			b.Errorf("the cookie of a disabled user: %v", err)
		}
	},
	"AuthForTenant": tenants, "CreateTenant": tenants, "Tenant": tenants, "Tenants": tenants, "UpdateTenant": tenants, "DeleteTenant": tenants,
}

// here is a continue URL that is allowed.
func (w *fixture) here() string { return strings.Replace(w.url, "127.0.0.1", "localhost", 1) }

// within adds the bench's tenant to a request.
func (b *bench) within(body object) object {
	if b.tenant != "" {
		body["tenantId"] = b.tenant
	}
	return body
}

// cookie creates a session cookie of the bench's user.
func (b *bench) cookie() string {
	b.Helper()
	cookie, err := b.all.SessionCookie(b.Context(), b.idToken(), time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	return cookie
}

// linkIs reports whether a link has the mode, the continue URL and the bench's tenant.
func linkIs(b *bench, link, mode, to string) bool {
	return queryOf(b, link, "mode") == mode && queryOf(b, link, "continueUrl") == to && queryOf(b, link, "tenantId") == b.tenant
}

// byProvider finds a user by a provider that is linked to it.
func byProvider(b *bench, find func(context.Context, string, string) (*auth.UserRecord, error)) {
	_, err := b.c.UpdateUser(b.Context(), b.uid, (&auth.UserToUpdate{}).ProviderToLink(&auth.UserProvider{ProviderID: "google.com", UID: b.uid}))
	b.good(err, true, nil)
	u, err := find(b.Context(), "google.com", b.uid)
	b.good(err, err == nil && u.UID == b.uid && u.TenantID == b.tenant, u)
}

// oidc creates, reads, lists, changes and deletes the configuration of an OIDC provider.
func oidc(b *bench) {
	ctx, id := b.Context(), "oidc."+b.uid
	made, err := b.c.CreateOIDCProviderConfig(ctx, (&auth.OIDCProviderConfigToCreate{}).ID(id).Enabled(true).DisplayName("One").ClientID("c").Issuer("https://i.example.com").ClientSecret("s").
		CodeResponseType(true).IDTokenResponseType(false))
	b.good(err, err == nil && made.ID == id && made.Enabled && (made.ClientSecret == "s" || b.production && made.ClientSecret == "") && made.CodeResponseType && !made.IDTokenResponseType, made)
	got, err := b.c.OIDCProviderConfig(ctx, id)
	b.good(err, reflect.DeepEqual(got, made), got)
	listed, err := b.c.OIDCProviderConfigs(ctx, "").Next()
	b.good(err, reflect.DeepEqual(listed, made), listed)
	changed, err := b.c.UpdateOIDCProviderConfig(ctx, id, (&auth.OIDCProviderConfigToUpdate{}).Enabled(false).DisplayName("").Issuer("https://j.example.com"))
	b.good(err, err == nil && !changed.Enabled && changed.DisplayName == "" && changed.Issuer == "https://j.example.com" && changed.ClientID == "c", changed)
	b.good(b.c.DeleteOIDCProviderConfig(ctx, id), true, nil)
	if _, err := b.c.OIDCProviderConfig(ctx, id); !auth.IsConfigurationNotFound(err) {
		b.Errorf("after its deletion: %v", err)
	}
	plain, err := b.c.CreateOIDCProviderConfig(ctx, (&auth.OIDCProviderConfigToCreate{}).ID(id).ClientID("c").Issuer("https://i.example.com"))
	b.good(err, err == nil && plain.IDTokenResponseType && !plain.CodeResponseType, plain)
	b.good(b.c.DeleteOIDCProviderConfig(ctx, id), true, nil)
}

// saml creates, reads, lists, changes and deletes the configuration of a SAML provider.
func saml(b *bench) {
	ctx, id := b.Context(), "saml."+b.uid
	made, err := b.c.CreateSAMLProviderConfig(ctx, (&auth.SAMLProviderConfigToCreate{}).ID(id).Enabled(true).DisplayName("One").IDPEntityID("idp").SSOURL("https://sso.example.com").
		RequestSigningEnabled(true).X509Certificates([]string{certificate1(), certificate2()}).RPEntityID("rp").CallbackURL("https://rp.example.com/cb"))
	want := &auth.SAMLProviderConfig{
		ID: id, Enabled: true, DisplayName: "One", IDPEntityID: "idp", SSOURL: "https://sso.example.com", RequestSigningEnabled: true,
		X509Certificates: []string{certificate1(), certificate2()}, RPEntityID: "rp", CallbackURL: "https://rp.example.com/cb",
	}
	b.good(err, reflect.DeepEqual(made, want), made)
	got, err := b.c.SAMLProviderConfig(ctx, id)
	b.good(err, reflect.DeepEqual(got, want), got)
	listed, err := b.c.SAMLProviderConfigs(ctx, "").Next()
	b.good(err, reflect.DeepEqual(listed, want), listed)
	want.X509Certificates, want.CallbackURL, want.RequestSigningEnabled = []string{certificate3()}, "https://rp.example.com/new", false
	changed, err := b.c.UpdateSAMLProviderConfig(ctx, id, (&auth.SAMLProviderConfigToUpdate{}).X509Certificates([]string{certificate3()}).CallbackURL("https://rp.example.com/new").RequestSigningEnabled(false))
	b.good(err, reflect.DeepEqual(changed, want), changed)
	b.good(b.c.DeleteSAMLProviderConfig(ctx, id), true, nil)
	if _, err := b.c.SAMLProviderConfig(ctx, id); !auth.IsConfigurationNotFound(err) {
		b.Errorf("after its deletion: %v", err)
	}
}

// tenants creates, reads, lists, changes and deletes a tenant.
func tenants(b *bench) {
	ctx, tm := b.Context(), b.all.TenantManager
	settings := auth.MultiFactorConfig{ProviderConfigs: []*auth.ProviderConfig{{State: auth.Enabled, TOTPProviderConfig: &auth.TOTPProviderConfig{AdjacentIntervals: 2}}}}
	made, err := tm.CreateTenant(ctx, (&auth.TenantToCreate{}).DisplayName("acme-co").AllowPasswordSignUp(true).EnableAnonymousUsers(true).MultiFactorConfig(settings))
	b.good(err, err == nil && made.DisplayName == "acme-co" && made.AllowPasswordSignUp && made.EnableAnonymousUsers && !made.EnableEmailLinkSignIn && reflect.DeepEqual(made.MultiFactorConfig, &settings), made)
	got, err := tm.Tenant(ctx, made.ID)
	b.good(err, reflect.DeepEqual(got, made), got)
	in, err := tm.AuthForTenant(made.ID)
	b.good(err, err == nil && in.TenantID() == made.ID, in)
	if it := tm.Tenants(ctx, ""); true {
		for err == nil && got.ID != "" {
			if got, err = it.Next(); err == nil && got.ID == made.ID {
				break
			}
		}
		b.good(err, reflect.DeepEqual(got, made), got)
	}
	changed, err := tm.UpdateTenant(ctx, made.ID, (&auth.TenantToUpdate{}).EnableEmailLinkSignIn(true).AllowPasswordSignUp(false))
	b.good(err, err == nil && changed.EnableEmailLinkSignIn && !changed.AllowPasswordSignUp && changed.DisplayName == "acme-co" && reflect.DeepEqual(changed.MultiFactorConfig, &settings), changed)
	b.good(tm.DeleteTenant(ctx, made.ID), true, nil)
	if _, err := tm.Tenant(ctx, made.ID); !auth.IsTenantNotFound(err) {
		b.Errorf("after its deletion: %v", err)
	}
}

// TestAdminSDKSurface calls every method of the Admin SDK's clients, in emulator mode and with signatures. The test
// fails for a method without a trial, and for a trial of a method that the SDK does not have.
func TestAdminSDKSurface(t *testing.T) {
	for name, s := range map[string]setup{"emulator": {}, "signed": {production: true}} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, s)
			all := sdk(t, w, s.production)
			made, err := all.TenantManager.CreateTenant(t.Context(), (&auth.TenantToCreate{}).DisplayName("surface").AllowPasswordSignUp(true).EnableEmailLinkSignIn(true))
			if err != nil {
				t.Fatal(err)
			}
			in, err := all.TenantManager.AuthForTenant(made.ID)
			if err != nil {
				t.Fatal(err)
			}
			tried := make(map[string]bool)
			for _, of := range []struct {
				name   string
				client any
				tenant string
			}{{"Client", all, ""}, {"TenantClient", in, made.ID}, {"TenantManager", all.TenantManager, ""}} {
				kind := reflect.TypeOf(of.client)
				for i := range kind.NumMethod() {
					method := kind.Method(i).Name
					t.Run(of.name+"."+method, func(t *testing.T) {
						try := surface[method]
						if try == nil {
							t.Fatal("no trial")
						}
						tried[method] = true
						b := &bench{T: t, w: w, production: s.production, all: all, c: all, tenant: of.tenant, uid: strings.ToLower(of.name + "-" + method)}
						if of.tenant != "" {
							b.c = in
						}
						b.email = b.uid + "@example.com"
						if _, err := b.c.CreateUser(t.Context(), (&auth.UserToCreate{}).UID(b.uid).Email(b.email).Password("secret1")); err != nil {
							t.Fatal(err)
						}
						try(b)
					})
				}
			}
			for _, method := range slices.Sorted(maps.Keys(surface)) {
				if !tried[method] {
					t.Errorf("the SDK has no method %s", method)
				}
			}
		})
	}
}
