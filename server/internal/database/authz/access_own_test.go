package authz

import (
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
)

// TestAccessFailsClosed checks that the zero access denies every operation, and so does one without a ruleset, as for a
// production database without rules. Only the access of privileged callers allows without a ruleset.
func TestAccessFailsClosed(t *testing.T) {
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	name := resource.Document{DB: db, Path: "c/a"}
	closed, open := &Authorizer{rules: NewRulesets(RulesetsOptions{})}, &Authorizer{rules: NewRulesets(RulesetsOptions{Open: true})}
	tests := []struct {
		name   string
		access *access
		want   fault.Code
	}{
		{"nil", nil, fault.PermissionDenied},
		{"the zero value", &access{}, fault.PermissionDenied},
		{"a caller without rules", &access{rulesets: closed.rules}, fault.PermissionDenied},
		{"a privileged caller", closed.access(token.Caller{Privileged: true}, db, nil), fault.OK},
		{"a development database without rules", open.access(token.Caller{}, db, nil), fault.OK},
	}
	for _, tt := range tests {
		for operation, err := range map[string]error{
			"get":    tt.access.get(t.Context(), name, nil),
			"list":   tt.access.list(t.Context(), &query.Query{DB: db, From: []query.From{{Collection: "c"}}}),
			"commit": tt.access.commit(t.Context(), &engine.CheckView{Steps: []engine.Step{{Write: document.Write{Name: name}}}}),
			"empty":  tt.access.commit(t.Context(), &engine.CheckView{}),
		} {
			if got := fault.CodeOf(err); got != tt.want {
				t.Errorf("%s of %s = %v, want code %v", operation, tt.name, err, tt.want)
			}
		}
	}
}
