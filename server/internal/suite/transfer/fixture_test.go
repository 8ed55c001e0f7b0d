package transfer_test

import (
	"fmt"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/authz/authztest"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/suite/transfer"
)

// project is the tests' project.
const project = "demo-transfer"

// fixture is a server in memory without transports.
type fixture struct {
	t *testing.T
	*transfer.Transfer
	authorizer *authz.Authorizer
	users      *service.Service
}

// newFixture returns a fixture without data. hashCost is the cost of passwords.
func newFixture(t *testing.T, hashCost int) *fixture {
	t.Helper()
	az, store := authztest.Open(t, authz.RulesetsOptions{})
	users := service.New(service.Options{
		Accounts: account.New(store), Tokens: token.New(token.Options{Unsigned: true}), Project: project, Emulator: true, HashMemCost: hashCost,
	})
	return &fixture{t: t, authorizer: az, users: users, Transfer: transfer.New(transfer.Options{Authorizer: az, Identity: users, Project: project})}
}

// cheap is a low cost of passwords.
const cheap = 4

// database returns a database of the tests' project.
func database(id string) resource.Database { return resource.Database{Project: project, ID: id} }

// everything selects all data of the project's default database.
var everything = database(resource.DefaultDatabase)

// put stores a document.
func (h *fixture) put(db resource.Database, path string, fields value.Map) {
	h.t.Helper()
	w := document.Write{Name: resource.Document{DB: db, Path: path}, Fields: fields}
	if err := document.Validate(w); err != nil {
		h.t.Fatal(path, err)
	}
	if _, err := h.authorizer.Commit(h.t.Context(), token.Caller{Privileged: true, Project: project}, db, request.Commit{Writes: []document.Write{w}}); err != nil {
		h.t.Fatal(path, err)
	}
}

// documents returns the documents of a database as texts that distinguish types of values.
func (h *fixture) documents(db resource.Database) map[string]string {
	h.t.Helper()
	all, err := (&query.Query{DB: db, From: []query.From{{AllDescendants: true}}, Limit: query.NoLimit}).Normalize()
	if err != nil {
		h.t.Fatal(err)
	}
	found := make(map[string]string)
	_, err = h.authorizer.Query(h.t.Context(), token.Caller{Privileged: true, Project: project}, all, request.At{}, func(authz.Snapshot) error { return nil },
		func(d *document.Document) error {
			found[d.Name.Path] = words(d.Fields)
			return nil
		})
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}

// words returns fields as a text that distinguishes types of values.
func words(fields value.Map) string { return fmt.Sprintf("%q", value.AppendBinary(nil, fields)) }

// signIn signs in with a password and returns the name of the error, or "".
func (h *fixture) signIn(tenant, email, password string) string {
	h.t.Helper()
	_, err := h.users.SignInWithPassword(h.t.Context(), service.Call{Project: project, Tenant: tenant}, &service.PasswordRequest{Email: &email, Password: &password})
	if err != nil {
		return fault.FromError(err).Message
	}
	return ""
}

// export exports to a new folder and returns it.
func (h *fixture) export() (string, transfer.Summary) {
	h.t.Helper()
	dir := h.t.TempDir() + "/export"
	sum, err := h.Export(h.t.Context(), dir)
	if err != nil {
		h.t.Fatal(err)
	}
	return dir, sum
}
