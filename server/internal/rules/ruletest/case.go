package ruletest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// The verdicts of cases.
const (
	// Allow is an operation that rules don't refuse.
	Allow = "allow"
	// Deny is an operation that rules refuse.
	Deny = "deny"
	// CompileError is a rules file that is refused.
	CompileError = "compile-error"
)

// Case is one operation with the expected verdict.
type Case struct {
	// ID names the case in messages.
	ID string `json:"id"`
	// Rules is the rules file; empty means the one with which the cases are run.
	Rules string `json:"rules,omitempty"`
	// Auth is the user of the request, null without one.
	Auth *Auth `json:"auth"`
	// Now is the time of the request; null takes any.
	Now *time.Time `json:"now,omitempty"`
	// Docs are the documents before the operation: fields in the REST form, by path; null for one that does not exist.
	Docs map[string]json.RawMessage `json:"docs"`
	// Op is the operation.
	Op Operation `json:"op"`
	// Expect is the expected verdict.
	Expect string `json:"expect"`
	// Accept lists further accepted verdicts.
	Accept []string `json:"accept,omitempty"`
	// Critical is set when an unexpected allow is never accepted.
	Critical bool `json:"critical,omitempty"`
	// Note is shown when the case fails.
	Note string `json:"note,omitempty"`
}

// Auth is a signed-in user. Integral numbers in the token are ints.
type Auth struct {
	UID   string         `json:"uid"`
	Token map[string]any `json:"token"`
}

// Write is one write, in the operation itself or in a batch.
type Write struct {
	// Method is create, update, set or delete.
	Method string `json:"method"`
	// Path is the document.
	Path string `json:"path,omitempty"`
	// Data are the fields in the REST form.
	Data json.RawMessage `json:"data,omitempty"`
	// UpdateMask are the fields to change; without it Data replaces all.
	UpdateMask *[]string `json:"updateMask,omitempty"`
	// Transforms are field transforms in the REST form.
	Transforms []json.RawMessage `json:"transforms,omitempty"`
}

// Operation is the kind of the request: get, list, aggregate, a write, batch or transaction.
type Operation struct {
	Write
	// Parent is the document under which a query looks, empty for the root.
	Parent string `json:"parent,omitempty"`
	// Query is a structured query in the REST form.
	Query json.RawMessage `json:"query,omitempty"`
	// Writes are those of a batch or transaction.
	Writes []Write `json:"writes,omitempty"`
	// Reads are the documents that a transaction reads before it writes.
	Reads []string `json:"reads,omitempty"`
}

// Accepts reports whether the case accepts a verdict.
func (c *Case) Accepts(verdict string) bool {
	if verdict == c.Expect {
		return true
	}
	return slices.Contains(c.Accept, verdict) && !(c.Critical && verdict == Allow)
}

// ReadCases reads cases: a JSON array of them, an object with a member "cases", or one after the other.
func ReadCases(r io.Reader) ([]Case, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte("[")) {
		var all []Case
		return all, json.Unmarshal(text, &all)
	}
	var all []Case
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var one struct {
			Case
			Cases []Case `json:"cases"`
		}
		err := d.Decode(&one)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("case %d: %w", len(all)+1, err)
		}
		if one.Cases != nil {
			all = append(all, one.Cases...)
			continue
		}
		all = append(all, one.Case)
	}
}
