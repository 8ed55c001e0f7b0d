package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/rules"
	"clave/server/internal/rules/attack"
	"clave/server/internal/rules/ruletest"
)

// maxRules is the maximum size of rules in an argument, in bytes. It is that of rules in force.
const maxRules = 256 << 10

// sourceIn are rules: those in an argument, or those in force.
type sourceIn struct {
	Place
	Rules string `json:"rules,omitempty" jsonschema:"text of the rules; default: the rules in force"`
}

// explainIn is a request that rules decide.
type explainIn struct {
	sourceIn
	Method string         `json:"method" jsonschema:"get, list, create, update, set or delete"`
	Path   string         `json:"path" jsonschema:"document, or collection of a list"`
	As     string         `json:"as,omitempty" jsonschema:"id of the user; default: nobody is signed in"`
	Claims map[string]any `json:"claims,omitempty" jsonschema:"further claims of the user's token"`
	Data   map[string]any `json:"data,omitempty" jsonschema:"fields that are written; other types in the REST form, such as {\"timestampValue\": \"now\"}"`
	Docs   map[string]any `json:"docs,omitempty" jsonschema:"documents before the request: fields by path; others are read from the server"`
	Where  []string       `json:"where,omitempty" jsonschema:"conditions of a list, such as owner == \"ann\""`
	Order  []string       `json:"order,omitempty" jsonschema:"orders of a list, such as created desc"`
	Limit  int            `json:"limit,omitempty" jsonschema:"limit of a list"`
}

// addRules adds the tools on rules.
func (t *tools) addRules() {
	add(t.server, reading("explain_rules", "Explain a decision of rules",
		"Decides a request by security rules, and returns each expression with its value, the documents that were read, the cost, and the line that decided. Nothing is read or written in the name of the user."+warning), t.explainRules)
	add(t.server, reading("attack_rules", "Attack rules",
		"Searches security rules for requests that they should not allow: other users' documents, unknown fields, types, sizes. Nothing is sent to the server."+warning), t.attackRules)
	add(t.server, reading("get_rules", "Get the rules", "Returns the text of the security rules in force."+warning), func(ctx context.Context, in Place) (any, error) {
		_, source, err := t.rules(ctx, sourceIn{Place: in})
		return source, err
	})
}

// rules compiles the rules of an argument, or those in force. It also returns their text.
func (t *tools) rules(ctx context.Context, in sourceIn) (*rules.Ruleset, string, error) {
	if len(in.Rules) > maxRules {
		return nil, "", fault.E(fault.InvalidArgument, "the rules have more than %d bytes", maxRules)
	}
	db, err := t.client.database(in.Place)
	if err != nil {
		return nil, "", err
	}
	if in.Rules == "" {
		var found struct {
			Source *string `json:"source"`
			Open   bool    `json:"open"`
		}
		if err := t.client.call(ctx, http.MethodGet, "/api/rules"+query(db, nil), nil, &found); err != nil {
			return nil, "", err
		}
		if found.Source == nil {
			return nil, "", fault.E(fault.NotFound, "the database has no rules; everything is allowed: %v", found.Open)
		}
		in.Rules = *found.Source
	}
	r, issues := rules.Compile(in.Rules)
	if r == nil {
		return nil, "", fault.E(fault.InvalidArgument, "%s", rules.Summary(issues))
	}
	return r, in.Rules, nil
}

// explainRules explains a decision.
func (t *tools) explainRules(ctx context.Context, in explainIn) (any, error) {
	db, err := t.client.database(in.Place)
	if err != nil {
		return nil, err
	}
	r, _, err := t.rules(ctx, in.sourceIn)
	if err != nil {
		return nil, err
	}
	q := ruletest.Request{
		As: in.As, Method: in.Method, Path: in.Path, Where: in.Where, Order: in.Order, Limit: in.Limit, Now: clock.System().Now().Truncate(time.Millisecond),
	}
	for _, one := range []struct {
		text *string
		from map[string]any
	}{{&q.Claims, in.Claims}, {&q.Data, in.Data}, {&q.Docs, in.Docs}} {
		if one.from == nil {
			continue
		}
		text, err := json.Marshal(one.from)
		if err != nil {
			return nil, err
		}
		*one.text = string(text)
	}
	if q.Data == "" {
		q.Data = "{}"
	}
	c, err := q.Case()
	if err != nil {
		return nil, err
	}
	var out bounded
	err = ruletest.Explain(ctx, &out, r, c, t.fetch(db), "text")
	return out.String(), err
}

// attackRules attacks rules.
func (t *tools) attackRules(ctx context.Context, in sourceIn) (any, error) {
	r, _, err := t.rules(ctx, in)
	if err != nil {
		return nil, err
	}
	report, err := attack.Run(ctx, r, nil)
	if err != nil {
		return nil, err
	}
	var out bounded
	err = report.Print(&out, "rules")
	return out.String(), err
}
