package sdk

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// functionAnswers are the answers of the blocking functions by event.
var functionAnswers = map[string]string{
	"beforeCreate": `{"userRecord":{"updateMask":"displayName,photoUrl,emailVerified,customClaims","displayName":"Old","photoUrl":"http://localhost/old","emailVerified":false,"customClaims":{"level":"old"}}}`,
	"beforeSignIn": `{"userRecord":{"updateMask":"displayName,photoUrl,emailVerified,customClaims,sessionClaims","displayName":"New","photoUrl":"http://localhost/new","emailVerified":true,"customClaims":{"level":"new"},"sessionClaims":{"at":"door"}}}`,
}

// recordedEvents are the events that blocking functions receive.
type recordedEvents struct{ list []string }

// ServeHTTP records an event, without what differs in every call, and answers it.
func (e *recordedEvents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	event, err := eventOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, name := range []string{"aud", "auth_time", "event_id", "exp", "iat", "ip_address", "locale", "raw_user_info", "sub", "user_agent"} {
		delete(event, name)
	}
	record, _ := event["user_record"].(map[string]any)
	for _, name := range []string{"disabled", "metadata", "uid"} {
		delete(record, name)
	}
	if event["event_type"] == "beforeCreate" {
		delete(record, "provider_data") // the official emulator's is empty except for identity providers
	}
	if record["email"] == nil && record["email_verified"] == false {
		delete(record, "email_verified") // which the official emulator omits
	}
	text, err := json.Marshal(event)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	e.list = append(e.list, string(text))
	fmt.Fprint(w, functionAnswers[fmt.Sprint(event["event_type"])])
}

// The compared fields of a sign-in that blocking functions changed. Whether the address is verified is not compared for
// phones, where the official emulator's claim may be false, and for a provider's repeated assertion, which verifies it.
const (
	signedIn       = "email,isNewUser,idToken.name,idToken.picture,idToken.email,idToken.level,idToken.at,idToken.firebase.sign_in_provider"
	verifiedSignIn = signedIn + ",idToken.email_verified"
)

// blockingSteps signs users up and in in each way while the given events have functions at an origin.
func blockingSteps(functions string, events ...string) []authStep {
	triggers := make(map[string]any)
	for _, event := range events {
		triggers[event] = map[string]any{"functionUri": functions + "/" + event}
	}
	settings, err := json.Marshal(map[string]any{"blockingFunctions": map[string]any{"triggers": triggers}})
	if err != nil {
		panic(err) // texts can be encoded
	}
	return []authStep{
		{"", "+PATCH " + projectConfig + "?updateMask=blockingFunctions", string(settings), "", false},
		{"a", "signUp", `{"email":"a@example.com","password":"secret1","displayName":"Ann"}`, verifiedSignIn, false},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"secret1","returnSecureToken":true}`, verifiedSignIn, false},
		{"", "signUp", `{"returnSecureToken":true}`, verifiedSignIn, false},
		{"l", "+sendOobCode", `{"requestType":"EMAIL_SIGNIN","email":"l@example.com","returnOobLink":true}`, "", false},
		{"", "signInWithEmailLink", `{"oobCode":"{{l.oobCode}}","email":"l@example.com"}`, verifiedSignIn, false},
		{"p", "sendVerificationCode", `{"phoneNumber":"+15555550100"}`, "", false},
		{"c", "GET /emulator/v1/projects/PROJECT/verificationCodes", "", "", false},
		{"", "signInWithPhoneNumber", `{"sessionInfo":"{{p.sessionInfo}}","code":"{{c.verificationCodes.-1.code}}"}`, signedIn, false},
		{"", "signInWithIdp", idpBody(`providerId=google.com&id_token={"sub":"1","email":"i@example.com","email_verified":true,"name":"Ida"}`), verifiedSignIn, false},
		{"", "signInWithIdp", idpBody(`providerId=google.com&id_token={"sub":"1","email":"i@example.com","email_verified":true,"name":"Ida"}`), signedIn, false},
		{"", "+update", `{"localId":"{{a.localId}}","mfa":{"enrollments":[{"phoneInfo":"+15555550101","mfaEnrollmentId":"one"}]}}`, "", false},
		{"", "signInWithPassword", `{"email":"a@example.com","password":"secret1"}`, "mfaInfo.0.mfaEnrollmentId,idToken", false},
		{"", "+PATCH " + projectConfig + "?updateMask=blockingFunctions", `{"blockingFunctions":{}}`, "", false},
	}
}

// TestBlockingBesideTheEmulator compares the answers to sign-ups and sign-ins with blocking functions, and the events
// that these receive, of the official Auth emulator and of `clave start`.
func TestBlockingBesideTheEmulator(t *testing.T) {
	official := officialAuth(t, officialTools(t))
	for _, args := range [][]string{nil, {"--as-emulator"}} {
		ours := authServer(t, func(config string, _ int) *exec.Cmd {
			return harness.Command(t, filepath.Dir(config), append([]string{"start", "--config", config, "--memory", "--project", "demo-e2e", "--only", "auth"}, args...)...)
		})
		for _, events := range [][]string{{"beforeCreate"}, {"beforeSignIn"}, {"beforeCreate", "beforeSignIn"}} {
			t.Run(strings.Join(append(slices.Clone(args), events...), " "), func(t *testing.T) {
				want, wantEvents := blockingAnswers(t, official, events)
				got, gotEvents := blockingAnswers(t, ours, events)
				for i, s := range blockingSteps("", events...) {
					if got[i] != want[i] {
						t.Errorf("%s %s answers\n%s\nthe official emulator\n%s", s.path, s.body, got[i], want[i])
					}
				}
				if !slices.Equal(gotEvents, wantEvents) {
					t.Errorf("functions receive\n%s\nfrom the official emulator\n%s", strings.Join(gotEvents, "\n"), strings.Join(wantEvents, "\n"))
				}
			})
		}
	}
}

// blockingAnswers returns the compared parts of a server's answers, and the events.
func blockingAnswers(t *testing.T, origin string, events []string) (answers, received []string) {
	t.Helper()
	harness.Plain(t, http.MethodDelete, origin+"/emulator/v1/projects/demo-e2e/accounts", "")
	var e recordedEvents
	functions := httptest.NewServer(&e)
	defer functions.Close()
	return authAnswers(t, origin, "demo-e2e", blockingSteps(functions.URL, events...)), e.list
}
