package migrate

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/suite/transfer"
)

// recordEvery is the number of documents after which the journal is written again: each time the file is synced.
const recordEvery = 5_000

// Options are those of a migration from Firebase.
type Options struct {
	Transfer *transfer.Transfer
	Source   transfer.Source
	// Project is the id of the project.
	Project string
	// Dir is the data folder, which has the journal.
	Dir string
	// Check only reads the source and reports.
	Check bool
	// SkipRefused moves the rest if documents or accounts are refused.
	SkipRefused bool
	// MissingIndexes are those that recorded queries need.
	MissingIndexes []MissingIndex
	// Remarks are what the report says of files that are missing, and of what a download does not have.
	Remarks []string
	// ReadTime is the time of which the documents of a download are; zero for other sources. Unread are documents that the
	// download could not read, and UnreadNumber is their number, which may be greater.
	ReadTime     time.Time
	Unread       []transfer.Refused
	UnreadNumber int64
	// Place writes the files of rules and indexes where a server reads them, and returns what it has written.
	Place func() ([]string, error)
	Clock clock.Clock
	// Progress receives how many of how many documents are written.
	Progress func(done, all int64)
}

// MarkOf returns the name by which the marker of incomplete data names a source.
func MarkOf(s transfer.Source) (string, error) {
	paths, err := s.Paths()
	if err != nil || len(paths) == 0 {
		return "", err
	}
	return paths[0] + transfer.MigrationMark, nil
}

// FromFirebase moves a project from a source to Clave, or continues a migration that was interrupted. The report is not
// nil once the source was read, also if there is an error.
func FromFirebase(ctx context.Context, o Options) (*Report, error) {
	paths, err := o.Source.Paths()
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fault.E(fault.InvalidArgument, "name the folder of an export, or a file of accounts with --users")
	}
	source, sum, err := o.Transfer.Survey(ctx, o.Source)
	if err != nil {
		return nil, err
	}
	r := &Report{State: Checked, Project: o.Project, Source: paths, ReadTime: o.ReadTime, Began: o.Clock.Now().UTC(), MissingIndexes: o.MissingIndexes, NotMoved: append(notMoved(source, sum), o.Remarks...)}
	r.count(source)
	r.Refused, r.RefusedNumber = append(o.Unread, r.Refused...), r.RefusedNumber+o.UnreadNumber
	if o.Check {
		return r, nil
	}
	j, err := o.begin(ctx, r, source.Fingerprint())
	if err != nil {
		return r, err
	}
	if !j.Report.Finished.IsZero() {
		j.Report.State = FinishedBefore
		return j.Report, o.Transfer.Unmark() // The earlier run may have been killed between the last two steps.
	}
	if r.RefusedNumber > 0 && !o.SkipRefused {
		return r, fault.E(fault.InvalidArgument, "%d documents and accounts are refused, and nothing was moved. Correct them in the source, or move the others with --skip-refused.", r.RefusedNumber)
	}
	if r.Files, err = o.Place(); err != nil {
		return r, err
	}
	return r, o.load(ctx, r, j, source)
}

// Before returns the report of the migration that has filled a data folder; nil if there is none, or if it is not
// finished.
func Before(dir, project string) (*Report, error) {
	j, err := readJournal(dir)
	if err != nil || j == nil || j.Report.Finished.IsZero() || j.Report.Project != project {
		return nil, err
	}
	j.Report.State = FinishedBefore
	return j.Report, nil
}

// Ready returns an error if a data folder cannot receive a migration of a project: it has data, or another migration.
func Ready(ctx context.Context, t *transfer.Transfer, dir, project string) error {
	j, err := readJournal(dir)
	switch {
	case err != nil:
		return err
	case j == nil:
		return vacant(ctx, t, project)
	case j.Report.Project != project:
		return fault.E(fault.FailedPrecondition, "the data folder has a migration of project %s. Migrate to an empty data folder.", j.Report.Project)
	}
	return nil
}

// vacant returns an error if there are data of a project.
func vacant(ctx context.Context, t *transfer.Transfer, project string) error {
	empty, err := t.Empty(ctx)
	if err == nil && !empty {
		err = fault.E(fault.FailedPrecondition, "there are data of project %s already. Migrate to an empty data folder, or add to the data with clave import.", project)
	}
	return err
}

// begin returns the journal of the migration: that of an earlier run, or a new one, for which the target must be empty.
func (o *Options) begin(ctx context.Context, r *Report, fingerprint string) (*journal, error) {
	j, err := readJournal(o.Dir)
	if err != nil {
		return nil, err
	}
	if j != nil {
		if j.Report.Project != r.Project || j.Fingerprint != fingerprint {
			return nil, fault.E(fault.FailedPrecondition,
				"the data folder has a migration of project %s from %s, and this source is another or has changed. Give the same source, or migrate to an empty data folder.",
				j.Report.Project, strings.Join(j.Report.Source, " and "))
		}
		r.Began, r.Continued = j.Report.Began, j.Documents
		return j, nil
	}
	if err := vacant(ctx, o.Transfer, r.Project); err != nil {
		return nil, err
	}
	return &journal{path: filepath.Join(o.Dir, journalName), Version: journalVersion, Fingerprint: fingerprint, Report: r}, nil
}

// load writes the data and compares both sides.
func (o *Options) load(ctx context.Context, r *Report, j *journal, source *transfer.Tally) error {
	mark, err := MarkOf(o.Source)
	if err != nil {
		return err
	}
	j.Report = r
	if err := j.write(); err != nil {
		return err
	}
	recorded := j.Documents
	written := func(documents int64) error {
		o.Progress(documents, r.Documents)
		if documents-recorded < recordEvery {
			return nil
		}
		recorded, j.Documents = documents, documents
		return j.write()
	}
	compare := func(transfer.Summary) error {
		target, err := o.Transfer.Counts(ctx, source)
		if err != nil {
			return err
		}
		r.Sides = sidesOf(source.Counts(), target.Counts())
		if names := r.differing(); len(names) > 0 {
			j.Documents = 0 // The next run writes everything again.
			if err := j.write(); err != nil {
				return err
			}
			return fault.E(fault.DataLoss, "the written data differ from the source: %s", strings.Join(names, "; "))
		}
		r.State, r.Finished, j.Documents = Finished, o.Clock.Now().UTC(), r.Documents
		return j.write()
	}
	return o.Transfer.Load(ctx, o.Source, mark, source, recorded, written, compare)
}
