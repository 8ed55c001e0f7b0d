package sdk

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// The paths of a project's accounts and settings.
const (
	projectAccounts = "/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts"
	projectConfig   = "/identitytoolkit.googleapis.com/v2/projects/PROJECT/config"
)

// enroll returns an administrator's update of the second factors of user a.
func enroll(enrollments string) authStep {
	return authStep{"", "+update", `{"localId":"{{a.localId}}","mfa":{"enrollments":` + enrollments + `}}`, "", false}
}

// factorsOf returns a lookup of a user's second factors, as far as they are equal in both servers.
func factorsOf(id string, as bool) authStep {
	var fields []string
	for i := range 4 {
		for _, name := range []string{"phoneInfo", "displayName"} {
			fields = append(fields, fmt.Sprintf("users.0.mfaInfo.%d.%s", i, name))
		}
	}
	return authStep{"", "+lookup", `{"localId":["{{` + id + `.localId}}"]}`, strings.Join(fields, ","), as}
}

// enrolled is a lookup of the ids of the second factors of user a, which an administrator chose.
var enrolled = authStep{"", "+lookup", `{"localId":["{{a.localId}}"]}`, "users.0.mfaInfo.0.mfaEnrollmentId,users.0.mfaInfo.1.mfaEnrollmentId,users.0.mfaInfo.0.phoneInfo,users.0.mfaInfo.1.phoneInfo", false}

// authFactorSequences are sequences about second factors, as authSequences.
var authFactorSequences = map[string][]authStep{
	"factors of a sign-up": {
		{"a", "signUp", `{"email":"a@example.com","password":"secret1","mfaInfo":[{"displayName":"One","phoneInfo":"+15555550100"},{"displayName":"One","phoneInfo":"+15555550101"}]}`, "email", false},
		factorsOf("a", true),
		{"b", "signUp", `{"email":"b@example.com","password":"secret1","mfaInfo":[{"displayName":"One","phoneInfo":"+15555550100"},{"displayName":"One","phoneInfo":"+15555550100"},{"displayName":"One","phoneInfo":"+15555550100"},{"phoneInfo":"+15555550101"}]}`, "email", false},
		factorsOf("b", true),
		{"c", "+signUp", `{"email":"c@example.com","password":"secret1","mfaInfo":[{"phoneInfo":"+15555550100","mfaEnrollmentId":"chosen"}]}`, "email", false},
		factorsOf("c", false),
		{"", "+signUp", `{"email":"d@example.com","password":"secret1","mfaInfo":[{"phoneInfo":"555"}]}`, "", false},
		{"", "+update", `{"localId":"{{a.localId}}","mfa":{}}`, "", false},
		factorsOf("a", false),
	},
	"factors by an administrator": {
		{"a", "signUp", `{"email":"a@example.com","password":"secret1"}`, "", false},
		{"b", "signUp", `{"email":"b@example.com","password":"secret1"}`, "", false},
		enroll(`[{"displayName":"One","phoneInfo":"+15555550100","mfaEnrollmentId":"one"}]`), enrolled, factorsOf("a", false),
		enroll(`[{"displayName":"One","phoneInfo":"+15555550100","mfaEnrollmentId":"one"},{"displayName":"Two","phoneInfo":"+15555550101","mfaEnrollmentId":"two"}]`), enrolled,
		enroll(`[{"displayName":"New","phoneInfo":"+15555550102","mfaEnrollmentId":"one"}]`), enrolled, factorsOf("a", false),
		enroll(`[{"displayName":"New","phoneInfo":"+15555550102","mfaEnrollmentId":"three"}]`), enrolled,
		enroll(`[{"phoneInfo":"+15555550100","mfaEnrollmentId":"one"},{"phoneInfo":"+15555550100","mfaEnrollmentId":"one"}]`), enrolled,
		enroll(`[]`), factorsOf("a", false),
		enroll(`[{"phoneInfo":"+15555550100","mfaEnrollmentId":"e2"},{"phoneInfo":"+15555550100","mfaEnrollmentId":"e3"},{"phoneInfo":"+15555550101","mfaEnrollmentId":"e4"},{"phoneInfo":"+15555550101","mfaEnrollmentId":"e5"}]`), enrolled,
		enroll(`[{"phoneInfo":"+15555550100","mfaEnrollmentId":"one"},{"phoneInfo":"+15555550101","mfaEnrollmentId":"one"}]`), enrolled,
		enroll(`[{"phoneInfo":"+15555550100","mfaEnrollmentId":"one"},{"phoneInfo":"555","mfaEnrollmentId":"two"}]`), enrolled,
		enroll(`[{"mfaEnrollmentId":"one"}]`), enrolled,
		{"", "+update", `{"localId":"{{b.localId}}","mfa":{"enrollments":[{"phoneInfo":"+15555550100","mfaEnrollmentId":"e2"}]}}`, "", false},
		factorsOf("b", false),
		{"", "+update", `{"localId":"{{a.localId}}","mfa":{}}`, "", false}, factorsOf("a", false),
	},
	"sign-ins with a second factor": {
		{"a", "signUp", `{"email":"a@example.com","password":"secret1"}`, "", false},
		enroll(`[{"displayName":"One","phoneInfo":"+15555550100","mfaEnrollmentId":"one"}]`),
		{"", "+update", `{"localId":"{{a.localId}}","emailVerified":true,"phoneNumber":"+15555550103"}`, "", false},
		{"s", "signInWithPassword", `{"email":"a@example.com","password":"secret1"}`, "idToken,refreshToken,registered,email,localId.0,mfaInfo.0.phoneInfo,mfaInfo.0.mfaEnrollmentId,mfaInfo.1", false},
		{"l", "+sendOobCode", `{"requestType":"EMAIL_SIGNIN","email":"a@example.com","returnOobLink":true}`, "", false},
		{"", "signInWithEmailLink", `{"oobCode":"{{l.oobCode}}","email":"a@example.com"}`, "idToken,refreshToken,email,isNewUser,mfaInfo.0.phoneInfo,mfaInfo.0.mfaEnrollmentId", false},
		{"", "sendVerificationCode", `{"phoneNumber":"+15555550103"}`, "", true},
		{"p", "sendVerificationCode", `{"phoneNumber":"+15555550104"}`, "", false},
		{"c", "GET /emulator/v1/projects/PROJECT/verificationCodes", "", "", false},
		{"", "signInWithPhoneNumber", `{"sessionInfo":"{{p.sessionInfo}}","code":"{{c.verificationCodes.-1.code}}","idToken":"{{a.idToken}}"}`, "idToken,isNewUser", false},
		{"", "signInWithIdp", idpBody(`providerId=google.com&id_token={"sub":"1","email":"a@example.com","email_verified":true}`), "idToken,isNewUser,mfaInfo.0.phoneInfo", false},
		{"", "+/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:withdraw", `{"idToken":"{{a.idToken}}","mfaEnrollmentId":"one"}`, "idToken.email", false},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"secret1"}`, "registered,mfaInfo", false},
	},
}

// zeroSigned returns an ID token as a provider signs it, with claims and a signature of zeros whose last bits are not
// canonical.
func zeroSigned(claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"RS256","kid":"k","typ":"JWT"}`)) + "." + encode([]byte(claims)) + "." + strings.Repeat("A", 341) + "B"
}

// authProviderSequences are sequences about providers, their addresses and codes of addresses, as authSequences.
var authProviderSequences = map[string][]authStep{
	"addresses of providers": {
		{"g", "signInWithIdp", idpBody(`providerId=google.com&id_token={"sub":"1","email":"alice@example.com"}`), "email,emailVerified,isNewUser", false},
		{"l", "+sendOobCode", `{"requestType":"EMAIL_SIGNIN","email":"bob@example.com","returnOobLink":true}`, "", false},
		{"b", "signInWithEmailLink", `{"oobCode":"{{l.oobCode}}","email":"bob@example.com","idToken":"{{g.idToken}}"}`, "email,isNewUser,idToken.firebase.identities", false},
		{"", "createAuthUri", `{"identifier":"bob@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
		{"", "createAuthUri", `{"identifier":"alice@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
		{"", "createAuthUri", `{"identifier":"AliCe@exAmple.com","continueUri":"http://localhost/","sessionId":"s"}`, "registered,sessionId", false},
		{"", "+PATCH " + projectConfig + "?updateMask=signIn.allowDuplicateEmails", `{"signIn":{"allowDuplicateEmails":true}}`, "signIn.allowDuplicateEmails", false},
		{"", "createAuthUri", `{"identifier":"bob@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
		{"", "createAuthUri", `{"identifier":"alice@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
		{"", "+PATCH " + projectConfig + "?updateMask=signIn.allowDuplicateEmails", `{"signIn":{"allowDuplicateEmails":false}}`, "signIn.allowDuplicateEmails", false},
		{"", "lookup", `{"idToken":"{{b.idToken}}"}`, "users.0.email,users.0.emailVerified,users.0.emailLinkSignin,users.0.providerUserInfo.2", false},
		{"", "delete", `{"idToken":"{{b.idToken}}"}`, "kind", false},
		{"", "createAuthUri", `{"identifier":"alice@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
		{"", "signInWithIdp", idpBody(`providerId=google.com&id_token={"sub":"1","email":"alice@example.com"}`), "email,isNewUser", false},
	},
	"providers with and without an address": {
		{"", "signInWithIdp", idpBody(`providerId=google.com&id_token=` + zeroSigned(`{"sub":"5","email":"five@example.com","email_verified":true,"name":"Five","picture":"http://localhost/p","iss":"https://accounts.google.com","aud":"a"}`)), "email,emailVerified,displayName,photoUrl,isNewUser,federatedId,rawUserInfo", false},
		{"p", "signUp", `{"returnSecureToken":true}`, "", false},
		{"q", "signInWithIdp", `{"requestUri":"http://localhost","returnIdpCredential":true,"returnSecureToken":true,"postBody":"providerId=google.com&id_token={\"sub\":\"6\",\"email\":\"six@example.com\",\"name\":\"Six\",\"picture\":\"http://localhost/six\"}","idToken":"{{p.idToken}}"}`, "email,displayName,photoUrl,isNewUser", false},
		{"", "lookup", `{"idToken":"{{q.idToken}}"}`, "users.0.email,users.0.emailVerified,users.0.displayName,users.0.photoUrl,users.0.providerUserInfo", false},
		{"", "signInWithIdp", `{"requestUri":"http://localhost","returnIdpCredential":true,"returnSecureToken":true,"postBody":"providerId=google.com&id_token={\"sub\":\"6\",\"email\":\"six@example.com\"}","idToken":"{{q.idToken}}"}`, "errorMessage,email,idToken", false},
		{"t", "+/identitytoolkit.googleapis.com/v2/projects/PROJECT/tenants", `{"displayName":"one"}`, "", false},
		{"", "signInWithIdp", `{"tenantId":"{{t.tenantId}}","requestUri":"http://localhost","returnIdpCredential":true,"returnSecureToken":true,"postBody":"providerId=google.com&id_token={\"sub\":\"7\",\"email\":\"seven@example.com\"}"}`, "email,isNewUser,idToken.firebase.sign_in_provider", false},
		{"", "+DELETE /identitytoolkit.googleapis.com/v2/projects/PROJECT/tenants/{{t.tenantId}}", "", "", false},
	},
	"a password or a provider is removed": {
		{"a", "signUp", `{"email":"a@example.com","password":"secret1"}`, "", false},
		{"g", "signInWithIdp", `{"requestUri":"http://localhost","returnIdpCredential":true,"returnSecureToken":true,"postBody":"providerId=google.com&id_token={\"sub\":\"1\",\"email\":\"a@example.com\"}","idToken":"{{a.idToken}}"}`, "email,isNewUser", false},
		{"", "update", `{"idToken":"{{g.idToken}}","deleteProvider":["password"]}`, "email,providerUserInfo.0.providerId,providerUserInfo.1.providerId", true},
		{"", "createAuthUri", `{"identifier":"a@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", true},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"secret1"}`, "", true},
		{"", "update", `{"idToken":"{{g.idToken}}","deleteProvider":["google.com"]}`, "email,providerUserInfo.0.providerId", true},
		{"b", "signUp", `{"email":"b@example.com","password":"secret1"}`, "", false},
		{"c", "signUp", `{"idToken":"{{b.idToken}}","email":"c@example.com","password":"secret2"}`, "email,idToken.firebase.identities", false},
		{"", "createAuthUri", `{"identifier":"b@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
		{"", "createAuthUri", `{"identifier":"c@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
	},
	"a code for an address that was taken since": {
		{"a", "signUp", `{"email":"a@example.com","password":"secret1"}`, "", false},
		{"", "sendOobCode", `{"requestType":"VERIFY_AND_CHANGE_EMAIL","idToken":"{{a.idToken}}","newEmail":"b@example.com"}`, "kind,email", false},
		{"o", "GET /emulator/v1/projects/PROJECT/oobCodes", "", "oobCodes.-1.requestType,oobCodes.-1.email,oobCodes.-1.newEmail", false},
		{"", "signUp", `{"email":"b@example.com","password":"secret1"}`, "", false},
		{"", "update", `{"oobCode":"{{o.oobCodes.-1.oobCode}}"}`, "", false},
		{"", "update", `{"oobCode":"{{o.oobCodes.-1.oobCode}}"}`, "", false},
		{"", "sendOobCode", `{"requestType":"VERIFY_AND_CHANGE_EMAIL","idToken":"{{a.idToken}}","newEmail":"b@example.com"}`, "", false},
		{"", "sendOobCode", `{"requestType":"VERIFY_AND_CHANGE_EMAIL","idToken":"{{a.idToken}}"}`, "", false},
		{"", "+sendOobCode", `{"requestType":"VERIFY_AND_CHANGE_EMAIL","newEmail":"c@example.com","returnOobLink":true}`, "", false},
		{"", "+sendOobCode", `{"requestType":"VERIFY_AND_CHANGE_EMAIL","email":"a@example.com","returnOobLink":true}`, "", false},
		{"", "+sendOobCode", `{"requestType":"VERIFY_AND_CHANGE_EMAIL","email":"n@example.com","newEmail":"c@example.com","returnOobLink":true}`, "", false},
		{"", "+sendOobCode", `{"requestType":"VERIFY_AND_CHANGE_EMAIL","email":"a@example.com","newEmail":"b@example.com","returnOobLink":true}`, "", false},
	},
	"accounts by an administrator": {
		{"a", "+signUp", `{"phoneNumber":"+15555550100","displayName":"Ann"}`, "idToken,refreshToken,displayName,phoneNumber", false},
		{"p", "sendVerificationCode", `{"phoneNumber":"+15555550100"}`, "", false},
		{"c", "GET /emulator/v1/projects/PROJECT/verificationCodes", "", "", false},
		{"", "signInWithPhoneNumber", `{"sessionInfo":"{{p.sessionInfo}}","code":"{{c.verificationCodes.-1.code}}"}`, "isNewUser,phoneNumber", false},
		{"", "+signUp", `{"localId":"chosen"}`, "localId,idToken", false},
		{"", "+signUp", `{"localId":"chosen"}`, "", false},
		{"", "+signUp", `{"phoneNumber":"555"}`, "", false},
		{"", "+update", `{"localId":"chosen","phoneNumber":"+15555550100"}`, "", false},
		{"", "+update", `{"localId":"chosen","phoneNumber":"555-555-0100"}`, "", false},
		{"", "+" + projectAccounts + ":batchCreate", `{"users":[{"localId":"i","email":"i@example.com","rawPassword":"secret1"}]}`, "error", false},
		{"", "signInWithPassword", `{"email":"i@example.com","password":"secret1"}`, "registered", false},
		{"", "+GET " + projectAccounts + ":batchGet?maxResults=3", "", "kind", false},
		{"", "+" + projectAccounts + ":query", `{"returnUserInfo":false}`, "recordsCount", false},
		{"", "+delete", `{"localId":"nobody"}`, "", false},
		{"", "+delete", `{}`, "", false},
		{"", "+delete", `{"localId":"chosen"}`, "kind", false},
	},
}
