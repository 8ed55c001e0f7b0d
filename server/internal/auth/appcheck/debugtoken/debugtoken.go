// Package debugtoken registers the debug tokens of App Check, by which apps prove themselves in development and tests,
// and serves the commands on them. A token is stored by its hash only.
package debugtoken

import (
	"context"
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
	"clave/server/internal/base/randid"
)

// Item is the kind of item of an account.Store that stores the debug tokens of an app.
const Item = "appcheckdebug"

// maxTokens is the maximum number of debug tokens of an app, as in production. maxName is the maximum length of the
// name of a token, and maxApp that of an app's id, in bytes.
const (
	maxTokens = 20
	maxName   = 100
	maxApp    = 200
)

// Info describes a debug token.
type Info struct {
	App  string `json:"app"`
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Created is the time of its registration.
	Created time.Time `json:"created"`
}

// stored is a debug token as it is stored.
type stored struct {
	ID      string    `json:"id"`
	Name    string    `json:"name,omitempty"`
	Hash    string    `json:"hash"`
	Created time.Time `json:"created"`
}

// record holds the debug tokens of an app.
type record struct {
	Tokens []stored `json:"tokens"`
}

// Registry holds the debug tokens of all projects. It is safe for concurrent use.
type Registry struct {
	accounts *account.Store
	clock    clock.Clock
}

// New returns the registry that is stored beside accounts. c dates new tokens.
func New(accounts *account.Store, c clock.Clock) *Registry { return &Registry{accounts, c} }

// secretForm matches a UUID of version 4, which a debug token is: SDKs create such ones.
var secretForm = pattern.New(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// hash returns what is stored of a debug token. Its 122 random bits need no slow hash.
func hash(secret string) string { return randid.Digest(strings.ToLower(secret)) }

// checkApp returns an error for what cannot be an app's id.
func checkApp(app string) error {
	if app == "" || len(app) > maxApp || strings.ContainsAny(app, "\x00/ ") {
		return fault.E(fault.InvalidArgument, "%q is no app id, such as 1:1234567890:web:abcdef", app)
	}
	return nil
}

// Add registers a debug token of an app and returns its id.
func (r *Registry) Add(ctx context.Context, project, app, name, secret string) (string, error) {
	if err := checkApp(app); err != nil {
		return "", err
	}
	if !secretForm.MatchString(strings.ToLower(secret)) {
		return "", fault.E(fault.InvalidArgument, "a debug token is a random UUID of version 4, as SDKs print it; without one the command makes it")
	}
	if len(name) > maxName {
		return "", fault.E(fault.InvalidArgument, "a debug token's name has at most %d bytes", maxName)
	}
	const length = 12 // of letters and digits, because the id is an argument of a command, where - would begin a flag
	made := stored{ID: randid.New(length), Name: name, Hash: hash(secret), Created: r.clock.Now().UTC().Truncate(time.Second)}
	return made.ID, r.edit(ctx, project, app, func(_ *account.Change, a *record) error {
		for _, t := range a.Tokens {
			if t.Hash == made.Hash {
				return fault.E(fault.AlreadyExists, "the debug token is registered already, as %s", t.ID)
			}
		}
		if len(a.Tokens) >= maxTokens {
			return fault.E(fault.ResourceExhausted, "app %s has %d debug tokens, which is the maximum; remove one first", app, maxTokens)
		}
		a.Tokens = append(a.Tokens, made)
		return nil
	})
}

// Remove removes a debug token by its id. It returns NotFound if there is none.
func (r *Registry) Remove(ctx context.Context, project, app, id string) error {
	return r.edit(ctx, project, app, func(ch *account.Change, a *record) error {
		ch.Withdraws()
		i := slices.IndexFunc(a.Tokens, func(t stored) bool { return t.ID == id })
		if i < 0 {
			return fault.E(fault.NotFound, "app %s has no debug token %s; clave appcheck list shows existing ones", app, id)
		}
		a.Tokens = slices.Delete(a.Tokens, i, i+1)
		return nil
	})
}

// Rename changes the name of a debug token. It returns NotFound if there is none.
func (r *Registry) Rename(ctx context.Context, project, app, id, name string) error {
	if len(name) > maxName {
		return fault.E(fault.InvalidArgument, "a debug token's name has at most %d bytes", maxName)
	}
	return r.edit(ctx, project, app, func(_ *account.Change, a *record) error {
		i := slices.IndexFunc(a.Tokens, func(t stored) bool { return t.ID == id })
		if i < 0 {
			return fault.E(fault.NotFound, "app %s has no debug token %s; clave appcheck list shows existing ones", app, id)
		}
		a.Tokens[i].Name = name
		return nil
	})
}

// List lists the debug tokens of a project's apps, by app and then by age.
func (r *Registry) List(ctx context.Context, project string) ([]Info, error) {
	var all []Info
	err := r.accounts.Items(ctx, account.Scope{Project: project}, Item, func(app string, decode func(any) error) error {
		var a record
		if err := decode(&a); err != nil {
			return err
		}
		for _, t := range a.Tokens {
			all = append(all, Info{App: app, ID: t.ID, Name: t.Name, Created: t.Created})
		}
		return nil
	})
	return all, err
}

// Has reports whether a text is a registered debug token of an app.
func (r *Registry) Has(project, app, secret string) (bool, error) {
	if checkApp(app) != nil {
		return false, nil
	}
	var a record
	if _, err := r.accounts.Load(account.Scope{Project: project}, Item, app, &a); err != nil {
		return false, err
	}
	given, found := []byte(hash(secret)), 0
	for _, t := range a.Tokens {
		found |= subtle.ConstantTimeCompare(given, []byte(t.Hash))
	}
	return found == 1, nil
}

// edit changes the debug tokens of an app.
func (r *Registry) edit(ctx context.Context, project, app string, change func(*account.Change, *record) error) error {
	return r.accounts.Change(ctx, account.Scope{Project: project}, []string{Item + app}, func(ch *account.Change) error {
		var a record
		if _, err := ch.Load(Item, app, &a); err != nil {
			return err
		}
		if err := change(ch, &a); err != nil {
			return err
		}
		if len(a.Tokens) == 0 {
			ch.Remove(Item, app)
			return nil
		}
		return ch.Save(Item, app, a)
	})
}
