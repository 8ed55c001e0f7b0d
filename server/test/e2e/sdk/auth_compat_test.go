package sdk

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"clave/server/test/e2e/harness"
)

// authStep is one request of a sequence that is sent to both servers. Status, error text and the named fields must be
// equal.
type authStep struct {
	// id names the answer for later steps: {{id.field}} in a path or body.
	id string
	// path is a verb of accounts: or a whole path. A leading + adds the owner's token; a leading GET, PATCH or DELETE sets
	// the method.
	path, body string
	// fields lists the compared fields of the answer, separated by commas. Dots separate levels, numbers select list
	// elements.
	fields string
	// as marks answers that equal the official emulator's only under --as-emulator.
	as bool
}

// authSequences holds the sequences of requests. Each is sent to a project without accounts.
var authSequences = map[string][]authStep{
	"passwords": {
		{"a", "signUp", `{"email":"A@example.com","password":"secret1","displayName":"Ann"}`, "kind,email,displayName,expiresIn", false},
		{"", "signUp", `{"email":"a@example.com","password":"secret1"}`, "", false},
		{"", "signUp", `{"email":"b@example.com","password":"short"}`, "", false},
		{"", "signUp", `{"email":"","password":""}`, "", false},
		{"", "signUp", `{"email":"b@example.com"}`, "", false},
		{"", "signUp", `{"localId":"x"}`, "", false},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"secret1"}`, "kind,registered,email,expiresIn", false},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"wrong12"}`, "", false},
		{"", "signInWithPassword", `{"email":"nobody@example.com","password":"wrong12"}`, "", false},
		{"", "signInWithPassword", `{"email":"x","password":"wrong12"}`, "", false},
		{"", "signInWithPassword", `{"email":"a@example.com"}`, "", false},
		{"", "lookup", `{"idToken":"{{a.idToken}}"}`, "kind,users.0.email,users.0.emailVerified,users.0.displayName,users.0.providerUserInfo,users.0.mfaInfo,users.0.tenantId", false},
		{"", "lookup", `{}`, "", false},
		{"", "update", `{"idToken":"{{a.idToken}}","oobCode":"","displayName":"Anna"}`, "displayName,email,emailVerified,newEmail", false},
		{"", "update", `{"idToken":"{{a.idToken}}","customAttributes":"{}"}`, "", false},
		{"", "update", `{"idToken":"{{a.idToken}}","disableUser":true}`, "", false},
		{"", "update", `{}`, "", false},
		{"", "+update", `{"emailVerified":true}`, "", false},
		{"", "update", `{"idToken":"{{a.idToken}}","linkProviderUserInfo":{"providerId":"google.com"}}`, "", true},
		{"", "createAuthUri", `{"identifier":"a@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
		{"", "createAuthUri", `{"identifier":"nobody@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
		{"", "createAuthUri", `{"continueUri":"http://localhost/"}`, "", false},
		{"", "createAuthUri", `{"identifier":"x","continueUri":"http://localhost/"}`, "", false},
		{"", "+delete", `{"idToken":"{{a.idToken}}"}`, "", false},
		{"", "delete", `{"idToken":"{{a.idToken}}"}`, "kind", false},
		{"", "delete", `{"idToken":"{{a.idToken}}"}`, "", false},
		{"", "/securetoken.googleapis.com/v1/token", `{"grant_type":"refresh_token","refresh_token":"{{a.refreshToken}}"}`, "", true},
	},
	"anonymous users": {
		{"g", "signUp", `{"returnSecureToken":true}`, "kind,email,expiresIn", false},
		{"", "+signUp", `{"idToken":"{{g.idToken}}","localId":"{{g.localId}}"}`, "", false},
		{"", "update", `{"idToken":"{{g.idToken}}","validSince":"0"}`, "expiresIn", true},
		{"", "update", `{"idToken":"{{g.idToken}}","email":"g@example.com"}`, "email,emailVerified,newEmail", true},
	},
	"codes": {
		{"a", "signUp", `{"email":"a@example.com","password":"secret1"}`, "", false},
		{"", "sendOobCode", `{}`, "", false},
		{"", "sendOobCode", `{"requestType":"PASSWORD_RESET"}`, "", false},
		{"", "sendOobCode", `{"requestType":"PASSWORD_RESET","email":"nobody@example.com"}`, "", false},
		{"", "sendOobCode", `{"requestType":"VERIFY_EMAIL"}`, "", false},
		{"", "sendOobCode", `{"requestType":"VERIFY_AND_CHANGE_EMAIL","email":"a@example.com"}`, "", false},
		{"", "sendOobCode", `{"requestType":"VERIFY_AND_CHANGE_EMAIL","newEmail":"b@example.com"}`, "", false},
		{"", "sendOobCode", `{"requestType":"PASSWORD_RESET","email":"a@example.com","returnOobLink":true}`, "", false},
		{"", "sendOobCode", `{"requestType":"PASSWORD_RESET","email":"a@example.com","continueUrl":"nowhere"}`, "", false},
		{"c", "+sendOobCode", `{"requestType":"VERIFY_AND_CHANGE_EMAIL","email":"a@example.com","newEmail":"b@example.com","returnOobLink":true}`, "kind,email", false},
		{"", "resetPassword", `{"oobCode":"{{c.oobCode}}"}`, "kind,requestType,email,newEmail", false},
		{"", "update", `{"oobCode":"{{c.oobCode}}"}`, "email,newEmail,emailVerified", false},
		{"", "GET /emulator/v1/projects/PROJECT/oobCodes", "", "oobCodes", true},
		{"r", "+sendOobCode", `{"requestType":"PASSWORD_RESET","email":"b@example.com","returnOobLink":true}`, "kind,email", false},
		{"", "resetPassword", `{"oobCode":"{{r.oobCode}}","newPassword":"short"}`, "", false},
		{"", "resetPassword", `{"oobCode":"{{r.oobCode}}","newPassword":"secret2"}`, "kind,requestType,email", false},
		{"", "resetPassword", `{"oobCode":"{{r.oobCode}}","newPassword":"secret2"}`, "", false},
		{"", "signInWithPassword", `{"email":"b@example.com","password":"secret2"}`, "registered,email", false},
		{"l", "+sendOobCode", `{"requestType":"EMAIL_SIGNIN","email":"new@example.com","returnOobLink":true}`, "kind,email", false},
		{"", "signInWithEmailLink", `{"oobCode":"{{l.oobCode}}","email":"other@example.com"}`, "", false},
		{"", "signInWithEmailLink", `{"oobCode":"{{l.oobCode}}","email":"x"}`, "", false},
		{"", "signInWithEmailLink", `{"oobCode":"none","email":"x"}`, "", false},
		{"", "signInWithEmailLink", `{"email":"x"}`, "", false},
		{"", "signInWithEmailLink", `{"idToken":"x"}`, "", false},
		{"", "signInWithEmailLink", `{"oobCode":"none","email":"new@example.com","idToken":"x"}`, "", false},
		{"", "signInWithEmailLink", `{"oobCode":"{{l.oobCode}}","email":"new@example.com","idToken":"x"}`, "", false},
		{"n", "signInWithEmailLink", `{"oobCode":"{{l.oobCode}}","email":"new@example.com"}`, "kind,email,isNewUser,expiresIn", false},
		{"", "createAuthUri", `{"identifier":"new@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
	},
	"links": {
		{"a", "signUp", `{"email":"a@example.com","password":"secret1"}`, "", false},
		{"", "GET /emulator/action?mode=verifyEmail&oobCode=x", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=verifyEmail&apiKey=k", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=nothing&apiKey=k&oobCode=x", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=verifyEmail&apiKey=k&oobCode=x", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=verifyAndChangeEmail&apiKey=k&oobCode=x", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=resetPassword&apiKey=k&oobCode=x", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=recoverEmail&apiKey=k&oobCode=x", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=signIn&apiKey=k&oobCode=x", "", "authEmulator", false},
		{"", "GET /emulator/action?apiKey=k&mode=signIn&oobCode=x&continueUrl=http://localhost/in", "", "location", false},
		{"r", "+sendOobCode", `{"requestType":"PASSWORD_RESET","email":"a@example.com","returnOobLink":true}`, "", false},
		{"", "GET /emulator/action?mode=recoverEmail&apiKey=k&oobCode={{r.oobCode}}", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=resetPassword&apiKey=k&oobCode={{r.oobCode}}", "", "authEmulator.error,authEmulator.instructions,authEmulator.instructions2", false},
		{"", "GET /emulator/action?mode=resetPassword&apiKey=k&oobCode={{r.oobCode}}&newPassword=NEW_PASSWORD_HERE", "", "authEmulator.error,authEmulator.instructions,authEmulator.instructions2", false},
		{"", "GET /emulator/action?mode=resetPassword&apiKey=k&oobCode={{r.oobCode}}&newPassword=short", "", "", false},
		{"", "GET /emulator/action?mode=resetPassword&apiKey=k&oobCode={{r.oobCode}}&newPassword=secret2", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=resetPassword&apiKey=k&oobCode={{r.oobCode}}&newPassword=secret2", "", "authEmulator", false},
		{"a", "signInWithPassword", `{"email":"a@example.com","password":"secret2","returnSecureToken":true}`, "email", false},
		{"v", "+sendOobCode", `{"requestType":"VERIFY_EMAIL","email":"a@example.com","returnOobLink":true}`, "", false},
		{"", "GET /emulator/action?mode=verifyEmail&apiKey=k&oobCode={{v.oobCode}}", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=verifyEmail&apiKey=k&oobCode={{v.oobCode}}", "", "authEmulator", false},
		{"w", "+sendOobCode", `{"requestType":"VERIFY_EMAIL","email":"a@example.com","returnOobLink":true}`, "", false},
		{"", "GET /emulator/action?mode=verifyEmail&apiKey=k&oobCode={{w.oobCode}}&continueUrl=http://localhost/ok", "", "location", false},
		{"", "sendOobCode", `{"requestType":"VERIFY_AND_CHANGE_EMAIL","idToken":"{{a.idToken}}","newEmail":"b@example.com"}`, "email", false},
		{"c", "GET /emulator/v1/projects/PROJECT/oobCodes", "", "", false},
		{"", "GET /emulator/action?mode=verifyAndChangeEmail&apiKey=k&oobCode={{c.oobCodes.-1.oobCode}}", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=verifyAndChangeEmail&apiKey=k&oobCode={{c.oobCodes.-1.oobCode}}", "", "authEmulator", false},
		{"b", "signInWithPassword", `{"email":"b@example.com","password":"secret2","returnSecureToken":true}`, "email", false},
		{"", "update", `{"idToken":"{{b.idToken}}","email":"c@example.com"}`, "email,emailVerified", false},
		{"o", "GET /emulator/v1/projects/PROJECT/oobCodes", "", "oobCodes.-1.requestType,oobCodes.-1.email", false},
		{"", "GET /emulator/action?mode=recoverEmail&apiKey=k&oobCode={{o.oobCodes.-1.oobCode}}", "", "authEmulator", false},
		{"", "GET /emulator/action?mode=recoverEmail&apiKey=k&oobCode={{o.oobCodes.-1.oobCode}}", "", "authEmulator", false},
	},
	"a second factor": {
		{"a", "signUp", `{"email":"a@example.com","password":"secret1"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start", `{"idToken":"{{a.idToken}}","phoneEnrollmentInfo":{"phoneNumber":"+15555550100"}}`, "", false},
		{"", "+update", `{"localId":"{{a.localId}}","emailVerified":true}`, "emailVerified", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start", `{"idToken":"{{a.idToken}}","phoneEnrollmentInfo":{"phoneNumber":"55"}}`, "", false},
		{"m", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start", `{"idToken":"{{a.idToken}}","phoneEnrollmentInfo":{"phoneNumber":"+15555550100"}}`, "", false},
		{"c", "GET /emulator/v1/projects/PROJECT/verificationCodes", "", "verificationCodes.-1.phoneNumber", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:finalize", `{"idToken":"{{a.idToken}}","phoneVerificationInfo":{"sessionInfo":"{{m.phoneSessionInfo.sessionInfo}}"}}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:finalize", `{"idToken":"{{a.idToken}}","phoneVerificationInfo":{"sessionInfo":"{{m.phoneSessionInfo.sessionInfo}}","code":"000000"}}`, "", false},
		{"f", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:finalize", `{"idToken":"{{a.idToken}}","displayName":"my phone","phoneVerificationInfo":{"sessionInfo":"{{m.phoneSessionInfo.sessionInfo}}","code":"{{c.verificationCodes.-1.code}}"}}`, "idToken.firebase.sign_in_second_factor,idToken.firebase.sign_in_provider,idToken.email_verified", false},
		{"", "lookup", `{"idToken":"{{f.idToken}}"}`, "users.0.mfaInfo.0.phoneInfo,users.0.mfaInfo.0.displayName,users.0.mfaInfo.1", false},
		{"s", "signInWithPassword", `{"email":"a@example.com","password":"secret1","returnSecureToken":true}`, "idToken,registered,mfaInfo.0.phoneInfo,mfaInfo.0.displayName", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start", `{"mfaPendingCredential":"{{s.mfaPendingCredential}}","mfaEnrollmentId":"none","phoneSignInInfo":{}}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start", `{"mfaPendingCredential":"{{s.mfaPendingCredential}}"}`, "", false},
		{"n", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start", `{"mfaPendingCredential":"{{s.mfaPendingCredential}}","mfaEnrollmentId":"{{s.mfaInfo.0.mfaEnrollmentId}}","phoneSignInInfo":{}}`, "", false},
		{"c", "GET /emulator/v1/projects/PROJECT/verificationCodes", "", "verificationCodes.-1.phoneNumber", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize", `{"mfaPendingCredential":"{{s.mfaPendingCredential}}","phoneVerificationInfo":{"sessionInfo":"{{n.phoneResponseInfo.sessionInfo}}","code":"000000"}}`, "", false},
		{"d", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize", `{"mfaPendingCredential":"{{s.mfaPendingCredential}}","phoneVerificationInfo":{"sessionInfo":"{{n.phoneResponseInfo.sessionInfo}}","code":"{{c.verificationCodes.-1.code}}"}}`, "idToken.firebase.sign_in_second_factor,idToken.firebase.sign_in_provider,idToken.email_verified", false},
		{"", "/securetoken.googleapis.com/v1/token", `{"grant_type":"refresh_token","refresh_token":"{{d.refreshToken}}"}`, "id_token.firebase.sign_in_second_factor,expires_in,token_type,project_id", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:withdraw", `{"idToken":"{{d.idToken}}","mfaEnrollmentId":"none"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:withdraw", `{"idToken":"{{d.idToken}}"}`, "", false},
		{"w", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:withdraw", `{"idToken":"{{d.idToken}}","mfaEnrollmentId":"{{s.mfaInfo.0.mfaEnrollmentId}}"}`, "idToken.email", false},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"secret1","returnSecureToken":true}`, "registered,mfaInfo,idToken.email", false},
	},
	"an anonymous user becomes permanent": {
		{"a", "signUp", `{"returnSecureToken":true}`, "idToken.provider_id,idToken.firebase", false},
		{"b", "signUp", `{"idToken":"{{a.idToken}}","email":"a@example.com","password":"secret1","returnSecureToken":true}`, "email,idToken.firebase.sign_in_provider,idToken.firebase.identities,idToken.provider_id", false},
		{"", "lookup", `{"idToken":"{{b.idToken}}"}`, "users.0.email,users.0.emailVerified,users.0.providerUserInfo.0", false},
		{"c", "signUp", `{"returnSecureToken":true}`, "", false},
		{"g", "signInWithIdp", `{"requestUri":"http://localhost","returnIdpCredential":true,"returnSecureToken":true,"postBody":"providerId=google.com&id_token={\"sub\":\"g1\",\"email\":\"g@example.com\",\"email_verified\":true,\"name\":\"G\"}","idToken":"{{c.idToken}}"}`, "isNewUser,email,emailVerified,displayName,idToken.firebase,idToken.name", false},
		{"d", "signUp", `{"returnSecureToken":true}`, "", false},
		{"", "signInWithIdp", `{"requestUri":"http://localhost","returnIdpCredential":true,"returnSecureToken":true,"postBody":"providerId=google.com&id_token={\"sub\":\"g1\",\"email\":\"g@example.com\"}","idToken":"{{d.idToken}}"}`, "errorMessage,email,idToken", false},
		{"", "signInWithIdp", `{"requestUri":"http://localhost","returnIdpCredential":true,"returnSecureToken":true,"postBody":"providerId=google.com&id_token={\"sub\":\"g9\",\"email\":\"a@example.com\"}","idToken":"{{d.idToken}}"}`, "errorMessage,email,idToken,needConfirmation", false},
		{"p", "sendVerificationCode", `{"phoneNumber":"+15555550100"}`, "", false},
		{"c", "GET /emulator/v1/projects/PROJECT/verificationCodes", "", "", false},
		{"h", "signInWithPhoneNumber", `{"sessionInfo":"{{p.sessionInfo}}","code":"{{c.verificationCodes.-1.code}}","idToken":"{{d.idToken}}"}`, "phoneNumber,isNewUser,idToken.phone_number,idToken.firebase", false},
		{"", "lookup", `{"idToken":"{{h.idToken}}"}`, "users.0.phoneNumber,users.0.providerUserInfo", false},
	},
	"providers are linked and unlinked": {
		{"a", "signUp", `{"email":"a@example.com","password":"secret1"}`, "", false},
		{"g", "signInWithIdp", `{"requestUri":"http://localhost","returnIdpCredential":true,"returnSecureToken":true,"postBody":"providerId=google.com&id_token={\"sub\":\"g1\",\"email\":\"g@example.com\",\"name\":\"G\"}","idToken":"{{a.idToken}}"}`, "email,isNewUser,idToken.firebase.identities,idToken.firebase.sign_in_provider", false},
		{"h", "signInWithIdp", `{"requestUri":"http://localhost","returnIdpCredential":true,"returnSecureToken":true,"postBody":"providerId=github.com&id_token={\"sub\":\"h1\"}","idToken":"{{a.idToken}}"}`, "email,isNewUser,idToken.firebase.identities", false},
		{"", "createAuthUri", `{"identifier":"a@example.com","continueUri":"http://localhost/"}`, "registered", false},
		{"", "update", `{"idToken":"{{a.idToken}}","deleteProvider":["google.com"]}`, "email", false},
		{"", "lookup", `{"idToken":"{{a.idToken}}"}`, "users.0.email,users.0.providerUserInfo.2", false},
		{"p", "sendVerificationCode", `{"phoneNumber":"+15555550100"}`, "", false},
		{"c", "GET /emulator/v1/projects/PROJECT/verificationCodes", "", "", false},
		{"", "signInWithPhoneNumber", `{"sessionInfo":"{{p.sessionInfo}}","code":"000000","idToken":"{{a.idToken}}"}`, "", false},
		{"", "signInWithPhoneNumber", `{"sessionInfo":"{{p.sessionInfo}}","code":"{{c.verificationCodes.-1.code}}","idToken":"{{a.idToken}}"}`, "phoneNumber,idToken.phone_number,idToken.firebase.identities", false},
		{"", "signInWithPhoneNumber", `{"sessionInfo":"{{p.sessionInfo}}","code":"{{c.verificationCodes.-1.code}}","idToken":"{{a.idToken}}"}`, "", false},
		{"b", "signUp", `{"email":"b@example.com","password":"secret1"}`, "", false},
		{"p", "sendVerificationCode", `{"phoneNumber":"+15555550100"}`, "", false},
		{"c", "GET /emulator/v1/projects/PROJECT/verificationCodes", "", "", false},
		{"t", "signInWithPhoneNumber", `{"sessionInfo":"{{p.sessionInfo}}","code":"{{c.verificationCodes.-1.code}}","idToken":"{{b.idToken}}"}`, "phoneNumber,idToken", false},
		{"", "signInWithPhoneNumber", `{"temporaryProof":"{{t.temporaryProof}}","phoneNumber":"+15555550199"}`, "", false},
		{"", "signInWithPhoneNumber", `{"temporaryProof":"{{t.temporaryProof}}","phoneNumber":"+15555550100"}`, "phoneNumber,isNewUser,idToken.firebase.sign_in_provider", false},
		{"", "update", `{"idToken":"{{a.idToken}}","deleteProvider":["phone"]}`, "email", false},
		{"", "lookup", `{"idToken":"{{a.idToken}}"}`, "users.0.phoneNumber,users.0.providerUserInfo.2", false},
	},
	"claims": {
		{"a", "signUp", `{"email":"a@example.com","password":"secret1"}`, "idToken.admin", false},
		{"", "+update", `{"localId":"{{a.localId}}","customAttributes":"{\"admin\":true,\"level\":{\"a\":[1]}}"}`, "", false},
		{"r", "/securetoken.googleapis.com/v1/token", `{"grant_type":"refresh_token","refresh_token":"{{a.refreshToken}}"}`, "id_token.admin,id_token.level", false},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"secret1","returnSecureToken":true}`, "idToken.admin,idToken.level,idToken.firebase", false},
		{"", "lookup", `{"idToken":"{{a.idToken}}"}`, "users.0.customAttributes", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT:createSessionCookie", `{"idToken":"{{r.id_token}}","validDuration":"3600"}`, "sessionCookie.iss,sessionCookie.aud,sessionCookie.admin,sessionCookie.level,sessionCookie.email,sessionCookie.firebase", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT:createSessionCookie", `{"idToken":"{{r.id_token}}","validDuration":"299"}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT:createSessionCookie", `{"idToken":"{{r.id_token}}","validDuration":"1209601"}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT:createSessionCookie", `{"idToken":"x"}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT:createSessionCookie", `{}`, "", false},
		{"", "+update", `{"localId":"{{a.localId}}","customAttributes":"{\"sub\":\"x\"}"}`, "", false},
		{"", "+update", `{"localId":"{{a.localId}}","customAttributes":"[]"}`, "", false},
		{"", "+update", `{"localId":"{{a.localId}}","customAttributes":"{}"}`, "", false},
		{"", "/securetoken.googleapis.com/v1/token", `{"grant_type":"refresh_token","refresh_token":"{{a.refreshToken}}"}`, "id_token.admin,id_token.level", false},
		{"", "+update", `{"localId":"{{a.localId}}","disableUser":true}`, "", false},
		{"", "/securetoken.googleapis.com/v1/token", `{"grant_type":"refresh_token","refresh_token":"{{a.refreshToken}}"}`, "", false},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"secret1"}`, "", false},
		{"", "lookup", `{"idToken":"{{a.idToken}}"}`, "", false},
	},
	"users of a tenant": {
		{"t", "+/identitytoolkit.googleapis.com/v2/projects/PROJECT/tenants", `{"displayName":"one","allowPasswordSignup":true,"enableAnonymousUser":true,"enableEmailLinkSignin":true}`, "displayName", false},
		{"a", "signUp", `{"email":"a@example.com","password":"secret1","tenantId":"{{t.tenantId}}"}`, "email,idToken.firebase.sign_in_provider", false},
		{"b", "signUp", `{"email":"a@example.com","password":"secret1"}`, "email,idToken.firebase.tenant", false},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"secret1","tenantId":"{{t.tenantId}}"}`, "registered", false},
		{"", "lookup", `{"idToken":"{{a.idToken}}","tenantId":"none"}`, "", false},
		{"", "update", `{"idToken":"{{a.idToken}}","displayName":"Ann"}`, "displayName", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/tenants/{{t.tenantId}}/accounts:lookup", `{"email":["a@example.com"]}`, "users.0.displayName,users.1", false},
		{"", "+lookup", `{"email":["a@example.com"]}`, "users.0.displayName,users.0.tenantId,users.1", false},
		{"c", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/tenants/{{t.tenantId}}/accounts", `{"email":"c@example.com","password":"secret1"}`, "email", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/tenants/{{t.tenantId}}/accounts:update", `{"localId":"{{c.localId}}","customAttributes":"{\"r\":1}"}`, "", false},
		{"", "signInWithPassword", `{"email":"c@example.com","password":"secret1","tenantId":"{{t.tenantId}}","returnSecureToken":true}`, "idToken.r", false},
		{"", "+update", `{"localId":"{{c.localId}}","displayName":"x"}`, "", false},
		{"r", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/tenants/{{t.tenantId}}/accounts:sendOobCode", `{"requestType":"PASSWORD_RESET","email":"a@example.com","returnOobLink":true}`, "email", false},
		{"", "resetPassword", `{"oobCode":"{{r.oobCode}}","newPassword":"secret2"}`, "", false},
		{"", "resetPassword", `{"oobCode":"{{r.oobCode}}","newPassword":"secret2","tenantId":"{{t.tenantId}}"}`, "email,requestType", false},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"secret2","tenantId":"{{t.tenantId}}"}`, "registered", false},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"secret1"}`, "registered", false},
		{"", "+DELETE /identitytoolkit.googleapis.com/v2/projects/PROJECT/tenants/{{t.tenantId}}", "", "", false},
	},
	"an unverified account by e-mail link": {
		{"a", "signUp", `{"email":"a@example.com","password":"secret1"}`, "", false},
		{"l", "+sendOobCode", `{"requestType":"EMAIL_SIGNIN","email":"a@example.com","returnOobLink":true}`, "", false},
		{"", "signInWithEmailLink", `{"oobCode":"{{l.oobCode}}","email":"a@example.com"}`, "email,isNewUser", false},
		{"", "createAuthUri", `{"identifier":"a@example.com","continueUri":"http://localhost/"}`, "allProviders", true},
	},
	"providers": {
		{"i", "signInWithIdp", idpBody(`providerId=google.com&id_token={"sub":"1","email":"i@example.com","name":"Ida","screen_name":"ida","given_name":"I"}`), "kind,providerId,federatedId,email,emailVerified,displayName,fullName,firstName,screenName,isNewUser,oauthAccessToken,rawUserInfo", false},
		{"", "signInWithIdp", idpBody(`providerId=google.com&id_token={"sub":"2"}`), "isNewUser,rawUserInfo", false},
		{"", "lookup", `{"idToken":"{{i.idToken}}"}`, "users.0.screenName,users.0.displayName,users.0.providerUserInfo", false},
		{"", "signInWithIdp", `{"requestUri":"http://localhost","returnIdpCredential":true,"idToken":"{{i.idToken}}","postBody":"providerId=google.com&id_token={\"sub\":\"1\"}"}`, "errorMessage,localId", false},
		{"", "signInWithIdp", idpBody(`providerId=facebook.com&id_token={"sub":"3","email":"i@example.com"}`), "needConfirmation,verifiedProvider,isNewUser", false},
		{"", "signInWithIdp", idpBody(`providerId=google.com&id_token={}`), "", false},
		{"", "signInWithIdp", idpBody(`id_token={"sub":"1"}`), "", false},
		{"", "signInWithIdp", `{"postBody":"providerId=google.com"}`, "", false},
		{"", "signInWithIdp", idpBody(`providerId=saml.x&id_token={"sub":"4"}&SAMLResponse={}`), "", false},
		{"", "signInWithIdp", idpBody(`providerId=saml.x&id_token={"sub":"4"}&SAMLResponse={"assertion":{}}`), "", false},
		{"", "signInWithIdp", idpBody(`providerId=saml.x&id_token={"sub":"4"}&SAMLResponse={"assertion":{"subject":{}}}`), "", false},
		{"", "signInWithIdp", idpBody(`providerId=saml.x&id_token={"sub":"4"}&SAMLResponse={"assertion":{"subject":{"nameId":"S@example.com"},"attributeStatements":{"n":"v"}}}`), "email,emailVerified,rawUserInfo,isNewUser", false},
		{"", "createAuthUri", `{"identifier":"i@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
		{"p", "signUp", `{"email":"p@example.com","password":"secret1","displayName":"Pia"}`, "", false},
		{"q", "signInWithIdp", idpBody(`providerId=google.com&id_token={"sub":"9","email":"p@example.com","email_verified":true}`), "emailVerified,isNewUser", false},
		{"", "lookup", `{"idToken":"{{q.idToken}}"}`, "users.0.displayName,users.0.emailVerified", true},
	},
	"factors": {
		{"m", "signUp", `{"email":"m@example.com","password":"secret1","mfaInfo":[{"phoneInfo":"+15555550100"},{"phoneInfo":"+15555550100"}]}`, "", false},
		{"", "signInWithPassword", `{"email":"m@example.com","password":"secret1"}`, "mfaInfo.0.phoneInfo,mfaInfo.1,idToken", true},
		{"", "+update", `{"localId":"{{m.localId}}","mfa":{"enrollments":[{"phoneInfo":"+15555550100"}]}}`, "", true},
		{"", "+update", `{"localId":"{{m.localId}}","mfa":{"enrollments":[{"phoneInfo":"5555"}]}}`, "", false},
		{"", "+update", `{"localId":"{{m.localId}}","mfa":{"enrollments":[]}}`, "emailVerified", false},
		{"", "lookup", `{"idToken":"{{m.idToken}}"}`, "users.0.mfaInfo", true},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start", `{}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start", `{}`, "", true},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start", `{"idToken":""}`, "", true},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start", `{"idToken":"x"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start", `{"idToken":"{{m.idToken}}"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:finalize", `{}`, "", true},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:finalize", `{"idToken":""}`, "", true},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:finalize", `{"idToken":"x"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:withdraw", `{}`, "", true},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:withdraw", `{"idToken":""}`, "", true},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:withdraw", `{"idToken":"x"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:withdraw", `{"idToken":"{{m.idToken}}"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start", `{"mfaPendingCredential":""}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start", `{"mfaPendingCredential":"x"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize", `{}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize", `{"mfaPendingCredential":""}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize", `{"mfaPendingCredential":"x"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize", `{"mfaPendingCredential":"x","phoneVerificationInfo":{}}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize", `{"mfaPendingCredential":"x","phoneVerificationInfo":{"code":"1"}}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/passkeyEnrollment:finalize", `{"idToken":"x"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/passkeySignIn:finalize", `{}`, "", false},
	},
	"tenants": {
		{"", "+GET /identitytoolkit.googleapis.com/v2/projects/demo-nothing/tenants", "", "tenants,nextPageToken", false},
		{"t", "+/identitytoolkit.googleapis.com/v2/projects/PROJECT/tenants", `{}`, "allowPasswordSignup,disableAuth,enableAnonymousUser,enableEmailLinkSignin,mfaConfig", false},
		{"", "+PATCH /identitytoolkit.googleapis.com/v2/projects/PROJECT/tenants/{{t.tenantId}}", `{"displayName":"display","allowPasswordSignup":true}`, "displayName,allowPasswordSignup,disableAuth,mfaConfig", false},
		{"", "+PATCH /identitytoolkit.googleapis.com/v2/projects/PROJECT/tenants/{{t.tenantId}}?updateMask=displayName.0", `{"displayName":"unused"}`, "displayName", false},
		{"", "+PATCH /identitytoolkit.googleapis.com/v2/projects/PROJECT/tenants/{{t.tenantId}}", `{}`, "displayName,allowPasswordSignup,mfaConfig", false},
		{"", "+GET /identitytoolkit.googleapis.com/v2/projects/PROJECT/tenants/made-on-use", "", "name,tenantId,allowPasswordSignup,disableAuth,enableAnonymousUser,enableEmailLinkSignin,mfaConfig", false},
		{"off", "+/identitytoolkit.googleapis.com/v2/projects/PROJECT/tenants", `{"disableAuth":true}`, "disableAuth", false},
		{"", "signUp", `{"tenantId":"{{off.tenantId}}"}`, "", false},
		{"", "lookup", `{"tenantId":"{{off.tenantId}}"}`, "", false},
		{"", "delete", `{"tenantId":"{{off.tenantId}}"}`, "", false},
		{"", "sendOobCode", `{"tenantId":"{{off.tenantId}}"}`, "", false},
		{"", "signInWithCustomToken", `{"tenantId":"{{off.tenantId}}"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start", `{"tenantId":"{{off.tenantId}}"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start", `{"tenantId":"{{t.tenantId}}"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize", `{"tenantId":"{{t.tenantId}}"}`, "", false},
		{"", "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:withdraw", `{"tenantId":"{{off.tenantId}}"}`, "", false},
		{"", "+GET /identitytoolkit.googleapis.com/v1/projects/PROJECT/tenants/{{off.tenantId}}/accounts:batchGet", "", "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/tenants/{{off.tenantId}}/accounts:batchCreate", `{}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/tenants/{{off.tenantId}}/accounts:query", `{}`, "", false},
	},
	"settings": {
		{"", "+GET /identitytoolkit.googleapis.com/v2/projects/PROJECT/config", "", "signIn,blockingFunctions,emailPrivacyConfig", true},
		{"", "+PATCH /identitytoolkit.googleapis.com/v2/projects/PROJECT/config", `{"blockingFunctions":{"triggers":{"afterwards":{"functionUri":"http://localhost"}}}}`, "", false},
		{"", "+PATCH /identitytoolkit.googleapis.com/v2/projects/PROJECT/config", `{"blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"nowhere"}}}}`, "", false},
		{"", "+PATCH /identitytoolkit.googleapis.com/v2/projects/PROJECT/config", `{"blockingFunctions":{"forwardInboundCredentials":{"idToken":true}}}`, "blockingFunctions", false},
		{"", "+PATCH /identitytoolkit.googleapis.com/v2/projects/PROJECT/config", `{}`, "blockingFunctions,signIn.allowDuplicateEmails", false},
		{"", "+PATCH /identitytoolkit.googleapis.com/v2/projects/PROJECT/config?updateMask=emailPrivacyConfig", `{"emailPrivacyConfig":{"enableImprovedEmailPrivacy":true}}`, "emailPrivacyConfig", false},
		{"", "signInWithPassword", `{"email":"nobody@example.com","password":"wrong12"}`, "", false},
		{"", "sendOobCode", `{"requestType":"PASSWORD_RESET","email":"nobody@example.com"}`, "kind,email", false},
		{"", "createAuthUri", `{"identifier":"nobody@example.com","continueUri":"http://localhost/"}`, "registered,allProviders,signinMethods", false},
		{"", "+PATCH /identitytoolkit.googleapis.com/v2/projects/PROJECT/config?updateMask=emailPrivacyConfig", `{"emailPrivacyConfig":{"enableImprovedEmailPrivacy":false}}`, "emailPrivacyConfig", true},
	},
	"accounts in bulk": {
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchCreate", `{}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchCreate", `{"users":[{"localId":"a"},{"localId":"a"}]}`, "", true},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchCreate", `{"sanityCheck":true,"users":[{"localId":"a","email":"a@example.com"},{"localId":"b","email":"a@example.com"}]}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchCreate", `{"sanityCheck":true,"users":[{"localId":"a","providerUserInfo":[{"providerId":"google.com","rawId":"1"}]},{"localId":"b","providerUserInfo":[{"providerId":"google.com","rawId":"1"}]}]}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchCreate", `{"users":[{"email":"x@example.com"},{"localId":"b","email":"x"},{"localId":"c","phoneNumber":"555"},{"localId":"d","customAttributes":"[1]"},{"localId":"e","customAttributes":"{\"sub\":\"1\"}"},{"localId":"f","providerUserInfo":[{"providerId":"google.com"}]}]}`, "kind,error", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchCreate", `{"users":[{"localId":"g","mfaInfo":[{"phoneInfo":"+15555550100"}]}]}`, "error", true},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchCreate", `{"users":[{"localId":"h","email":"h@example.com","emailVerified":true,"mfaInfo":[{"phoneInfo":"+15555550100","mfaEnrollmentId":"f1","enrolledAt":"2026-01-02T03:04:05.000Z"}]},{"localId":"i","rawPassword":"secret1","email":"i@example.com"}]}`, "", false},
		{"", "+lookup", `{"localId":["h"]}`, "users.0.mfaInfo,users.0.emailVerified,users.0.email", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchCreate", `{"users":[{"localId":"h"}]}`, "error", true},
		{"", "+GET /identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchGet?maxResults=2", "", "kind,nextPageToken", true},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:query", `{"returnUserInfo":false}`, "userInfo", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts", `{"localId":"i"}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts", `{"email":"i@example.com"}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts", `{"phoneNumber":"555"}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts", `{"email":"j@example.com","password":"short"}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts", `{"email":"j@example.com","displayName":"Jo"}`, "kind,email,displayName,idToken", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchDelete", `{}`, "", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchDelete", `{"localIds":["h","i"]}`, "errors", false},
		{"", "+/identitytoolkit.googleapis.com/v1/projects/PROJECT/accounts:batchDelete", `{"localIds":["h","i"],"force":true}`, "errors", false},
	},
}

// idpBody returns the body of a sign-in request with a provider's credential.
func idpBody(post string) string {
	text, err := json.Marshal(map[string]any{"requestUri": "http://localhost", "returnIdpCredential": true, "returnSecureToken": true, "postBody": post})
	if err != nil {
		panic(err) // texts can be encoded
	}
	return string(text)
}

// officialTools returns the folder of firebase-tools: that of the firebase.js which CLAVE_TEST_FIREBASE names, or the
// one in functions, which `make test` installs. If there is none, the test is skipped.
func officialTools(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped in short mode: the official emulator takes seconds to start")
	}
	program := cmp.Or(os.Getenv("CLAVE_TEST_FIREBASE"), "functions/node_modules/firebase-tools/lib/bin/firebase.js")
	if _, err := os.Stat(program); err != nil {
		t.Skipf("skipped: firebase-tools is not installed: %v (make server/test/e2e/functions/node_modules/.installed, or set CLAVE_TEST_FIREBASE)", err)
	}
	folder, err := filepath.Abs(filepath.Join(filepath.Dir(program), "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// officialAuth starts the Auth emulator of firebase-tools and returns its origin. It requires Node and no Java.
func officialAuth(t *testing.T, tools string, env ...string) string {
	t.Helper()
	script, err := filepath.Abs("functions/official-auth.cjs")
	if err != nil {
		t.Fatal(err)
	}
	return authServer(t, func(_ string, port int) *exec.Cmd {
		cmd := exec.Command("node", script)
		cmd.Env = append(os.Environ(), "FIREBASE_TOOLS="+tools, "GCLOUD_PROJECT=demo-e2e", fmt.Sprintf("AUTH_PORT=%d", port))
		cmd.Env = append(cmd.Env, env...)
		return cmd
	})
}

// authServer starts an Auth server, waits until it answers, and returns its origin.
func authServer(t *testing.T, run func(config string, port int) *exec.Cmd) string {
	t.Helper()
	dir, ports := t.TempDir(), harness.FreePorts(t, 3)
	file := filepath.Join(dir, "firebase.json")
	harness.WriteFile(t, file, fmt.Sprintf(`{"emulators": {"auth": {"host": "127.0.0.1", "port": %d}, "ui": {"enabled": false}, "hub": {"port": %d}, "logging": {"port": %d}}}`,
		ports[0], ports[1], ports[2]))
	cmd := run(file, ports[0])
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	origin := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	const timeLimit = 2 * time.Minute // the official emulator takes long on a busy machine
	for until := time.Now().Add(timeLimit); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if res, err := http.Get(origin); err == nil {
			res.Body.Close()
			return origin
		}
	}
	t.Fatalf("%v did not answer within %v", cmd.Args, timeLimit)
	return ""
}

// placeholder matches a reference to a field of an earlier answer.
var placeholder = regexp.MustCompile(`\{\{(\w+)\.([\w.-]+)\}\}`)

// noRedirects is a client that does not follow redirects.
var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// authAnswers sends a sequence and returns the compared part of each answer.
func authAnswers(t *testing.T, origin, project string, steps []authStep) []string {
	t.Helper()
	saved := map[string]map[string]any{}
	fill := func(s string) string {
		s = strings.ReplaceAll(s, "PROJECT", project)
		return placeholder.ReplaceAllStringFunc(s, func(m string) string {
			parts := placeholder.FindStringSubmatch(m)
			v, _ := at(saved[parts[1]], strings.Split(parts[2], "."))
			return fmt.Sprint(v)
		})
	}
	var out []string
	for _, s := range steps {
		path, owner := strings.CutPrefix(s.path, "+")
		method, rest, ok := strings.Cut(path, " ")
		if !ok {
			method, rest = http.MethodPost, path
		}
		if !strings.HasPrefix(rest, "/") {
			rest = "/identitytoolkit.googleapis.com/v1/accounts:" + rest
		}
		body := fill(s.body)
		r, err := http.NewRequestWithContext(t.Context(), method, origin+fill(rest), bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		if owner {
			r.Header.Set("Authorization", "Bearer owner")
		} else {
			r.Header.Set("X-Goog-Api-Key", "k")
		}
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		res, err := noRedirects.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		answer := map[string]any{"location": res.Header.Get("Location")}
		if err != nil || answer["location"] == "" && json.Unmarshal(text, &answer) != nil {
			t.Fatalf("%s answers %d %.300s: %v", s.path, res.StatusCode, text, err)
		}
		if s.id != "" {
			saved[s.id] = answer
		}
		out = append(out, compared(t, res.StatusCode, answer, s.fields))
	}
	return out
}

// compared returns the status, the error's text and the compared fields of an answer.
func compared(t *testing.T, status int, answer map[string]any, fields string) string {
	t.Helper()
	shown := map[string]any{"status": status}
	if e, ok := answer["error"].(map[string]any); ok {
		shown["message"] = e["message"]
	}
	for field := range strings.SplitSeq(fields, ",") {
		v, ok := at(answer, strings.Split(field, "."))
		if text, isText := v.(string); isText && field == "rawUserInfo" {
			_ = json.Unmarshal([]byte(text), &v) // a value that is not JSON is compared as text
		}
		if list, isList := v.([]any); isList && len(list) == 0 && field != "users.0.mfaInfo" && !strings.Contains(field, "roviders") && field != "signinMethods" && field != "tenants" {
			continue // absent and empty mean the same
		}
		if ok && field != "" {
			shown[field] = v
		}
	}
	text, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// at returns the value at a path of fields, list elements and claims of tokens. Negative numbers count from the end of
// a list.
func at(v any, path []string) (any, bool) {
	for _, name := range path {
		switch in := v.(type) {
		case string:
			var claims map[string]any
			parts := strings.Split(in, ".")
			text, err := base64.RawURLEncoding.DecodeString(parts[min(1, len(parts)-1)])
			if err != nil || json.Unmarshal(text, &claims) != nil {
				return nil, false
			}
			if v = claims[name]; v == nil {
				return nil, false
			}
		case map[string]any:
			var ok bool
			if v, ok = in[name]; !ok {
				return nil, false
			}
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(in) || -i > len(in) {
				return nil, false
			}
			if i < 0 {
				i += len(in)
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// allAuthSequences returns the sequences of all files.
func allAuthSequences() map[string][]authStep {
	out := maps.Clone(authSequences)
	maps.Copy(out, authFactorSequences)
	maps.Copy(out, authProviderSequences)
	return out
}

// authDifferences sends a sequence to the official Auth emulator and to a new `clave start` with the given arguments,
// and returns how their answers differ. It leaves out those that may differ unless Clave answers as the emulator.
func authDifferences(t *testing.T, official string, args []string, asEmulator bool, steps []authStep) (differences []string) {
	t.Helper()
	// Codes of e-mails remain when accounts are deleted, so another sequence's would be listed.
	ours := authServer(t, func(config string, _ int) *exec.Cmd {
		return harness.Command(t, filepath.Dir(config), append([]string{"start", "--config", config, "--memory", "--project", "demo-e2e", "--only", "auth"}, args...)...)
	})
	harness.Plain(t, http.MethodDelete, official+"/emulator/v1/projects/demo-e2e/accounts", "")
	want, got := authAnswers(t, official, "demo-e2e", steps), authAnswers(t, ours, "demo-e2e", steps)
	for i, s := range steps {
		if got[i] != want[i] && (asEmulator || !s.as) {
			differences = append(differences, fmt.Sprintf("%s %s answers\n%s\nthe official emulator\n%s", s.path, s.body, got[i], want[i]))
		}
	}
	return differences
}

// TestAuthBesideTheEmulator sends the same requests to the official Auth emulator, to `clave start` and to `clave start
// --as-emulator`, and compares the answers.
func TestAuthBesideTheEmulator(t *testing.T) {
	official := officialAuth(t, officialTools(t))
	for _, mode := range []struct {
		name string
		args []string
		as   bool
	}{{"start", nil, false}, {"start --as-emulator", []string{"--as-emulator"}, true}} {
		for name, steps := range allAuthSequences() {
			t.Run(mode.name+", "+name, func(t *testing.T) {
				var differences []string
				for range 10 {
					began := time.Now().Unix()
					differences = authDifferences(t, official, mode.args, mode.as, steps)
					// Times of tokens have whole seconds: an answer depends on whether a second ended since a token was issued.
					if differences == nil || time.Now().Unix() == began {
						break
					}
				}
				for _, d := range differences {
					t.Error(d)
				}
			})
		}
	}
}
