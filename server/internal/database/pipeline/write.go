package pipeline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Kind is what the last stage of a pipeline does.
type Kind string

// The kinds. Reads is that of pipelines without a stage that writes.
const (
	Reads  Kind = ""
	Insert Kind = "insert"
	Upsert Kind = "upsert"
	Update Kind = "update"
	Delete Kind = "delete"
)

// writingStages are the names of the stages that write.
var writingStages = []string{string(Insert), string(Upsert), string(Update), string(Delete)}

// Change is a write that a pipeline requests.
type Change struct {
	// Write is the write. An insert's precondition is that the document does not exist, and an update's that it does.
	Write document.Write
	// Read is the update time of the document as the pipeline read it, 0 if the row is not the document that is written.
	Read clock.Version
}

// maxWritten is the maximum number of documents that a pipeline writes.
const maxWritten = 20_000

// writing is a stage that writes.
type writing struct {
	kind Kind
	// collection is the path of the collection of the documents, empty for that of the row's document.
	collection string
	// id computes the documents' ids; nil for those of the rows' documents, or new ones.
	id evaluator
	// fields are set before the row is written.
	fields []computed
}

// Kind returns what the last stage does.
func (p *Pipeline) Kind() Kind {
	if p.writes == nil {
		return Reads
	}
	return p.writes.kind
}

// SkipsAbsent reports whether the last stage writes nothing for documents that do not exist: a delete, and an update
// outside a transaction. In a transaction an update of such a document is an error.
func (p *Pipeline) SkipsAbsent(transaction bool) bool {
	return p.Kind() == Delete || p.Kind() == Update && !transaction
}

// OfLiterals reports whether the rows begin as literals.
func (p *Pipeline) OfLiterals() bool { return p.source.kind == "literals" }

// writer compiles the last stage of a pipeline if it writes.
func (c *compiler) writer(s *request.Stage) (*writing, error) {
	w := &writing{kind: Kind(s.Name)}
	most := 0
	if w.kind == Upsert || w.kind == Update {
		most = 1
	}
	if len(s.Args) > most {
		return nil, wrongCount(s, most)
	}
	var err error
	if len(s.Args) == 1 {
		if w.fields, err = c.computedFields(s, 0); err != nil {
			return nil, err
		}
	}
	for name, e := range s.Options {
		switch {
		case name == "collection" && (w.kind == Insert || w.kind == Upsert):
			source := request.Stage{Name: "collection", Args: []request.Expression{e}}
			if w.collection, err = c.path(&source, 0); err != nil {
				return nil, err
			}
		case name == "document_id" && (w.kind == Insert || w.kind == Upsert):
			if w.id, err = c.expression(e, 1); err != nil {
				return nil, err
			}
		default:
			return nil, fault.E(fault.InvalidArgument, "The stage %s has no option '%s'.", s.Name, name)
		}
	}
	return w, nil
}

// Collect executes a pipeline that writes, and returns what its last stage would write. The source gives the memory of
// that.
func (p *Pipeline) Collect(ctx context.Context, from Source, now time.Time) (list []Change, stats Stats, err error) {
	if p.writes == nil {
		return nil, Stats{}, errors.New("pipeline: no stage writes")
	}
	if err := p.judge(ctx, from); err != nil {
		return nil, Stats{}, err
	}
	r := &run{ctx: ctx, db: p.db, source: from, now: now, nested: p.nested}
	out := &changes{run: r, writing: p.writes, paths: map[string]bool{}}
	defer r.release(&err)
	err = p.into(&frame{run: r, row: &row{}}, out)
	return out.list, Stats{Read: r.read, Results: 1}, err
}

// changes is the sink of a stage that writes.
type changes struct {
	run *run
	*writing
	list  []Change
	paths map[string]bool
}

// end implements sink.
func (s *changes) end() error { return nil }

// row implements sink.
func (s *changes) row(r *row) error {
	if err := s.run.step(1 + len(r.fields)/membersOfStep); err != nil {
		return err
	}
	before := s.run.held
	defer func() { s.run.held = before }()
	f := &frame{run: s.run, row: r, vars: r.vars}
	name, err := s.name(f)
	if err != nil {
		return err
	}
	if s.paths[name.Path] {
		if s.kind == Delete {
			return nil
		}
		return fault.E(fault.InvalidArgument, "The stage %s writes a document more than once: %s", s.kind, name)
	}
	change := Change{Write: document.Write{Op: document.Delete, Name: name}}
	if r.read() && name == r.doc {
		change.Read = r.updated
	}
	if s.kind != Delete {
		if err := s.fill(f, &change.Write); err != nil {
			return err
		}
	}
	if len(s.list) == maxWritten {
		return fault.E(fault.InvalidArgument, "A pipeline writes at most %d documents. Use a filter or a limit.", maxWritten)
	}
	if err := s.run.hold(int64(400 + 2*len(name.Path) + footprint(change.Write.Fields))); err != nil {
		return err
	}
	s.paths[name.Path] = true
	s.list = append(s.list, change)
	return nil
}

// fill sets the fields and the precondition of a write.
func (s *changes) fill(f *frame, w *document.Write) error {
	if err := f.run.step(len(s.fields) / fieldsOfStep); err != nil {
		return err
	}
	edit, size := f.row.fields.EditSorted(), 0
	for _, x := range s.fields {
		v, err := x.compute(f, &size)
		if err != nil {
			return err
		}
		if v != nil && !x.path.IsName() {
			edit.Set(x.path, v, nil)
		}
	}
	w.Op, w.Fields = document.Update, edit.Map()
	if s.kind != Upsert {
		exists := s.kind == Update
		w.Precondition.Exists = &exists
	}
	for _, v := range w.Fields {
		if err := checkStored(v); err != nil {
			return err
		}
	}
	return document.Validate(*w)
}

// checkStored returns an error for a reference that is not that of a document, and for a value of a type of BSON.
// Expressions may have the former and compute maps that are the latter.
func checkStored(v value.Value) error {
	switch x := v.(type) {
	case value.Reference:
		_, err := resource.ParseReference(string(x))
		return err
	case value.Array:
		for _, item := range x {
			if err := checkStored(item); err != nil {
				return err
			}
		}
	case value.Map:
		for name, item := range x {
			if err := document.CheckBuilt(name, len(x)); err != nil {
				return err
			}
			if err := checkStored(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// idLength is the length of ids that the server chooses, the same as in client libraries.
const idLength = 20

// name returns the name of the document that a row is written to.
func (s *changes) name(f *frame) (out resource.Document, err error) {
	collection, own := s.collection, f.row.name()
	if own != "" {
		if out, err = resource.ParseDocument(own); err != nil {
			return out, err
		}
		if out.DB != s.run.db {
			return out, fault.E(fault.InvalidArgument, "The request was for database '%s' but was attempting to access database '%s'", s.run.db, out.DB)
		}
	} else if collection == "" {
		return out, fault.E(fault.InvalidArgument, "The stage %s requires documents with the field `__name__`.", s.kind)
	}
	id := randid.New(idLength)
	switch {
	case s.id != nil:
		r := s.id(f)
		if err := r.err(); err != nil {
			return out, err
		}
		text, ok := r.v.(value.String)
		if !ok || strings.Contains(string(text), "/") {
			return out, fault.E(fault.InvalidArgument, "The stage %s requires ids of documents that are strings without slashes.", s.kind)
		}
		id = string(text)
	case own != "":
		id = out.ID()
	}
	if collection == "" {
		collection = out.Collection().Path()
	}
	return resource.ParseDocument(s.run.db.Root() + "/" + collection + "/" + id)
}

// splitWriter returns the stages before one that writes, and that one if it is the last of an outermost pipeline.
func (c *compiler) splitWriter(stages []request.Stage) ([]request.Stage, *request.Stage, error) {
	at := slices.IndexFunc(stages, func(s request.Stage) bool { return slices.Contains(writingStages, s.Name) })
	switch {
	case at < 0:
		return stages, nil, nil
	case at == 0 || at < len(stages)-1 || c.inner > 1:
		return nil, nil, fault.E(fault.InvalidArgument, "The stage %s must be the last one of the outermost pipeline.", stages[at].Name)
	}
	return stages[:at], &stages[at], nil
}
