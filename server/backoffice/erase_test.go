package backoffice_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/backoffice"
	"clave/server/internal/base/clock/clocktest"
)

// formCollections are the collections that visitors write to.
var formCollections = []string{"Massive Boletin", "ContactRequests", "voluntaryAplications", "voluntaryApplications", "IntrumentRental"}

// keeper returns a service that uses running servers, its clock, its log, and a client of Firestore.
func keeper(t *testing.T) (*backoffice.Service, *clocktest.Manual, *bytes.Buffer, *firestore.Client) {
	t.Helper()
	startServers(t)
	log := &bytes.Buffer{}
	manual := clocktest.NewManual(time.Date(2027, 9, 15, 18, 0, 0, 0, time.UTC))
	s, err := backoffice.New(t.Context(), backoffice.Options{
		ProjectID: "demo-back-office", SignupCode: secret, UnsubscribeKey: backoffice.DemoUnsubscribeKey,
		Clock: manual, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	_, documents, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	return s, manual, log, documents
}

// put stores documents of an address, n in each collection.
func put(t *testing.T, documents *firestore.Client, email string, created time.Time, n int) {
	t.Helper()
	for _, name := range formCollections {
		for range n {
			if _, _, err := documents.Collection(name).Add(t.Context(), map[string]any{"email": email, "createdAt": created}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// left returns how often each address occurs in the collections.
func left(t *testing.T, documents *firestore.Client) map[string]int {
	t.Helper()
	found := make(map[string]int)
	for _, name := range formCollections {
		all, err := documents.Collection(name).Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range all {
			found[fmt.Sprint(document.Data()["email"])]++
		}
	}
	return found
}

// traces counts the records of erasures by reason. It fails if a record contains personal data.
func traces(t *testing.T, documents *firestore.Client) map[string]int {
	t.Helper()
	all, err := documents.Collection("erasures").Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]int)
	for _, document := range all {
		fields := document.Data()
		if text := fmt.Sprint(fields); strings.Contains(text, "@") {
			t.Errorf("a record of an erasure contains an address: %s", text)
		}
		counts, _ := fields["counts"].(map[string]any)
		for _, n := range counts {
			if n, ok := n.(int64); ok {
				found[fmt.Sprint(fields["reason"], " ", fields["by"])] += int(n)
			}
		}
	}
	return found
}

func TestEraseAPerson(t *testing.T) {
	s, manual, log, documents := keeper(t)
	put(t, documents, "ana@correo.do", manual.Now(), 2)
	put(t, documents, "otra@correo.do", manual.Now(), 1)
	if _, _, err := documents.Collection("voluntaryApplications").Add(t.Context(), map[string]any{"email": "aNa@Correo.do"}); err != nil {
		t.Fatal(err)
	}
	want := backoffice.Counts{"Massive Boletin": 2, "NewsletterAddresses": 0, "ContactRequests": 2, "voluntaryAplications": 2, "voluntaryApplications": 3, "IntrumentRental": 2}
	if got, err := s.Count(t.Context(), " Ana@Correo.DO "); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("Count = %v, %v, want %v", got, err, want)
	}
	delete(want, "NewsletterAddresses")
	if got, err := s.Erase(t.Context(), "uid-1", "Ana@Correo.DO"); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("Erase = %v, %v, want %v", got, err, want)
	}
	if got, err := s.Erase(t.Context(), "uid-1", "ana@correo.do"); err != nil || got.Total() != 0 {
		t.Errorf("Erase again = %v, %v, want nothing", got, err)
	}
	if got := left(t, documents); !reflect.DeepEqual(got, map[string]int{"otra@correo.do": 5}) {
		t.Errorf("left: %v", got)
	}
	if got := traces(t, documents); !reflect.DeepEqual(got, map[string]int{"request uid-1": 11}) {
		t.Errorf("traces: %v", got)
	}
	if strings.Contains(strings.ToLower(log.String()), "ana@") {
		t.Errorf("the log has personal data: %s", log)
	}
	for _, email := range []string{"", "  ", "ana", strings.Repeat("a", 250) + "@b.do"} {
		if _, err := s.Erase(t.Context(), "uid-1", email); nameOf(err) != "invalid-email" {
			t.Errorf("Erase(%.20q): %v", email, err)
		}
	}
}

func TestPurgeKeepsTheTerm(t *testing.T) {
	s, manual, log, documents := keeper(t)
	yearAgo := manual.Now().AddDate(-1, 0, 0)
	put(t, documents, "old@correo.do", yearAgo.Add(-time.Microsecond), 1)
	put(t, documents, "young@correo.do", yearAgo, 1)
	bulk := documents.BulkWriter(t.Context())
	for i := range 301 { // more than a batch
		if _, err := bulk.Create(documents.Collection("ContactRequests").Doc(fmt.Sprint("old-", i)), map[string]any{"createdAt": yearAgo.Add(-time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	bulk.End()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.KeepTerms(ctx) }()
	await(t, "what is older than a year is erased at the start", func() bool { return left(t, documents)["old@correo.do"] == 1 })
	if got := left(t, documents); !reflect.DeepEqual(got, map[string]int{"old@correo.do": 1, "young@correo.do": 5}) {
		t.Errorf("left: %v, want the newsletter's subscription and what is a year old", got)
	}
	await(t, "a day later what has become older is", func() bool {
		manual.Advance(time.Hour)
		return left(t, documents)["young@correo.do"] == 1
	})
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := traces(t, documents); got["term "] != 4+301+4 {
		t.Errorf("traces: %v, want 309", got)
	}
	if !strings.Contains(log.String(), "ContactRequests:302") || strings.Contains(log.String(), "@") {
		t.Errorf("the log is %s", log)
	}
}

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 300 {
		if holds() {
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-t.Context().Done():
		}
	}
	t.Fatalf("timeout while waiting for %s", what)
}

func TestUnsubscribeByLink(t *testing.T) {
	s, manual, _, documents := keeper(t)
	put(t, documents, "ana@correo.do", manual.Now(), 2)
	tokens, err := s.UnsubscribeTokens([]string{"ana@correo.do", "otra@correo.do"})
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(tokens[0], ".")
	_, second, _ := strings.Cut(tokens[1], ".")
	for _, token := range []string{"", ".", first, first + ".", first + "." + second, tokens[0] + "A", "ñ.ñ"} {
		if err := s.Unsubscribe(t.Context(), token); nameOf(err) != "invalid-action-code" {
			t.Errorf("Unsubscribe(%q): %v", token, err)
		}
	}
	if email, err := s.Subscriber(tokens[0]); err != nil || email != "ana@correo.do" {
		t.Errorf("Subscriber = %q, %v", email, err)
	}
	for range 2 {
		if err := s.Unsubscribe(t.Context(), tokens[0]); err != nil {
			t.Fatal(err)
		}
	}
	if got := left(t, documents); !reflect.DeepEqual(got, map[string]int{"ana@correo.do": 8}) {
		t.Errorf("left: %v, want all but the subscriptions", got)
	}
	if got := traces(t, documents); !reflect.DeepEqual(got, map[string]int{"unsubscribe ": 2}) {
		t.Errorf("traces: %v", got)
	}
	none, err := backoffice.New(t.Context(), backoffice.Options{ProjectID: "p"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := none.UnsubscribeTokens(nil); nameOf(err) != "not-configured" {
		t.Errorf("tokens without a key: %v", err)
	}
	if _, err := none.Subscriber(tokens[0]); nameOf(err) != "invalid-action-code" {
		t.Errorf("a link without a key: %v", err)
	}
}

func TestOnlyActiveAdministratorsMayErase(t *testing.T) {
	s, _, _, documents := keeper(t)
	uid, token := signedUp(t)
	record := documents.Collection("adminusers").Doc(uid)
	check := func(step, token, want string) {
		t.Helper()
		got, err := s.Administrator(t.Context(), token)
		if nameOf(err) != want || (got == uid) != (want == "<nil>") {
			t.Errorf("%s: %q, %v, want %s", step, got, err, want)
		}
	}
	check("no token", "", "permission-denied")
	check("an invalid token", "a.b.c", "permission-denied")
	check("an account without a record", token, "permission-denied")
	for _, tt := range []struct {
		fields map[string]any
		want   string
	}{
		{map[string]any{"role": "guest", "active": true}, "permission-denied"},
		{map[string]any{"role": "admin", "active": false}, "permission-denied"},
		{map[string]any{"role": "admin", "active": "true"}, "permission-denied"},
		{map[string]any{"role": "admin", "active": true}, "<nil>"},
	} {
		if _, err := record.Set(t.Context(), tt.fields); err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprint(tt.fields), token, tt.want)
	}
	disable(t, uid)
	check("a disabled account", token, "permission-denied")
}

// disable disables an account, as an administrator of the accounts.
func disable(t *testing.T, uid string) {
	t.Helper()
	url := "http://" + os.Getenv("FIREBASE_AUTH_EMULATOR_HOST") + "/identitytoolkit.googleapis.com/v1/projects/demo-back-office/accounts:update"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(fmt.Sprintf(`{"localId":%q,"disableUser":true}`, uid)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer owner")
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("disabling an account: %s, %v", res.Status, err)
	}
}

// signedUp creates an account as a browser does and returns its uid and its ID token.
func signedUp(t *testing.T) (uid, token string) {
	t.Helper()
	url := "http://" + os.Getenv("FIREBASE_AUTH_EMULATOR_HOST") + "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo"
	res, err := http.Post(url, "application/json", strings.NewReader(`{"email":"eva@correo.do","password":"secreta1","returnSecureToken":true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var body struct{ LocalID, IDToken string }
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil || body.IDToken == "" {
		t.Fatalf("sign-up: %s %+v %v", res.Status, body, err)
	}
	return body.LocalID, body.IDToken
}

// TestUnsubscribingDisregardsSpelling unsubscribes by links whose addresses differ from those of the subscriptions in
// case and outer spaces.
func TestUnsubscribingDisregardsSpelling(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	for _, spelling := range []string{"ana@correo.do", "Ana@Correo.DO", "aNA@correo.do"} {
		confirmAll(t, s, mails, documents, manual, "Ana@correo.do", "ANA@CORREO.DO", "ana@correo.do", "  Ana@correo.do",
			"\t\u00a0ana@correo.do\u3000", "anabel@correo.do", " anabel@correo.do")
		if got, err := s.Newsletter(t.Context()); err != nil || got.Confirmed != 2 {
			t.Fatalf("before %s unsubscribes: %v, %v", spelling, got, err)
		}
		tokens, err := s.UnsubscribeTokens([]string{spelling})
		if err == nil {
			err = s.Unsubscribe(t.Context(), tokens[0])
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Newsletter(t.Context()); err != nil || got.Confirmed != 1 {
			t.Errorf("after %s unsubscribed: %v, %v", spelling, got, err)
		}
		subscriptions, err := documents.Collection("Massive Boletin").Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range subscriptions {
			if email := d.Data()["email"].(string); strings.EqualFold(strings.TrimSpace(email), "ana@correo.do") {
				t.Errorf("after %s unsubscribed there is a subscription of %q", spelling, email)
			}
		}
		if got, err := s.Count(t.Context(), "ana@correo.do"); err != nil || got.Total() != 0 {
			t.Errorf("after %s unsubscribed: %v, %v", spelling, got, err)
		}
	}
}
