package api

import (
	"context"
	"strings"

	"clave/server/internal/auth/service"
	"clave/server/internal/httpx/custommethod"
)

// variables maps segments that precede a variable segment to the variable's name.
var variables = map[string]string{
	"projects": "project", "tenants": "tenant", "oauthIdpConfigs": "config", "inboundSamlConfigs": "config", "defaultSupportedIdpConfigs": "config",
	"serviceAccounts": "account", "apps": "app", "services": "service", "debugTokens": "debugToken",
}

// shapeOf replaces the variable segments of a path by stars, and returns them by name.
func shapeOf(path string) (shape string, args map[string]string) {
	args = make(map[string]string)
	path, method := custommethod.Cut(path)
	segments := strings.Split(path, "/")
	for i := 1; i < len(segments); i++ {
		name, ok := variables[segments[i-1]]
		if !ok {
			continue
		}
		args[name] = segments[i]
		segments[i] = "*"
	}
	shape = strings.Join(segments, "/")
	if method != "" {
		shape += ":" + method
	}
	return shape, args
}

// The APIs' hosts.
const (
	toolkit = "identitytoolkit.googleapis.com/"
	secure  = "securetoken.googleapis.com/"
	legacy  = "www.googleapis.com/identitytoolkit/v3/relyingparty/"
	iam     = "iamcredentials.googleapis.com/v1/"
)

// routes lists all methods by HTTP method, API and path.
func routes(s *service.Service) map[string]route {
	t := make(map[string]route)
	clientRoutes(t, s)
	adminRoutes(t, s)
	tenantRoutes(t, s)
	legacyRoutes(t)
	unbuiltRoutes(t)
	return t
}

// run is the function of a route.
type run = func(context.Context, *request) (any, error)

// clientRoutes lists the methods that clients call with an API key. Administrators call them for any project and
// tenant.
func clientRoutes(t map[string]route, s *service.Service) {
	both := map[string]route{
		"lookup": method(s.Lookup).reading(), "update": method(s.Update), "delete": method(s.Delete), "sendOobCode": method(s.SendOobCode),
	}
	for verb, r := range both {
		t["POST "+toolkit+"v1/accounts:"+verb] = r
		t["POST "+toolkit+"v1/projects/*/accounts:"+verb] = r.forAdmin()
		t["POST "+toolkit+"v1/projects/*/tenants/*/accounts:"+verb] = r.forAdmin()
	}
	for verb, r := range map[string]route{
		"signUp": method(s.SignUp), "signInWithPassword": method(s.SignInWithPassword), "signInWithCustomToken": method(s.SignInWithCustomToken),
		"signInWithEmailLink": method(s.SignInWithEmailLink), "signInWithIdp": method(s.SignInWithIdp), "signInWithPhoneNumber": method(s.SignInWithPhoneNumber),
		"sendVerificationCode": method(s.SendVerificationCode), "resetPassword": method(s.ResetPassword), "createAuthUri": method(s.CreateAuthURI),
	} {
		t["POST "+toolkit+"v1/accounts:"+verb] = r
	}
	for path, r := range map[string]route{
		"mfaEnrollment:start": method(s.StartEnrollment), "mfaEnrollment:finalize": method(s.FinalizeEnrollment), "mfaEnrollment:withdraw": method(s.Withdraw),
		"mfaSignIn:start": method(s.StartFactor), "mfaSignIn:finalize": method(s.FinalizeFactor),
		"passkeyEnrollment:start": method(s.StartPasskeyEnrollment), "passkeyEnrollment:finalize": method(s.FinalizePasskeyEnrollment),
		"passkeySignIn:start": method(s.StartPasskeySignIn), "passkeySignIn:finalize": method(s.FinalizePasskeySignIn),
	} {
		t["POST "+toolkit+"v2/accounts/"+path] = r
	}
	t["POST "+secure+"v1/token"] = method(s.Refresh)
	t["GET "+toolkit+"v1/projects"] = method(s.GetProject)
	t["GET "+toolkit+"v1/recaptchaParams"] = method(s.GetRecaptchaParams)
	t["GET "+toolkit+"v2/passwordPolicy"] = method(s.PasswordPolicy)
	t["GET "+toolkit+"v2/recaptchaConfig"] = method(s.RecaptchaConfig)
	t["POST "+toolkit+"v2/accounts:revokeToken"] = method(s.RevokeToken)
}

// adminRoutes lists the methods that only administrators call, for a project or one of its tenants.
func adminRoutes(t map[string]route, s *service.Service) {
	for verb, r := range map[string]route{
		"POST accounts": method(s.SignUp), "POST accounts:batchCreate": method(s.BatchCreate), "POST accounts:batchDelete": method(s.BatchDelete),
		"GET accounts:batchGet": method(s.BatchGet), "POST accounts:query": method(s.Query).reading(),
	} {
		m, path, _ := strings.Cut(verb, " ")
		t[m+" "+toolkit+"v1/projects/*/"+path] = r.forAdmin()
		t[m+" "+toolkit+"v1/projects/*/tenants/*/"+path] = r.forAdmin()
	}
	t["POST "+toolkit+"v1/projects/*:queryAccounts"] = method(s.Query).reading().forAdmin()
	t["POST "+toolkit+"v1/projects/*:createSessionCookie"] = method(s.CreateSessionCookie).forAdmin()
	t["POST "+toolkit+"v1/projects/*/tenants/*:createSessionCookie"] = method(s.CreateSessionCookie).forAdmin()
	t["GET "+toolkit+"v2/projects/*/config"] = route{run: configRun(s.GetConfig), admin: true}
	t["PATCH "+toolkit+"v2/projects/*/config"] = route{run: configRun(s.UpdateConfig), admin: true}
	t["POST "+iam+"projects/*/serviceAccounts/*:signBlob"] = route{run: signBlob(s), admin: true}
	t["POST oauth2.googleapis.com/token"] = route{run: oauthToken(s), open: true}
}

// legacyRoutes lists the names that methods had in version 3.
func legacyRoutes(t map[string]route) {
	for old, now := range map[string]string{
		"createAuthUri": "createAuthUri", "deleteAccount": "delete", "emailLinkSignin": "signInWithEmailLink", "getAccountInfo": "lookup",
		"getOobConfirmationCode": "sendOobCode", "resetPassword": "resetPassword", "sendVerificationCode": "sendVerificationCode", "setAccountInfo": "update",
		"signupNewUser": "signUp", "verifyAssertion": "signInWithIdp", "verifyCustomToken": "signInWithCustomToken", "verifyPassword": "signInWithPassword",
		"verifyPhoneNumber": "signInWithPhoneNumber",
	} {
		t["POST "+legacy+old] = t["POST "+toolkit+"v1/accounts:"+now]
	}
	t["GET "+legacy+"getProjectConfig"] = t["GET "+toolkit+"v1/projects"]
	t["GET "+legacy+"getRecaptchaParam"] = t["GET "+toolkit+"v1/recaptchaParams"]
	for old, now := range map[string]string{"uploadAccount": "POST accounts:batchCreate", "downloadAccount": "GET accounts:batchGet"} {
		m, path, _ := strings.Cut(now, " ")
		t["POST "+legacy+old] = t[m+" "+toolkit+"v1/projects/*/"+path]
	}
}
