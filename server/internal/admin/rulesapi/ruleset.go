package rulesapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/rules"
	"clave/server/internal/store"
	"clave/server/internal/store/release"
)

// keyPrefix and keyEnd are the ends of the range of the keys of rulesets in the store.
const (
	keyPrefix = "admin/ruleset/"
	keyEnd    = "admin/ruleset0"
)

// maxRulesets is the maximum number of stored rulesets, as at Google.
const maxRulesets = 2500

// file is a file of a ruleset.
type file struct {
	Name        string `json:"name"`
	Content     string `json:"content"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

// source is the text of a ruleset.
type source struct {
	Files    []file `json:"files"`
	Language string `json:"language,omitempty"`
}

// ruleset is a ruleset of the API.
type ruleset struct {
	Name            string    `json:"name"`
	Source          *source   `json:"source,omitempty"`
	CreateTime      time.Time `json:"createTime"`
	AttachmentPoint string    `json:"attachmentPoint,omitempty"`
	Metadata        any       `json:"metadata,omitempty"`
}

// record is a ruleset in the store.
type record struct {
	File       string    `json:"file"`
	Text       string    `json:"text"`
	Created    time.Time `json:"created"`
	Attachment string    `json:"attachment,omitempty"`
}

// idOf returns the id of the ruleset with a text, in the form of a UUID.
func idOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8, of a form of one's own
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// nameOf returns the name of a ruleset.
func nameOf(project, id string) string { return "projects/" + project + "/rulesets/" + id }

// one returns the only file of a source.
func (s *source) one() (file, error) {
	if s == nil || len(s.Files) != 1 {
		return file{}, fault.E(fault.InvalidArgument, "Invalid ruleset source: a ruleset of Cloud Firestore has one file.")
	}
	return s.Files[0], nil
}

// compile returns InvalidArgument with all errors of a file, in the form of the Firebase CLI.
func compile(f file) error {
	_, issues := rules.Compile(f.Content)
	if !rules.HasErrors(issues) {
		return nil
	}
	var lines []string
	for _, i := range issues {
		lines = append(lines, fmt.Sprintf("[%.1s] %d:%d - %s", i.Severity, i.Span.Line, i.Span.Column, i.Text))
	}
	return fault.E(fault.InvalidArgument, "Compilation errors in %s:\n%s", f.Name, strings.Join(lines, "\n"))
}

// createRuleset stores a ruleset.
func (a *API) createRuleset(ctx context.Context, c *route.Call) (any, error) {
	var in struct {
		Source *source `json:"source"`
		// Name and the others are read and set by the server; AttachmentPoint and Attachment are one field.
		Name            string `json:"name"`
		AttachmentPoint string `json:"attachmentPoint"`
		Attachment      string `json:"attachment_point"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	f, err := in.Source.one()
	if err == nil {
		err = compile(f)
	}
	if err != nil {
		return nil, err
	}
	id := idOf(f.Content)
	made, found, err := a.stored(id)
	if err != nil {
		return nil, err
	}
	if !found {
		if err := a.room(); err != nil {
			return nil, err
		}
		made.Created = a.o.Clock.Now().UTC()
	}
	made.File, made.Text, made.Attachment = f.Name, f.Content, in.AttachmentPoint+in.Attachment
	if err := a.write(ctx, id, &made); err != nil {
		return nil, err
	}
	return a.shown(c.Project, id, &made, true), nil
}

// write stores a ruleset.
func (a *API) write(ctx context.Context, id string, r *record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var b store.Batch
	b.Set([]byte(keyPrefix+id), text)
	return a.o.Store.Apply(ctx, &b)
}

// keep stores the ruleset of rules that are replaced, which may be those of firebase.json, so that they can be released
// again. f may be nil. Without room for it, it is not kept.
func (a *API) keep(ctx context.Context, f *release.File) error {
	if f == nil {
		return nil
	}
	id := idOf(f.Text)
	if _, found, err := a.stored(id); err != nil || found {
		return err
	}
	if err := a.room(); err != nil {
		if fault.Is(err, fault.ResourceExhausted) {
			return nil
		}
		return err
	}
	r := recordOf(f)
	return a.write(ctx, id, &r)
}

// shown returns a ruleset as the API shows it.
func (a *API) shown(project, id string, r *record, withSource bool) *ruleset {
	out := &ruleset{Name: nameOf(project, id), CreateTime: r.Created, AttachmentPoint: r.Attachment, Metadata: map[string]any{"services": []string{service}}}
	if withSource {
		out.Source = &source{Files: []file{{Name: r.File, Content: r.Text}}}
	}
	return out
}

// stored returns a ruleset of the store. found is false if there is none with the id.
func (a *API) stored(id string) (r record, found bool, err error) {
	text, found, err := a.o.Store.Get([]byte(keyPrefix + id))
	if err != nil || !found {
		return record{}, false, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return record{}, false, fmt.Errorf("read a ruleset: %w", err)
	}
	return r, true, nil
}

// scan returns an iterator over the rulesets of the store.
func (a *API) scan() store.Iterator {
	return a.o.Store.Scan(store.Range{From: []byte(keyPrefix), To: []byte(keyEnd)})
}

// room returns ResourceExhausted if the store has the maximum number of rulesets.
func (a *API) room() error {
	it := a.scan()
	defer func() { _ = it.Close() }()
	n := 0
	for it.Next() {
		n++
	}
	if n >= maxRulesets {
		return fault.E(fault.ResourceExhausted, "The project has %d rulesets, the maximum. Delete some of them.", maxRulesets)
	}
	return it.Err()
}

// known returns a ruleset that is stored or in force. It returns NotFound for others.
func (a *API) known(project, id string) (record, error) {
	r, found, err := a.stored(id)
	if err != nil || found {
		return r, err
	}
	if f := a.inForce(id); f != nil {
		return recordOf(f), nil
	}
	return record{}, errNoRuleset(nameOf(project, id))
}

// inForce returns the file of a ruleset that is in force, or nil.
func (a *API) inForce(id string) *release.File {
	for _, d := range a.o.Releases.Current().Files {
		if d.Rules != nil && idOf(d.Rules.Text) == id {
			return d.Rules
		}
	}
	return nil
}

// all returns the rulesets that are stored or in force, by their ids.
func (a *API) all() (map[string]record, error) {
	all := make(map[string]record)
	it := a.scan()
	defer func() { _ = it.Close() }()
	for it.Next() {
		text, err := it.Value()
		var r record
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			return nil, fmt.Errorf("read a ruleset: %w", err)
		}
		all[strings.TrimPrefix(string(it.Key()), keyPrefix)] = r
	}
	if err := it.Err(); err != nil {
		return nil, err
	}
	for _, d := range a.o.Releases.Current().Files {
		if d.Rules == nil {
			continue
		}
		id := idOf(d.Rules.Text)
		if _, found := all[id]; !found {
			all[id] = recordOf(d.Rules)
		}
	}
	return all, nil
}

// recordOf returns the ruleset of rules that were not uploaded as a ruleset.
func recordOf(f *release.File) record { return record{File: f.Name, Text: f.Text, Created: f.Time} }

// errNoRuleset returns the error for a ruleset that does not exist.
func errNoRuleset(name string) error {
	return fault.E(fault.NotFound, "Requested entity was not found: %s", name)
}

// getRuleset returns a ruleset with its text.
func (a *API) getRuleset(_ context.Context, c *route.Call) (any, error) {
	id := c.Vars["ruleset"]
	r, err := a.known(c.Project, id)
	if err != nil {
		return nil, err
	}
	return a.shown(c.Project, id, &r, true), nil
}

// listRulesets returns the rulesets without their texts, the newest first.
func (a *API) listRulesets(_ context.Context, c *route.Call) (any, error) {
	known, err := a.all()
	if err != nil {
		return nil, err
	}
	all := make([]*ruleset, 0, len(known))
	for id, r := range known {
		all = append(all, a.shown(c.Project, id, &r, false))
	}
	slices.SortFunc(all, func(a, b *ruleset) int {
		if order := b.CreateTime.Compare(a.CreateTime); order != 0 {
			return order
		}
		return strings.Compare(a.Name, b.Name)
	})
	page, next, err := route.Page(c, all, 10)
	return struct {
		Rulesets []*ruleset `json:"rulesets,omitempty"`
		Next     string     `json:"nextPageToken,omitempty"`
	}{page, next}, err
}

// deleteRuleset deletes a ruleset that is not in force.
func (a *API) deleteRuleset(ctx context.Context, c *route.Call) (any, error) {
	id := c.Vars["ruleset"]
	if _, err := a.known(c.Project, id); err != nil {
		return nil, err
	}
	if a.inForce(id) != nil {
		return nil, fault.E(fault.FailedPrecondition, "The ruleset %s is referenced by a release.", nameOf(c.Project, id))
	}
	var b store.Batch
	b.Delete([]byte(keyPrefix + id))
	return nil, a.o.Store.Apply(ctx, &b)
}
