package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	firebase "firebase.google.com/go/v4"
	"firebase.google.com/go/v4/auth"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"

	"clave/server/backoffice/firebaseconn"
	"clave/server/internal/auth/service"
)

// sdk returns the Admin SDK's client: in emulator mode, or with a service account and signatures on.
func sdk(t *testing.T, w *fixture, signed bool) *auth.Client {
	t.Helper()
	ctx := t.Context()
	var options []option.ClientOption
	if signed {
		t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", "")
		key, err := w.keys.Create(ctx, project, "backend", w.url+"/oauth2.googleapis.com/token")
		if err != nil {
			t.Fatal(err)
		}
		restore, err := firebaseconn.Route(firebaseconn.Options{URL: w.url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(restore)
		options = append(options, option.WithAuthCredentialsJSON(option.ServiceAccount, key.File))
	} else {
		t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", strings.TrimPrefix(w.url, "http://"))
	}
	app, err := firebase.NewApp(ctx, &firebase.Config{ProjectID: project}, options...)
	if err != nil {
		t.Fatal(err)
	}
	client, err := app.Auth(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestAdminSDK exercises auth.Client in both modes, against the same expectations.
func TestAdminSDK(t *testing.T) {
	for _, mode := range []struct {
		name  string
		setup setup
	}{{"emulator", setup{}}, {"signed", setup{production: true}}} {
		t.Run(mode.name, func(t *testing.T) {
			w := newFixture(t, mode.setup)
			c := sdk(t, w, mode.setup.production)
			for _, part := range []struct {
				name string
				run  func(*testing.T, *fixture, *auth.Client)
			}{
				{"users", sdkUsers}, {"lists", sdkLists}, {"tokens", sdkTokens}, {"links", sdkLinks}, {"import", sdkImport}, {"tenants", sdkTenants},
			} {
				t.Run(part.name, func(t *testing.T) { part.run(t, w, c) })
			}
		})
	}
}

// sdkUsers creates, reads, changes and deletes users.
func sdkUsers(t *testing.T, _ *fixture, c *auth.Client) {
	ctx := t.Context()
	u, err := c.CreateUser(ctx, (&auth.UserToCreate{}).UID("u1").Email("Ann@Example.com").Password("secret1").PhoneNumber("+16505550101").DisplayName("Ann").
		PhotoURL("https://example.com/a.png").EmailVerified(true))
	if err != nil {
		t.Fatal(err)
	}
	if u.Email != "ann@example.com" || !u.EmailVerified || u.UserMetadata.LastLogInTimestamp != 0 || len(u.ProviderUserInfo) != 2 {
		t.Errorf("CreateUser = %+v, providers %d", u.UserInfo, len(u.ProviderUserInfo))
	}
	for name, get := range map[string]func() (*auth.UserRecord, error){
		"GetUser":              func() (*auth.UserRecord, error) { return c.GetUser(ctx, "u1") },
		"GetUserByEmail":       func() (*auth.UserRecord, error) { return c.GetUserByEmail(ctx, "ann@example.com") },
		"GetUserByPhoneNumber": func() (*auth.UserRecord, error) { return c.GetUserByPhoneNumber(ctx, "+16505550101") },
	} {
		if got, err := get(); err != nil || got.UID != "u1" {
			t.Errorf("%s = %v, %v; want u1", name, got, err)
		}
	}
	if err := c.SetCustomUserClaims(ctx, "u1", map[string]any{"role": "admin"}); err != nil {
		t.Error(err)
	}
	u, err = c.UpdateUser(ctx, "u1", (&auth.UserToUpdate{}).DisplayName("Ann B.").Disabled(true).ProviderToLink(&auth.UserProvider{ProviderID: "google.com", UID: "g1"}))
	if err != nil || u.DisplayName != "Ann B." || !u.Disabled || u.CustomClaims["role"] != "admin" {
		t.Errorf("UpdateUser = %+v, %v", u, err)
	}
	if got, err := c.GetUserByProviderUID(ctx, "google.com", "g1"); err != nil || got.UID != "u1" {
		t.Errorf("GetUserByProviderUID = %v, %v", got, err)
	}
	if _, err := c.CreateUser(ctx, (&auth.UserToCreate{}).Email("ann@example.com")); !auth.IsEmailAlreadyExists(err) {
		t.Errorf("CreateUser with a taken address: %v", err)
	}
	if _, err := c.CreateUser(ctx, (&auth.UserToCreate{}).UID("u1")); !auth.IsUIDAlreadyExists(err) {
		t.Errorf("CreateUser with a taken id: %v", err)
	}
	if _, err := c.CreateUser(ctx, (&auth.UserToCreate{}).PhoneNumber("+16505550101")); !auth.IsPhoneNumberAlreadyExists(err) {
		t.Errorf("CreateUser with a taken number: %v", err)
	}
	if err := c.DeleteUser(ctx, "u1"); err != nil {
		t.Error(err)
	}
	if _, err := c.GetUser(ctx, "u1"); !auth.IsUserNotFound(err) {
		t.Errorf("GetUser after DeleteUser: %v", err)
	}
}

// sdkLists lists, finds and deletes many users.
func sdkLists(t *testing.T, _ *fixture, c *auth.Client) {
	ctx := t.Context()
	var ids []string
	for i := range 5 {
		uid := fmt.Sprintf("list%d", i)
		if _, err := c.CreateUser(ctx, (&auth.UserToCreate{}).UID(uid).Email(uid+"@example.com")); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, uid)
	}
	pager := iterator.NewPager(c.Users(ctx, ""), 2, "")
	var got []string
	for {
		var page []*auth.ExportedUserRecord
		next, err := pager.NextPage(&page)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range page {
			got = append(got, u.UID)
		}
		if next == "" {
			break
		}
	}
	if strings.Join(got, " ") != strings.Join(ids, " ") {
		t.Errorf("Users = %v, want %v", got, ids)
	}
	found, err := c.GetUsers(ctx, []auth.UserIdentifier{auth.UIDIdentifier{UID: "list0"}, auth.EmailIdentifier{Email: "list1@example.com"}, auth.UIDIdentifier{UID: "nobody"}})
	if err != nil || len(found.Users) != 2 || len(found.NotFound) != 1 {
		t.Errorf("GetUsers = %+v, %v", found, err)
	}
	queried, err := c.QueryUsers(ctx, &auth.QueryUsersRequest{SortBy: auth.UserEmail, Order: auth.Desc, Limit: 2})
	if err != nil || queried.Count != 2 || len(queried.Users) != 2 || queried.Users[0].UID != "list4" {
		t.Errorf("QueryUsers = %+v, %v; want list4 and list3", queried, err)
	}
	deleted, err := c.DeleteUsers(ctx, append(ids, "nobody"))
	if err != nil || deleted.SuccessCount != 6 || deleted.FailureCount != 0 {
		t.Errorf("DeleteUsers = %+v, %v", deleted, err)
	}
}

// signInCustom signs in with a custom token and returns the answer.
func signInCustom(w *fixture, custom string) map[string]any {
	w.t.Helper()
	return w.must(w.client("signInWithCustomToken", object{"token": custom, "returnSecureToken": true}))
}

// sdkTokens creates custom tokens and cookies, verifies them and revokes sessions.
func sdkTokens(t *testing.T, w *fixture, c *auth.Client) {
	ctx := t.Context()
	custom, err := c.CustomTokenWithClaims(ctx, "tok1", map[string]any{"level": 3})
	if err != nil {
		t.Fatal(err)
	}
	signedIn := signInCustom(w, custom)
	id, err := c.VerifyIDToken(ctx, str(signedIn, "idToken"))
	if err != nil || id.UID != "tok1" || id.Claims["level"] != 3.0 || id.Firebase.SignInProvider != "custom" {
		t.Errorf("VerifyIDToken = %+v, %v", id, err)
	}
	cookie, err := c.SessionCookie(ctx, str(signedIn, "idToken"), 10*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.VerifySessionCookieAndCheckRevoked(ctx, cookie); err != nil || got.UID != "tok1" {
		t.Errorf("VerifySessionCookie = %+v, %v", got, err)
	}
	if _, err := c.VerifyIDToken(ctx, cookie); err == nil {
		t.Error("a session cookie passed for an ID token")
	}
	// ValidSince has seconds only, and the SDK uses the machine's clock.
	time.Sleep(time.Until(time.Unix(id.AuthTime+1, 0).Add(20 * time.Millisecond)))
	if err := c.RevokeRefreshTokens(ctx, "tok1"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.VerifyIDTokenAndCheckRevoked(ctx, str(signedIn, "idToken")); !auth.IsIDTokenRevoked(err) {
		t.Errorf("VerifyIDTokenAndCheckRevoked after a revocation: %v", err)
	}
	if _, code := w.client("token", object{"grant_type": "refresh_token", "refresh_token": str(signedIn, "refreshToken")}); code != "TOKEN_EXPIRED" {
		t.Errorf("refresh after a revocation: %q, want TOKEN_EXPIRED", code)
	}
	if err := c.DeleteUser(ctx, "tok1"); err != nil {
		t.Error(err)
	}
}

// sdkLinks creates the links of e-mails.
func sdkLinks(t *testing.T, w *fixture, c *auth.Client) {
	ctx := t.Context()
	if _, err := c.CreateUser(ctx, (&auth.UserToCreate{}).UID("link1").Email("link1@example.com").Password("secret1")); err != nil {
		t.Fatal(err)
	}
	reset, err := c.PasswordResetLink(ctx, "link1@example.com")
	if err != nil || queryOf(t, reset, "mode") != "resetPassword" {
		t.Fatalf("PasswordResetLink = %q, %v", reset, err)
	}
	w.must(w.client("resetPassword", object{"oobCode": queryOf(t, reset, "oobCode"), "newPassword": "secret2"}))
	w.must(w.client("signInWithPassword", object{"email": "link1@example.com", "password": "secret2"}))
	verify, err := c.EmailVerificationLink(ctx, "link1@example.com")
	if err != nil || queryOf(t, verify, "mode") != "verifyEmail" {
		t.Errorf("EmailVerificationLink = %q, %v", verify, err)
	}
	if link, err := c.PasswordResetLink(ctx, "nobody@example.com"); err != nil || link != "" {
		t.Errorf("PasswordResetLink for an unknown address = %q, %v; want nothing, as addresses are protected", link, err)
	}
	private := func(on bool) {
		if _, err := w.service.EmulatorConfig(ctx, service.Call{Project: project}, object{"emailPrivacyConfig": object{"enableImprovedEmailPrivacy": on}}); err != nil {
			t.Fatal(err)
		}
	}
	private(false)
	defer private(true)
	if _, err := c.PasswordResetLink(ctx, "nobody@example.com"); !auth.IsEmailNotFound(err) {
		t.Errorf("PasswordResetLink for an unknown address: %v", err)
	}
	settings := &auth.ActionCodeSettings{URL: "http://www.localhost/x", HandleCodeInApp: true}
	if _, err := c.EmailSignInLink(ctx, "link1@example.com", settings); !auth.IsUnauthorizedContinueURI(err) {
		t.Errorf("EmailSignInLink to a foreign domain: %v", err)
	}
	if err := c.DeleteUser(ctx, "link1"); err != nil {
		t.Error(err)
	}
}

// sdkImport imports users with hashes of other systems and signs them in.
func sdkImport(t *testing.T, w *fixture, c *auth.Client) {
	ctx := t.Context()
	for i, tt := range imports(t) {
		uid := fmt.Sprintf("import%d", i)
		u := (&auth.UserToImport{}).UID(uid).Email(uid + "@example.com").PasswordHash(tt.sum).PasswordSalt(tt.salt)
		res, err := c.ImportUsers(ctx, []*auth.UserToImport{u}, auth.WithHash(tt.config))
		if err != nil || res.FailureCount != 0 {
			t.Fatalf("%s: ImportUsers = %+v, %v", tt.name, res, err)
		}
		for range 2 { // the second time with the hash that the first sign-in made
			if _, code := w.client("signInWithPassword", object{"email": uid + "@example.com", "password": "secret1", "returnSecureToken": true}); code != "" {
				t.Errorf("%s: sign-in: %s", tt.name, code)
			}
		}
		if _, code := w.client("signInWithPassword", object{"email": uid + "@example.com", "password": "secret2"}); code != "INVALID_LOGIN_CREDENTIALS" {
			t.Errorf("%s: sign-in with a wrong password: %q", tt.name, code)
		}
	}
	res, err := c.ImportUsers(ctx, []*auth.UserToImport{(&auth.UserToImport{}).UID("nohash")})
	if err != nil || res.SuccessCount != 1 {
		t.Errorf("ImportUsers without hashes = %+v, %v", res, err)
	}
}

// sdkTenants creates tenants and users in them.
func sdkTenants(t *testing.T, _ *fixture, c *auth.Client) {
	ctx := t.Context()
	tm := c.TenantManager
	tenant, err := tm.CreateTenant(ctx, (&auth.TenantToCreate{}).DisplayName("acme-co").AllowPasswordSignUp(true))
	if err != nil {
		t.Fatal(err)
	}
	tc, err := tm.AuthForTenant(tenant.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tc.CreateUser(ctx, (&auth.UserToCreate{}).UID("t1").Email("t1@example.com").Password("secret1")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetUser(ctx, "t1"); !auth.IsUserNotFound(err) {
		t.Errorf("a tenant's user is found outside: %v", err)
	}
	if u, err := tc.GetUser(ctx, "t1"); err != nil || u.TenantID != tenant.ID {
		t.Errorf("GetUser in the tenant = %+v, %v", u, err)
	}
	changed, err := tm.UpdateTenant(ctx, tenant.ID, (&auth.TenantToUpdate{}).DisplayName("acme-two").EnableEmailLinkSignIn(true))
	if err != nil || changed.DisplayName != "acme-two" || !changed.EnableEmailLinkSignIn || !changed.AllowPasswordSignUp {
		t.Errorf("UpdateTenant = %+v, %v", changed, err)
	}
	if got, err := tm.Tenants(ctx, "").Next(); err != nil || got.ID != tenant.ID {
		t.Errorf("Tenants().Next() = %+v, %v", got, err)
	}
	if err := tm.DeleteTenant(ctx, tenant.ID); err != nil {
		t.Error(err)
	}
	if _, err := tm.Tenant(ctx, tenant.ID); !auth.IsTenantNotFound(err) {
		t.Errorf("Tenant after DeleteTenant: %v", err)
	}
}
