package migrate

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"clave/server/internal/base/terminal"
	"clave/server/internal/suite/transfer"
)

// The states of a migration.
const (
	// Checked is a source that was read, without a target.
	Checked = "checked"
	// Finished is a migration whose target is the same as its source.
	Finished = "finished"
	// FinishedBefore is one that an earlier run has finished.
	FinishedBefore = "finished before"
)

// Report is the result of a migration, also as JSON.
type Report struct {
	State   string   `json:"state"`
	Project string   `json:"project"`
	Source  []string `json:"source"`
	// ReadTime is the time of which the documents of a live project are; zero for exports.
	ReadTime time.Time `json:"readTime,omitzero"`
	// Began and Finished are times; Finished is zero before the end.
	Began    time.Time `json:"began"`
	Finished time.Time `json:"finished,omitzero"`
	// Continued is the number of the documents that earlier runs had written.
	Continued int64 `json:"continued,omitempty"`
	// Documents and Accounts are the numbers of what the source has and Clave accepts.
	Documents int64 `json:"documents"`
	Accounts  int64 `json:"accounts"`
	// Sides compares the source with the target; only the source if the migration was only checked.
	Sides []Sides `json:"sides"`
	// Refused are the documents and accounts that Clave does not store, and RefusedNumber is their number, which may be
	// greater.
	Refused       []transfer.Refused `json:"refused"`
	RefusedNumber int64              `json:"refusedNumber"`
	// NotMoved says what exports don't contain or Clave doesn't have.
	NotMoved []string `json:"notMoved"`
	// MissingIndexes are the indexes that recorded queries need and the files do not have.
	MissingIndexes []MissingIndex `json:"missingIndexes"`
	// Files are the files that were written for the server.
	Files []string `json:"files,omitempty"`
}

// Sides is what the source and the target have of one kind.
type Sides struct {
	Kind     string `json:"kind"`
	Database string `json:"database,omitempty"`
	Name     string `json:"name"`
	Source   Side   `json:"source"`
	Target   *Side  `json:"target,omitempty"`
}

// Side is a number with a checksum.
type Side struct {
	Number int64  `json:"number"`
	Sum    string `json:"sha256"`
}

// MissingIndex is an index that recorded queries need.
type MissingIndex struct {
	Index   json.RawMessage `json:"index"`
	Queries int             `json:"queries"`
}

// count sets what the source has.
func (r *Report) count(source *transfer.Tally) {
	r.Refused, r.RefusedNumber, r.Documents, r.Accounts = source.Refused, source.RefusedNumber, 0, 0
	r.Sides = sidesOf(source.Counts(), nil)
	for _, s := range r.Sides {
		switch s.Kind {
		case transfer.KindDocuments:
			r.Documents += s.Source.Number
		case transfer.KindAccounts:
			r.Accounts += s.Source.Number
		}
	}
}

// sidesOf returns the counts of both sides, in their order. A target of nil is not compared.
func sidesOf(source, target []transfer.Count) []Sides {
	sides := []Sides{}
	key := func(c transfer.Count) Sides { return Sides{Kind: c.Kind, Database: c.Database, Name: c.Name} }
	there := make(map[Sides]*Side)
	for _, c := range target {
		there[key(c)] = &Side{c.Number, c.Sum}
	}
	for _, c := range source {
		one := key(c)
		other := there[one]
		delete(there, one)
		if one.Source = (Side{c.Number, c.Sum}); target != nil {
			if one.Target = other; other == nil {
				one.Target = &Side{}
			}
		}
		sides = append(sides, one)
	}
	for one, other := range there {
		one.Target = other
		sides = append(sides, one)
	}
	counted := func(s Sides) transfer.Count { return transfer.Count{Kind: s.Kind, Database: s.Database, Name: s.Name} }
	slices.SortStableFunc(sides, func(a, b Sides) int { return counted(a).Compare(counted(b)) })
	return sides
}

// differing returns the names of what differs between both sides.
func (r *Report) differing() []string {
	var names []string
	for _, s := range r.Sides {
		if s.Target != nil && *s.Target != s.Source {
			names = append(names, s.title())
		}
	}
	return names
}

// title names a row.
func (s *Sides) title() string {
	switch {
	case s.Kind == transfer.KindAccounts && s.Name == "":
		return "accounts"
	case s.Kind == transfer.KindAccounts:
		return "accounts of tenant " + s.Name
	}
	return fmt.Sprintf("documents of %s: %s", s.Database, s.Name)
}

// Print writes a report as text.
func (r *Report) Print(w io.Writer) error {
	if !r.ReadTime.IsZero() {
		fmt.Fprintf(w, "documents of %s as they were at %s\n", terminal.Text(r.Project), r.ReadTime.Format(time.RFC3339Nano))
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "KIND\tSOURCE\tSHA-256\tTARGET\tSHA-256\t\n")
	for _, s := range r.Sides {
		target := Side{}
		verdict := "not written"
		if s.Target != nil {
			target, verdict = *s.Target, "same"
			if target != s.Source {
				verdict = "DIFFERS"
			}
		}
		fmt.Fprintf(table, "%s\t%d\t%.12s\t%d\t%.12s\t%s\n", terminal.Text(s.title()), s.Source.Number, s.Source.Sum, target.Number, target.Sum, verdict)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, one := range r.Refused {
		fmt.Fprintf(w, "refused: %s %q: %s\n", one.Kind[:len(one.Kind)-1], one.Name, terminal.Text(one.Reason))
	}
	if more := r.RefusedNumber - int64(len(r.Refused)); more > 0 {
		fmt.Fprintf(w, "refused: %d more\n", more)
	}
	for _, text := range r.NotMoved {
		fmt.Fprintf(w, "not moved: %s\n", terminal.Text(text))
	}
	for _, one := range r.MissingIndexes {
		fmt.Fprintf(w, "missing index, which %d recorded queries need: %s\n", one.Queries, terminal.Text(string(one.Index)))
	}
	for _, name := range r.Files {
		fmt.Fprintf(w, "written: %s\n", name)
	}
	_, err := fmt.Fprintf(w, "%s: %d documents, %d accounts\n", r.State, r.Documents, r.Accounts)
	return err
}

// always is what no export of Firebase contains.
var always = []string{
	"files of Cloud Storage, Cloud Functions, the Realtime Database and Remote Config: Clave has none of them (functions can be services of their own, see events.md)",
	"secrets of identity providers, secrets of authenticator apps and passkeys: Firebase shows them to nobody",
}

// notMoved returns what the report says of data that are not moved.
func notMoved(source *transfer.Tally, sum transfer.Summary) []string {
	all := slices.Clone(sum.Notes)
	for _, id := range slices.Sorted(maps.Keys(source.Providers)) {
		all = append(all, fmt.Sprintf("the configuration of %s, by which %d accounts sign in: store it with clave providers add", id, source.Providers[id]))
	}
	return append(all, always...)
}
