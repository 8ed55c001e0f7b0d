package console

import (
	"context"
	"net/mail"

	"clave/server/internal/base/fault"
	"clave/server/internal/console/safety"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// getSafety returns the results of the checks for a production server.
func (c *Console) getSafety(in *call) (any, error) {
	checks := []safety.Check{c.checkRules(in)}
	if c.o.Checks != nil {
		checks = append(checks, c.o.Checks(in.Context())...)
	}
	return map[string]any{"checks": checks}, nil
}

// postTestMail sends an e-mail with which an administrator checks the mail server.
func (c *Console) postTestMail(in *call) (any, error) {
	var body struct {
		To     string `json:"to"`
		Locale string `json:"locale"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	if to, err := mail.ParseAddress(body.To); err != nil || to.Name != "" {
		return nil, fault.E(fault.InvalidArgument, "to must be an e-mail address.")
	}
	if c.o.TestMail == nil {
		return nil, fault.E(fault.FailedPrecondition, "No mail server is configured. Configure one with --mail.")
	}
	ended, err := in.change(c.o.Project, "test e-mail", body.To)
	if err != nil {
		return nil, err
	}
	err = c.o.TestMail(in.Context(), body.To, body.Locale)
	ended(err)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The mail server did not accept the e-mail: %v", err)
	}
	return struct{}{}, nil
}

// checkRules checks whether the rules are open to everyone: what a caller who is not signed in may do with a document
// of any name.
func (c *Console) checkRules(in *call) safety.Check {
	open := map[string]any{}
	state := safety.OK
	for _, id := range append([]string{resource.DefaultDatabase}, c.o.Databases...) {
		db := resource.Database{Project: c.o.Project, ID: id}
		r, _ := c.o.Rules.Ruleset(db)
		if r == nil || open[id] != nil {
			continue
		}
		if text := publicOperations(in.Context(), r, db, c.now()); text != "" {
			open[id] = text
			state = safety.Warn
			if text != "read" {
				state = safety.Bad
			}
		}
	}
	if len(open) == 0 {
		return safety.Check{ID: "rulesOpen", State: safety.OK, Text: "The rules do not let users without a sign-in read or write documents of any name.", Case: "closed", Values: open}
	}
	return safety.Check{ID: "rulesOpen", State: state, Text: "The rules let anyone read or write documents of any name.", Case: "open", Values: open}
}

// now returns the current time as a value of the rules.
func (c *Console) now() value.Timestamp { return value.TimestampOf(c.o.Clock.Now()) }

// publicOperations returns the operations that everyone may do with a document of any name: none, read, write, or both.
func publicOperations(ctx context.Context, r *rules.Ruleset, db resource.Database, now value.Timestamp) string {
	name := resource.Document{DB: db, Path: "clave-safety-check/x"}
	d := &document.Document{Name: name, Fields: value.Map{}}
	may := func(q rules.Request) bool {
		q.Name, q.Time, q.Reader = name, now, emptyDatabase{}
		decision, err := r.Allow(ctx, &q)
		return err == nil && decision.Allowed
	}
	read := may(rules.Request{Method: rules.Get, Before: d})
	write := may(rules.Request{Method: rules.Create, After: d}) || may(rules.Request{Method: rules.Update, Before: d, After: d}) || may(rules.Request{Method: rules.Delete, Before: d})
	switch {
	case read && write:
		return "read and write"
	case write:
		return "write"
	case read:
		return "read"
	}
	return ""
}

// emptyDatabase is a database without documents.
type emptyDatabase struct{}

// Lookup implements rules.Reader.
func (emptyDatabase) Lookup(context.Context, resource.Document, bool) (*document.Document, error) {
	return nil, nil
}
