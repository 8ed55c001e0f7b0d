package backoffice_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"net"

	"clave/server/backoffice"
)

// ana is a valid registration.
var ana = backoffice.Registration{FirstName: " Ana ", LastName: " Pérez ", Email: "  Ana@Correo.DO ", Password: "secreta"}

// withTicket returns the registration with a fresh ticket.
func withTicket(t *testing.T, s *backoffice.Service, r backoffice.Registration) backoffice.Registration {
	t.Helper()
	ticket, err := s.CheckCode(home, secret)
	if err != nil {
		t.Fatal(err)
	}
	r.Ticket = ticket.Value
	return r
}

func TestRegisterRefusesBeforeAnyCall(t *testing.T) {
	t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", "127.0.0.1:1")
	t.Setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
	s, _ := newService(t)
	with := func(change func(*backoffice.Registration)) backoffice.Registration {
		r := ana
		change(&r)
		return r
	}
	tests := []struct {
		name string
		in   backoffice.Registration
		want string
	}{
		{"no first name", with(func(r *backoffice.Registration) { r.FirstName = "  " }), "invalid-argument"},
		{"no last name", with(func(r *backoffice.Registration) { r.LastName = "" }), "invalid-argument"},
		{"no address", with(func(r *backoffice.Registration) { r.Email = " " }), "invalid-argument"},
		{"no password", with(func(r *backoffice.Registration) { r.Password = "" }), "invalid-argument"},
		{"a name of 121", with(func(r *backoffice.Registration) { r.LastName = strings.Repeat("á", 121) }), "invalid-argument"},
		{"an address without a dot", with(func(r *backoffice.Registration) { r.Email = "a@b" }), "invalid-email"},
		{"an address with two at signs", with(func(r *backoffice.Registration) { r.Email = "a@b@c.do" }), "invalid-email"},
		{"an address of 255", with(func(r *backoffice.Registration) { r.Email = strings.Repeat("a", 250) + "@b.do" }), "invalid-email"},
		{"a password of 5", with(func(r *backoffice.Registration) { r.Password = "ábcde" }), "weak-password"},
		{"a password of 4097", with(func(r *backoffice.Registration) { r.Password = strings.Repeat("a", 4097) }), "invalid-argument"},
	}
	for _, tt := range tests {
		if _, err := s.Register(t.Context(), withTicket(t, s, tt.in)); nameOf(err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// accounts is an Identity Toolkit server that answers creations with a given error and records its requests.
type accounts struct {
	answer func(w http.ResponseWriter)
	mu     sync.Mutex
	calls  []string
}

// ServeHTTP records the call and answers it.
func (a *accounts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	call := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	a.calls = append(a.calls, call)
	w.Header().Set("Content-Type", "application/json")
	if call == "accounts" {
		a.answer(w)
		return
	}
	_, _ = w.Write([]byte(`{"users":[{"localId":"x"}]}`))
}

// refused starts the toolkit with an error for every creation and returns a service that uses it.
func refused(t *testing.T, httpStatus int, message string) (*backoffice.Service, *accounts) {
	t.Helper()
	a := &accounts{answer: func(w http.ResponseWriter) {
		w.WriteHeader(httpStatus)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": httpStatus, "message": message}})
	}}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", strings.TrimPrefix(server.URL, "http://"))
	t.Setenv("FIRESTORE_EMULATOR_HOST", brokenFirestore(t))
	s, _ := newService(t)
	return s, a
}

// brokenFirestore starts a Firestore that denies everything, and returns its address.
func brokenFirestore(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error {
		return status.Error(codes.PermissionDenied, "no")
	}))
	var ended sync.WaitGroup
	ended.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		server.Stop()
		ended.Wait()
	})
	return listener.Addr().String()
}

func TestRegisterNamesTheContractsErrors(t *testing.T) {
	tests := []struct {
		status  int
		message string
		want    string
	}{
		{400, "EMAIL_EXISTS", "email-already-in-use"},
		{400, "INVALID_EMAIL", "invalid-email"},
		{400, "WEAK_PASSWORD : Password should be at least 6 characters", "weak-password"},
		{400, "OPERATION_NOT_ALLOWED", "operation-not-allowed"},
		{400, "CONFIGURATION_NOT_FOUND", "operation-not-allowed"},
		{429, "TOO_MANY_ATTEMPTS_TRY_LATER", "too-many-requests"},
		{400, "SOMETHING_NEW", "internal-error"},
	}
	for _, tt := range tests {
		t.Run(tt.message, func(t *testing.T) {
			s, _ := refused(t, tt.status, tt.message)
			if _, err := s.Register(t.Context(), withTicket(t, s, ana)); nameOf(err) != tt.want {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

func TestAFailedRecordRemovesTheAccount(t *testing.T) {
	s, a := refused(t, 200, "")
	a.answer = func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"localId":"x"}`)) }
	r := withTicket(t, s, ana)
	if _, err := s.Register(t.Context(), r); nameOf(err) != "internal-error" {
		t.Fatalf("Register without a database: %v, want internal-error", err)
	}
	if want := []string{"accounts", "accounts:lookup", "accounts:delete"}; !slices.Equal(a.calls, want) {
		t.Errorf("calls = %v, want %v", a.calls, want)
	}
	a.answer = func(w http.ResponseWriter) { w.WriteHeader(http.StatusTeapot) }
	if _, err := s.Register(t.Context(), r); nameOf(err) == "invalid-ticket" {
		t.Error("a registration that failed for our reasons spent its ticket")
	}
}

func TestRegister(t *testing.T) {
	startServers(t)
	s, _ := newService(t)
	people, documents, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	r := withTicket(t, s, ana)
	made, err := s.Register(t.Context(), r)
	if err != nil {
		t.Fatalf("Register: %v", err)
	}
	t.Cleanup(func() {
		_ = people.DeleteUser(t.Context(), made.UID)
	})
	account, err := people.GetUser(t.Context(), made.UID)
	if err != nil || account.Email != "ana@correo.do" || account.DisplayName != "Ana Pérez" {
		t.Errorf("account = %+v, %v", account, err)
	}
	snapshot, err := documents.Collection("adminusers").Doc(made.UID).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fields := snapshot.Data()
	at, _ := fields["createdAt"].(time.Time)
	if d := snapshot.CreateTime.Sub(at); d < 0 || d > time.Minute {
		t.Errorf("createdAt = %v, want the commit's time %v", at, snapshot.CreateTime)
	}
	delete(fields, "createdAt")
	want := map[string]any{
		"uid": made.UID, "firstName": "Ana", "lastName": "Pérez", "displayName": "Ana Pérez", "email": "ana@correo.do",
		"role": "admin", "active": true, "signupMethod": "codigo-secreto",
	}
	if got, want := toJSON(t, fields), toJSON(t, want); got != want {
		t.Errorf("record = %s, want %s", got, want)
	}
	if _, err := s.Register(t.Context(), r); nameOf(err) != "invalid-ticket" {
		t.Errorf("the same ticket again: %v, want invalid-ticket", err)
	}
	if _, err := s.Register(t.Context(), withTicket(t, s, ana)); nameOf(err) != "email-already-in-use" {
		t.Errorf("the same address again: %v, want email-already-in-use", err)
	}
	if _, err := documents.Collection("adminusers").Doc(made.UID).Delete(t.Context()); err != nil {
		t.Error(err)
	}
	if err := people.DeleteUser(t.Context(), made.UID); err != nil {
		t.Error(err)
	}
}

// TestATicketRegistersOneAdministrator registers two administrators with one ticket at the same time.
func TestATicketRegistersOneAdministrator(t *testing.T) {
	startServers(t)
	s, _ := newService(t)
	people, documents, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	r := withTicket(t, s, ana)
	type outcome struct {
		made *backoffice.Administrator
		err  error
	}
	const callers = 8
	outcomes := make(chan outcome, callers)
	for i := range callers {
		r.Email = fmt.Sprintf("ana%d@correo.do", i)
		go func(r backoffice.Registration) {
			made, err := s.Register(t.Context(), r)
			outcomes <- outcome{made, err}
		}(r)
	}
	registered := 0
	for range callers {
		switch o := <-outcomes; {
		case o.err == nil:
			registered++
			_, recordErr := documents.Collection("adminusers").Doc(o.made.UID).Delete(t.Context())
			if err := errors.Join(recordErr, people.DeleteUser(t.Context(), o.made.UID)); err != nil {
				t.Error(err)
			}
		case nameOf(o.err) != "invalid-ticket":
			t.Errorf("Register: %v, want invalid-ticket", o.err)
		}
	}
	if registered != 1 {
		t.Errorf("one ticket has registered %d administrators", registered)
	}
}

// toJSON prints a value with its keys in order.
func toJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
